"use strict";

// Names that are read aloud for what the theme and the gallery show without words.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("summary")) {
    if (!summary.textContent.trim()) summary.setAttribute("aria-label", "show the pages below");
  }
  for (const card of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = card.querySelector(".sphx-glr-thumbnail-title")?.textContent ?? "example";
    for (const link of card.querySelectorAll("a")) link.setAttribute("aria-label", title);
  }
});
