"""Whether every internal link of the built site leads somewhere, and whether its pages load everything from the site.

python docs/check_site.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The targets of a page: its own anchors, links to other places, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "modulepreload"):
            self.loaded.append(given.get("href") or "")
        elif tag in ("script", "img", "source", "iframe") and given.get("src"):
            self.loaded.append(given["src"])


def problems(root):
    """One line per link that leads nowhere and per file that would come from elsewhere."""
    pages = {path: Page(path) for path in sorted(root.rglob("*.html")) if "_static" not in path.relative_to(root).parts}
    found = []
    for path, page in pages.items():
        where = path.relative_to(root)
        for target in page.loaded + page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme != "data":
                    found.append(f"{where} loads {target}")
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.exists():
                found.append(f"{where} links to {target}, which does not exist")
            elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].anchors:
                found.append(f"{where} links to {target}, which has no such place")
    return sorted(set(found)), len(pages)


if __name__ == "__main__":
    lines, n_pages = problems(Path(sys.argv[1]).resolve())
    print("\n".join(lines) or f"{n_pages} pages: every internal link leads somewhere, nothing is loaded from elsewhere")
    sys.exit(bool(lines))
