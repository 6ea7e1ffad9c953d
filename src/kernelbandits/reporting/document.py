"""Documents: sections under a title, shown in a terminal, as an HTML page or as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from io import StringIO
from math import isfinite
from string import Template
from typing import Any, final

from kernelbandits.reporting.sections import Section
from kernelbandits.reporting.styles import COLOURS

_SCRIPTS = ("scales.js", "chart.js", "page.js")
_WIDE = 1000  # columns where there is no terminal: nothing is wrapped


@final
@dataclass(frozen=True, slots=True)
class Document:
    """Sections under a title.

    Attributes:
        title: the heading of the page.
        sections: shown in this order.
        lead: a few words below the title.
        record: the same content as plain data, for other programs.

    """

    title: str
    sections: tuple[Section, ...]
    lead: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """One self-contained page. Its policy lets the browser run only the script inside, and load nothing."""
        palette = " ".join(f"--c{i}: {colour};" for i, colour in enumerate(COLOURS))
        style = f":root {{ {palette} }}\n{_asset('report.css')}"
        script = "(() => {\n" + "\n".join(_asset(name) for name in _SCRIPTS) + "})();\n"
        titles = [escape(section.title) for section in self.sections]
        return Template(_asset("page.html")).substitute(
            title=escape(self.title),
            lead="".join(f"<li>{escape(part)}</li>" for part in self.lead),
            policy=f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}",
            style=style,
            script=script,
            contents="".join(f'<li><a href="#part-{i}">{title}</a></li>' for i, title in enumerate(titles)),
            sections="".join(
                f'<section id="part-{i}" aria-labelledby="title-{i}"><h2 id="title-{i}">{titles[i]}</h2>'
                f"{section.html()}</section>\n"
                for i, section in enumerate(self.sections)
            ),
        )

    def json(self, indent: int | None = None) -> str:
        """The record as JSON: arrays become lists, NaN and ±∞ become null."""
        return json.dumps(_plain(self.record), ensure_ascii=False, indent=indent)

    def show(self, *closing: str) -> None:
        """Print texts and tables, then the closing lines. Pictures, settings and provenance are for the page."""
        from rich.console import Console
        from rich.text import Text

        page = StringIO()
        plain = not sys.stdout.isatty()
        console = Console(file=page, width=_WIDE, color_system=None) if plain else Console(highlight=False)
        for section in self.sections:
            for item in section.terminal():
                console.print(item)
        for line in closing:
            console.print(Text(line))
        if plain:
            print("\n".join(line.rstrip() for line in page.getvalue().splitlines()))  # noqa: T201


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record as one line of JSON, for other programs."""
    print(Document("", (), record=record).json())  # noqa: T201


def _plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as Python's; what is not a finite number becomes None."""
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The hash by which a content policy names an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
