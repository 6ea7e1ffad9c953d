"""Encoders as JSON and back, bit for bit: a float is written with as many digits as tell it from all others."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from kernelbandits.errors import InvalidFile, shown
from kernelbandits.tables.encoder import Encoder
from kernelbandits.tables.levels import Levels
from kernelbandits.tables.numbered_columns import NumberedColumns
from kernelbandits.types import Array

_FORMAT = 1


def encoder_to_json(encoder: Encoder) -> str:
    """Return the encoder as one line of JSON."""
    columns = encoder.columns
    return json.dumps(
        {
            "format": _FORMAT,
            "numerical": columns.numerical,
            "times": columns.times,
            "means": columns.means.tolist(),
            "gaps": columns.gaps,
            "categories": [[levels.column, levels.common, levels.n_pooled] for levels in columns.categories],
            "column_notes": columns.notes,
            "kept": encoder.kept.tolist(),
            "shift": encoder.shift.tolist(),
            "factors": encoder.factors.tolist(),
            "center": encoder.center.tolist(),
            "axes": None if encoder.axes is None else encoder.axes.tolist(),
            "scale": encoder.scale,
            "names": encoder.names,
            "notes": encoder.notes,
            "missing": encoder.missing,
        },
        allow_nan=False,
        ensure_ascii=False,
    )


def encoder_from_json(text: str | bytes) -> Encoder:
    """Return the encoder that was written; raise `InvalidFile` if it is not one, or its parts do not fit together."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"the encoder cannot be read: it is not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        got = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise InvalidFile(f"the encoder cannot be read: expected format {_FORMAT}; got {shown(got)}")
    try:
        return _encoder(data)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        words = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InvalidFile(f"the encoder cannot be read: {words}") from error


def _encoder(data: dict[str, Any]) -> Encoder:
    numerical, times, gaps = (_texts(data, key) for key in ("numerical", "times", "gaps"))
    categories = tuple(_levels(entry) for entry in data["categories"])
    p = len(numerical)
    labels = [name for levels in categories for name in levels.names]
    numbered = (*numerical, *(f"{name} is missing" for name in gaps), *labels)
    if not {*times, *gaps} <= {*numerical}:
        raise ValueError("times and gaps must be numerical columns")
    columns = NumberedColumns(
        numerical, times, _numbers(data, "means", (p,)), gaps, categories, numbered, _texts(data, "column_notes")
    )
    kept = np.array(data["kept"], dtype=np.int64)
    q = len(kept)
    if kept.ndim != 1 or not q or kept.min() < 0 or kept.max() >= len(numbered):
        raise ValueError(f"kept must be positions among {len(numbered)} columns")
    names = _texts(data, "names")
    axes = None if data["axes"] is None else _numbers(data, "axes", (q, len(names)))
    if axes is None and len(names) != q:
        raise ValueError(f"names must be {q}, one per feature; got {len(names)}")
    shift, factors, center = (_numbers(data, key, (q,)) for key in ("shift", "factors", "center"))
    scale = float(_numbers(data, "scale", ()))
    return Encoder(
        columns, kept, shift, factors, center, axes, scale, names, _texts(data, "notes"), _texts(data, "missing")
    )


def _levels(entry: Any) -> Levels:
    column, common, n_pooled = entry
    texts = isinstance(column, str) and isinstance(common, list)
    if not texts or not all(level is None or isinstance(level, str) for level in common):
        raise TypeError(f"categories must have a name and a list of levels; got {shown(entry)}")
    if not isinstance(n_pooled, int) or n_pooled < 0:
        raise TypeError(f"categories must have a number of rare levels; got {shown(n_pooled)}")
    return Levels(column, tuple(common), n_pooled)


def _texts(data: dict[str, Any], key: str) -> tuple[str, ...]:
    texts = data[key]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{key} must be a list of texts; got {shown(texts)}")
    return tuple(texts)


def _numbers(data: dict[str, Any], key: str, shape: tuple[int, ...]) -> Array:
    numbers = np.array(data[key], dtype=float)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise ValueError(f"{key} must be finite numbers of shape {shape}; got shape {numbers.shape}")
    return numbers
