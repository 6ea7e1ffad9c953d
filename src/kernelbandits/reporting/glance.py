"""What a value shows of itself at a glance: one line for `repr`, a small table in a notebook, without scripts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

_FEW, _LONGEST = 6, 90
"""Entries and characters that are shown of a value."""


def short_repr(value: Any) -> str:
    """`Trace(arms=(2000,) int64, …)`: arrays by their shape, long texts and lists by their beginning.

    For dataclasses and named tuples: `__repr__ = short_repr` in the body of the class.
    """
    fields = ", ".join(f"{name}={_words(entry)}" for name, entry in _fields(value))
    return f"{type(value).__name__}({fields})"


def short_html(value: Any) -> str:
    """The same as a table of names and values: `_repr_html_ = short_html` in the body of the class."""
    return facts_html(type(value).__name__, {name: _words(entry) for name, entry in _fields(value)})


def facts_html(title: str, facts: Mapping[str, Any], more: str = "") -> str:
    """A heading, names with their values, and `more` HTML below; every text is escaped."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(str(name))}</th>'
        f'<td style="text-align:left">{escape(fact if isinstance(fact, str) else _words(fact))}</td></tr>'
        for name, fact in facts.items()
    )
    return f"<div><strong>{escape(title)}</strong><table><tbody>{rows}</tbody></table>{more}</div>"


def sparkline(values: Sequence[float] | np.ndarray[Any, Any], label: str) -> str:
    """A curve without axes as inline SVG, for a glance; `label` tells what it is."""
    y = np.asarray(values, dtype=float)
    y = y[np.linspace(0, len(y) - 1, min(len(y), 160)).astype(int)]
    if len(y) < 2 or not np.isfinite(y).all():
        return ""
    low, high = float(y.min()), float(y.max())
    heights = 38.0 - 34.0 * (y - low) / (high - low if high > low else 1.0)
    points = " ".join(f"{x:.1f},{height:.1f}" for x, height in zip(np.linspace(2, 238, len(y)), heights, strict=True))
    return (
        f'<svg width="240" height="40" viewBox="0 0 240 40" role="img" aria-label="{escape(label)}">'
        f'<polyline points="{points}" fill="none" stroke="#0072B2" stroke-width="1.6"/></svg>'
        f"<div><small>{escape(label)}</small></div>"
    )


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        names: Sequence[str] = [field.name for field in dataclasses.fields(value) if field.repr]
    else:
        names = value._fields
    for name in names:
        if not name.startswith("_"):
            yield name, getattr(value, name)


def _words(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and len(value) <= _FEW:
            return "[" + ", ".join(f"{entry:.4g}" if value.dtype.kind == "f" else str(entry) for entry in value) + "]"
        return f"{value.shape} {value.dtype}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        shown = ", ".join(f"{key}: {_words(entry)}" for key, entry in list(value.items())[:_FEW])
        return f"{{{shown}, … {len(value)} in all}}" if len(value) > _FEW else f"{{{shown}}}"
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        shown = ", ".join(map(_words, value[:_FEW]))
        return f"({shown}, … {len(value)} in all)" if len(value) > _FEW else f"({shown})"
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
