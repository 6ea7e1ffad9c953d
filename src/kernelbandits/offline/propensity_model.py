"""Propensities estimated from the log itself, where they were not logged."""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.log import BLOCK, Log
from kernelbandits.offline.reward_models import with_constant
from kernelbandits.offline.split import FOLDS, folds
from kernelbandits.types import Array, BoolArray, IntArray

_RIDGE = 1.0
_MOST = 100_000
"""Rows that a model is fitted to, evenly spaced."""


def with_estimated_propensities(log: Log) -> Log:
    """Return the log with chances of all arms from logistic regressions on the features, and a mark that they are.

    Each row's chances come from a model of the other folds. They are right if the features explain how arms were
    chosen; what the writer knew besides makes every value wrong, and nothing in a log shows it.
    """
    if log.contexts.ndim != 2:
        raise InvalidArgument("propensities can be estimated only where all arms share a context; log them")
    split, chances = folds(len(log), FOLDS), np.empty((len(log), log.n_arms))
    for part in range(split.n_parts):
        others = np.flatnonzero(split.part != part)
        rows = others[:: -(-len(others) // _MOST)]
        coefficients = _fitted(_contexts(log, rows), log.arms[rows], log.n_arms, _eligible(log, rows))
        for start in range(0, len(log), BLOCK):
            own = start + np.flatnonzero(split.part[start : start + BLOCK] == part)
            scores = with_constant(log.contexts[start : start + BLOCK][own - start]) @ coefficients
            mask = _eligible(log, own)
            chances[own] = softmax(scores if mask is None else np.where(mask, scores, -np.inf), axis=1)
    propensities = np.maximum(chances[np.arange(len(log)), log.arms], 1e-12)
    chances[np.arange(len(log)), log.arms] = propensities
    chances /= chances.sum(axis=1, keepdims=True)
    return replace(log, propensities=chances[np.arange(len(log)), log.arms], chances=chances, estimated=True)


def _contexts(log: Log, rows: IntArray) -> Array:
    blocks = []
    for start in range(0, len(log), BLOCK):
        here = rows[(rows >= start) & (rows < start + BLOCK)]
        if len(here):
            blocks.append(log.contexts[start : start + BLOCK][here - start])
    return np.concatenate(blocks)


def _eligible(log: Log, rows: IntArray) -> BoolArray | None:
    return None if log.eligible is None else log.eligible[rows]


def _fitted(X: Array, arms: IntArray, n_arms: int, eligible: BoolArray | None) -> Array:
    """Coefficients of a multinomial logistic regression with a ridge, shape (1 + d, K)."""
    Z, own = with_constant(X), np.eye(n_arms)[arms]
    shape = (Z.shape[1], n_arms)

    def loss(flat: Array) -> tuple[float, Array]:
        coefficients = flat.reshape(shape)
        scores = Z @ coefficients
        if eligible is not None:
            scores = np.where(eligible, scores, -1e300)
        logs = log_softmax(scores, axis=1)
        value = -float(logs[np.arange(len(arms)), arms].sum()) + 0.5 * _RIDGE * float(np.square(coefficients).sum())
        slope = Z.T @ (np.exp(logs) - own) + _RIDGE * coefficients
        return value / len(arms), slope.ravel() / len(arms)

    return np.asarray(minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B").x).reshape(shape)
