// A set of panels with one legend: what is switched in the legend is switched in every panel.

function setUp(section) {
  const data = JSON.parse(section.querySelector("script").textContent);
  const state = { hidden: new Set(), scale: "linear" };
  const figures = [...section.querySelectorAll(".panel")];
  const charts = figures.map((figure, i) => new Chart(figure, data.panels[i], data, state));
  const entries = [...section.querySelectorAll(".legend [data-method]")];
  const scales = [...section.querySelectorAll("[data-scale]")];

  const show = () => {
    for (const entry of entries) entry.setAttribute("aria-pressed", !state.hidden.has(Number(entry.dataset.method)));
    for (const scale of scales) scale.setAttribute("aria-pressed", scale.dataset.scale === state.scale);
    for (const chart of charts) chart.draw();
  };

  for (const entry of entries) {
    const method = Number(entry.dataset.method);
    drawKey(entry.querySelector("svg"), data.methods[method]);
    entry.addEventListener("click", () => {
      if (!state.hidden.delete(method)) state.hidden.add(method);
      show();
      spotlight(section, state.hidden.has(method) ? null : method);
    });
    entry.addEventListener("pointerenter", () => spotlight(section, state.hidden.has(method) ? null : method));
    entry.addEventListener("pointerleave", () => spotlight(section, null));
  }
  for (const button of section.querySelectorAll("[data-show]")) {
    button.addEventListener("click", () => {
      state.hidden = new Set(button.dataset.show === "all" ? [] : data.methods.keys());
      show();
    });
  }
  for (const scale of scales) {
    scale.addEventListener("click", () => {
      state.scale = scale.dataset.scale;
      show();
    });
  }
  show();
  new ResizeObserver(() => {
    for (const chart of charts) if (chart.svg.clientWidth !== chart.width) chart.draw();
  }).observe(section);
}

/** Fade all curves but those of one method; null brings them all back. */
function spotlight(section, method) {
  for (const curve of section.querySelectorAll(".curve")) {
    curve.classList.toggle("faded", method !== null && Number(curve.dataset.method) !== method);
  }
}

for (const section of document.querySelectorAll(".curves")) setUp(section);
