"""Whether a log can answer for every arm: what thinning leaves of each."""

import warnings

import numpy as np
from scipy.special import rel_entr

from kernelbandits import tables
from kernelbandits.errors import InvalidArgument, WeakEvidence
from kernelbandits.offline.log import Log
from kernelbandits.types import Array, BoolArray

TOLERANCE = 0.05
"""The share of rows that may be missing or too many, because logged propensities are rounded or only nearly right."""

FEW_ROUNDS = 30
"""A warning is given if fewer rounds than this are left, though equal propensities would leave more."""

_EXPLORE = (
    "A policy that plays its best guess or takes turns leaves the other arms no chance: let it explore at random "
    "(ExplorationFloor), and log the probabilities with which arms were played"
)


def kept_shares(log: Log, floor: float) -> Array:
    """Return the probability min(1, floor/π) with which each row is kept, shape (n,).

    An arm with a chance of at least the floor in every context is so left with floor · n rows on average, and
    independently of the context.
    """
    return np.minimum(1.0, floor / log.propensities)


def refuse_without_overlap(log: Log, floor: float) -> None:
    """Raise if an arm was never played, or cannot have had a chance of at least the floor in nearly every context.

    Two things tell. Where 1 − π < (K − 1) · floor, some arm had less. And the sum of min(1, floor/π) over the rows of
    an arm has mean floor · n if the arm always had a chance of at least the floor and the propensities are right, also
    in a log by a policy that learns; refused is what then has a probability below 1/1000 for all arms together.
    """
    counts = np.bincount(log.arms, minlength=log.n_arms)
    if missing := np.flatnonzero(counts == 0).tolist():
        raise InvalidArgument(
            f"log: {_named(log, missing)} was never played, so its {len(log)} rows cannot say what it gives; "
            "replay a log in which every arm has a chance"
        )
    sure = _share_without_chance(log, floor)
    if sure > TOLERANCE:
        raise InvalidArgument(
            f"log: in {sure:.0%} of its {len(log)} rows the arm that was played left the others together a chance "
            f"below {log.n_arms - 1} × {floor:.3g}, so the log cannot say what they would have given: "
            f"{_mean_inverse(log)}. {_EXPLORE}"
        )
    wrong = _implausible(log, floor, evidence=float(np.log(2000.0 * log.n_arms)))
    if wrong.any():
        left = np.bincount(log.arms, kept_shares(log, floor))
        dues = floor * len(log) * _eligible_shares(log)
        arm = int(np.where(wrong, np.abs(left - dues), 0.0).argmax())
        due = dues[arm]
        advice = _EXPLORE if left[arm] < due else "It was played more often than the propensities say"
        raise InvalidArgument(
            f"log: thinned to equal propensities of {floor:.3g}, {_named(log, [arm])} should have about {due:.0f} of "
            f"{len(log)} rows; it has {left[arm]:.0f}, so the log cannot say what it would have given, or its "
            f"propensities are wrong: {_mean_inverse(log)}. {advice}"
        )


def warn_of_loss(log: Log, floor: float) -> None:
    """Warn if small propensities cost most rounds: if a floor of twice as much loses no arm, or few rounds are left."""
    n = len(log)
    quantiles = np.unique(np.quantile(log.propensities, np.linspace(0.0, 1.0, 21)))[::-1]
    higher = next((q for q in quantiles if q >= 2.0 * floor and _seems_covered(log, q)), None)
    few = floor * n < FEW_ROUNDS and 2.0 * floor * log.n_arms < 1.0
    if higher is not None or few:
        remedy = "no higher floor seems to keep every arm; use a log in which arms have larger chances"
        if higher is not None:
            remedy = (
                f"floor={higher:.3g} would leave about {higher * n:.0f}, with too few of those in which the policy "
                "plays an arm that had a smaller chance"
            )
        warnings.warn(
            f"replay_log: the smallest propensity, {floor:.3g} in row {int(log.propensities.argmin())}, leaves about "
            f"{floor * n:.0f} of {n} rows; {remedy}",
            WeakEvidence,
            stacklevel=3,
        )


def _seems_covered(log: Log, floor: float) -> bool:
    """Return whether nothing speaks against a chance of at least the floor for every arm, by a stricter test."""
    implausible = _implausible(log, floor, evidence=float(np.log(4.0 * log.n_arms)))
    return _share_without_chance(log, floor) <= TOLERANCE and not implausible.any()


def _implausible(log: Log, floor: float, evidence: float) -> BoolArray:
    """Return for each arm whether exp(−evidence) bounds the probability of what the log has of it, shape (K,).

    Chernoff: a sum of n terms in [0, 1] of mean p is as far from np as nq with probability at most exp(−n KL(q, p)).
    """
    q = np.bincount(log.arms, kept_shares(log, floor), minlength=log.n_arms) / len(log)
    due = floor * _eligible_shares(log)
    p = np.clip(q, (1.0 - TOLERANCE) * due, np.minimum(1.0, (1.0 + TOLERANCE) * due))
    divergence = rel_entr(q, p) + rel_entr(1.0 - q, 1.0 - p)
    return np.asarray(len(log) * divergence > evidence)


def _share_without_chance(log: Log, floor: float) -> float:
    """Return the share of rows in which some arm surely had a chance below the floor: all chances sum to 1."""
    others = (log.n_arms if log.eligible is None else log.eligible.sum(axis=1)) - 1
    return float(np.mean(1.0 - log.propensities < (1.0 - TOLERANCE) * others * floor))


def _eligible_shares(log: Log) -> Array:
    """The share of rows in which each arm could be played, shape (K,)."""
    return np.ones(log.n_arms) if log.eligible is None else np.asarray(log.eligible.mean(axis=0))


def _mean_inverse(log: Log) -> str:
    mean = float(np.mean(1.0 / log.propensities))
    due = float(_eligible_shares(log).sum())
    return f"the mean of 1/propensity is {mean:.3g} and should be the number of arms, {due:.3g}"


def _named(log: Log, arms: list[int]) -> str:
    return "arm " + tables.some([f"{arm} ({log.names[arm]})" if log.names else str(arm) for arm in arms], most=5)
