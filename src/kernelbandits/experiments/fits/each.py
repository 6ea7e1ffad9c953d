"""One fit per arm, on any engine."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import TypeVar

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments.engines import Engine, in_order, local
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.types import ArrayLike

Arm = TypeVar("Arm", bound=Hashable)
P = TypeVar("P", bound=Predictor)


def fit_each(
    estimator: Estimator[P], data: Mapping[Arm, tuple[ArrayLike, ArrayLike]], engine: Engine | None = None
) -> dict[Arm, P]:
    """Fit each arm to its points X, shape (n, d), and rewards y, shape (n,); arms keep the order of `data`.

    >>> fits = fit_each(KernelRidge(Gaussian(), 1.0), {"a": ([[0.0]], [1.0]), "b": ([[1.0]], [2.0])})
    >>> fits["a"].mean([[0.0]]).round(9)
    array([0.5])
    """
    longest_first = sorted(data, key=lambda arm: -len(np.atleast_1d(data[arm][1])))  # else a long fit might start last
    tasks = [(arm, *data[arm]) for arm in longest_first]
    found = dict(zip(longest_first, in_order(engine or local(1), partial(_fit_arm, estimator), tasks), strict=True))
    return {arm: found[arm] for arm in data}


def _fit_arm(estimator: Estimator[P], task: tuple[Arm, ArrayLike, ArrayLike]) -> P:
    arm, X, y = task
    try:
        return estimator.fit(X, y)
    except InvalidArgument as error:
        raise InvalidArgument(f"arm {arm!r}: {error}") from error
