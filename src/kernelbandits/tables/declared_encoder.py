"""Encoders without a table to fit them to: features whose means, deviations and levels are stated."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kernelbandits.errors import InvalidArgument, counted
from kernelbandits.tables.encoder import Encoder
from kernelbandits.tables.encoding import LEVEL
from kernelbandits.tables.levels import Levels
from kernelbandits.tables.numbered_columns import NumberedColumns

_MISSING = ("", "NaN")


def declared_encoder(numbers: Mapping[str, tuple[float, float]], levels: Mapping[str, tuple[str, ...]]) -> Encoder:
    """Return the encoder of `numbers`, name → (mean, standard deviation), and of categories, name → levels.

    As `Encoding` does, numbers are centred and scaled, a missing one counts as its mean, and each level gets a column
    of 0 and 1; the levels are taken as equally frequent. So ‖x‖²/d is about ½ on average.

    >>> declared_encoder({"age": (40.0, 10.0)}, {"city": ("Rome", "Oslo")}).names
    ('age', 'city = Rome', 'city = Oslo')
    """
    if not numbers and not levels:
        raise InvalidArgument("features: expected at least one number or category; got none")
    p, categories = len(numbers), tuple(Levels(name, tuple(known), 0) for name, known in levels.items())
    labels = [label for known in categories for label in known.names]
    names = (*numbers, *labels)
    means = np.array([mean for mean, _ in numbers.values()])
    shares = np.array([1.0 / len(known.names) for known in categories for _ in known.names])
    shift, factors, center = np.zeros((3, len(names)))
    shift[:p], factors[:] = means, 1.0
    factors[:p] = [1.0 / std for _, std in numbers.values()]
    center[p:] = shares
    size = (p + float(np.sum(shares * (1.0 - shares)))) / len(names)
    columns = NumberedColumns(tuple(numbers), (), means, (), categories, names, ())
    notes = (f"{counted(len(names), 'feature')}, as declared",)
    scale = float(np.sqrt(LEVEL / size))
    kept = np.arange(len(names))
    return Encoder(columns, kept, shift, factors, center, None, scale, names, notes, _MISSING)
