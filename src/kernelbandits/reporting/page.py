"""The page: sections one after the other, with the style and the script inside."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template
from typing import Protocol, final

from kernelbandits.reporting.styles import COLOURS

_SCRIPTS = ("scales.js", "chart.js", "page.js")


class Section(Protocol):
    """A part of a page: a heading, and the HTML below it. Whatever has these two can stand in a report."""

    @property
    def title(self) -> str:
        """The heading, as plain text."""

    def body(self) -> str:
        """What stands below the heading, as HTML: every text that a user gave is escaped here."""


@final
@dataclass(frozen=True, slots=True)
class Report:
    """A title, a few words below it, and sections."""

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]

    def html(self) -> str:
        """The whole page. Its policy lets the browser run nothing but the script inside, and load nothing at all."""
        style = f":root {{ {_palette()} }}\n{_asset('report.css')}"
        script = "(() => {\n" + "\n".join(_asset(name) for name in _SCRIPTS) + "})();\n"
        policy = f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}"
        return Template(_asset("page.html")).substitute(
            title=escape(self.title),
            lead="".join(f"<li>{escape(part)}</li>" for part in self.lead),
            policy=policy,
            style=style,
            script=script,
            contents="".join(
                f'<li><a href="#part-{i}">{escape(section.title)}</a></li>' for i, section in enumerate(self.sections)
            ),
            sections="".join(_section(i, section) for i, section in enumerate(self.sections)),
        )


def _section(i: int, section: Section) -> str:
    heading = f'<h2 id="title-{i}">{escape(section.title)}</h2>'
    return f'<section id="part-{i}" aria-labelledby="title-{i}">{heading}{section.body()}</section>\n'


def _palette() -> str:
    """The colours of the pictures as variables; the style has lighter ones for dark screens."""
    return " ".join(f"--c{i}: {colour};" for i, colour in enumerate(COLOURS))


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """How a content policy names an inline style or script: by the hash of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
