"""Sections of texts, pictures and settings."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import final

from kernelbandits.reporting.page import Section


@final
@dataclass(frozen=True, slots=True)
class Note:
    """A remark that must not be overlooked, such as what the data are not."""

    title: str
    text: str

    def body(self) -> str:
        return f'<p class="note">{escape(self.text)}</p>'


@final
@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, a line each."""

    title: str
    lines: tuple[str, ...]

    def body(self) -> str:
        return f'<ul class="findings">{"".join(f"<li>{escape(line)}</li>" for line in self.lines)}</ul>'


@final
@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in SVG, with the words for those who do not see it."""

    title: str
    svg: str
    description: str

    def body(self) -> str:
        # As an image rather than inline: names inside two pictures cannot clash, and nothing in one can run.
        data = base64.b64encode(self.svg.encode()).decode()
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(self.description)}">'
        return f'<div class="scroll picture" tabindex="0" role="group" aria-label="{escape(self.title)}">{image}</div>'


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """Names with their values, such as where results come from."""

    title: str
    facts: Mapping[str, str]

    def body(self) -> str:
        rows = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in self.facts.items())
        return f'<dl class="facts">{"".join(rows)}</dl>'


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """Texts as a program reads them, such as settings in TOML: (heading, remark, text) of each."""

    title: str
    blocks: tuple[tuple[str, str, str], ...]

    def body(self) -> str:
        return f'<div class="listing">{"".join(_block(*block) for block in self.blocks)}</div>'


def _block(name: str, remark: str, text: str) -> str:
    below = f"<p>{escape(remark)}</p>" if remark else ""
    return f"<article><h3>{escape(name)}</h3>{below}<pre>{escape(text)}</pre></article>"


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Sections that belong together, under smaller headings; one without a title has none."""

    title: str
    sections: tuple[Section, ...]

    def body(self) -> str:
        return "".join(_below(section.title) + section.body() for section in self.sections)


def _below(title: str) -> str:
    return f"<h3>{escape(title)}</h3>" if title else ""
