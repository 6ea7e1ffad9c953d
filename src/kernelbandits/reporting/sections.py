"""Sections of texts, pictures and settings, and settings as TOML in the form that a user's file may have."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol, final

from kernelbandits.reporting.charts import Charts, draw, write_figure
from kernelbandits.reporting.document import terminal_text

if TYPE_CHECKING:
    from rich.console import RenderableType


class Section(Protocol):
    """A part of a document. Any object with these members can be a section."""

    @property
    def title(self) -> str:
        """The heading, as plain text."""

    def html(self) -> str:
        """The content below the heading as HTML, with every text escaped."""

    def terminal(self) -> Iterable[RenderableType]:
        """What a terminal shows, heading included; may be empty."""


@final
@dataclass(frozen=True, slots=True)
class Note:
    """A remark that must not be overlooked, such as a warning that data are synthetic."""

    title: str
    text: str

    def html(self) -> str:
        return f'<p class="note">{escape(self.text)}</p>'

    def terminal(self) -> Iterable[RenderableType]:
        return [terminal_text(f"{self.title}: {self.text}" if self.title else self.text)]


@final
@dataclass(frozen=True, slots=True)
class Findings:
    """Lines of text, one per finding."""

    title: str
    lines: tuple[str, ...]

    def html(self) -> str:
        return f'<ul class="findings">{"".join(f"<li>{escape(line)}</li>" for line in self.lines)}</ul>'

    def terminal(self) -> Iterable[RenderableType]:
        return [terminal_text(line) for line in (*self.lines, "")]


@final
@dataclass(frozen=True, slots=True)
class Picture:
    """Charts above each other, with a description for readers who do not see them."""

    title: str
    charts: tuple[Charts, ...]
    description: str
    width: float = 10.5

    def html(self) -> str:
        # As an image rather than inline: names inside two pictures cannot clash, and nothing in one can run.
        svg = BytesIO()
        write_figure(draw(self), svg, "svg")
        data = base64.b64encode(svg.getvalue()).decode()
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(self.description)}">'
        return f'<div class="scroll picture" tabindex="0" role="group" aria-label="{escape(self.title)}">{image}</div>'

    def terminal(self) -> Iterable[RenderableType]:
        return ()


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """Names with their values, such as the provenance of results."""

    title: str
    facts: Mapping[str, str]

    def html(self) -> str:
        rows = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in self.facts.items())
        return f'<dl class="facts">{"".join(rows)}</dl>'

    def terminal(self) -> Iterable[RenderableType]:
        return ()


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """Program text, such as settings in TOML; each block is (heading, remark, text)."""

    title: str
    blocks: tuple[tuple[str, str, str], ...]

    def html(self) -> str:
        articles = (
            f"<article><h3>{escape(name)}</h3>{f'<p>{escape(remark)}</p>' if remark else ''}"
            f"<pre>{escape(text)}</pre></article>"
            for name, remark, text in self.blocks
        )
        return f'<div class="listing">{"".join(articles)}</div>'

    def terminal(self) -> Iterable[RenderableType]:
        return ()


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Sections under smaller headings; a section without a title has no heading."""

    title: str
    sections: tuple[Section, ...]

    def html(self) -> str:
        return "".join(
            (f"<h3>{escape(section.title)}</h3>" if section.title else "") + section.html() for section in self.sections
        )

    def terminal(self) -> Iterable[RenderableType]:
        return (item for section in self.sections for item in section.terminal())


def toml_lines(table: Mapping[str, Any], prefix: str = "") -> str:
    """A table as lines `key.inner = value`, which is valid TOML."""
    lines = []
    for name, value in table.items():
        key = prefix + toml_key(name)
        inner = isinstance(value, Mapping) and value
        lines.append(toml_lines(value, f"{key}.") if inner else f"{key} = {toml_value(value)}")
    return "\n".join(lines)


def toml_key(name: str) -> str:
    """A name as a TOML key, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_value(value: Any) -> str:
    """A value on one line. JSON writes texts, numbers and truth values as TOML does, but for the character 127."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(name)} = {toml_value(entry)}" for name, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
