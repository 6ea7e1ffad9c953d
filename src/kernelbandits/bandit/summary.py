"""What a bandit has seen, and whether it is well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, final

from kernelbandits.bandit.calibration import NOMINAL
from kernelbandits.bandit.tally import Tally
from kernelbandits.errors import counted
from kernelbandits.reporting import Column, Drawn, Entry, Table, facts_html, plot, rows_picture

if TYPE_CHECKING:
    from kernelbandits.bandit.bandit import Bandit

_ENOUGH = 50
_TOLERANCE = 0.03


class ArmSummary(NamedTuple):
    """The rewards of one arm.

    Attributes:
        name: of the arm.
        n_rewards: how many were observed.
        mean: of the rewards; None without any.
        error: standard error of the mean; None with fewer than two rewards.
        weighted_mean: mean with weights 1/propensity, an estimate of what the arm gives in all contexts; None without
            rewards, or if a propensity is not known.
        removed: whether it is chosen no more.

    >>> log = {"age": [20, 30, 60, 70], "banner": ["short", "long"] * 2, "clicked": [1, 0, 0, 0]}
    >>> bandit = Bandit(["short", "long"]).fit(log, arm="banner", reward="clicked")
    >>> print(bandit.summary().arms[0])
    ArmSummary(name='short', n_rewards=2, mean=0.5, error=0.5, weighted_mean=None, removed=False)

    See also `Bandit`, `BanditSummary`, `Calibration`, `Ledger`.
    """

    name: str
    n_rewards: int
    mean: float | None
    error: float | None
    weighted_mean: float | None
    removed: bool


@final
@dataclass(frozen=True, slots=True)
class BanditSummary:
    """What `Bandit.summary()` tells; `print` it, or take `to_dict()` for other programs.

    Attributes:
        policy: the policy as Python writes it.
        n_features: number of encoded features; None before there is an encoder.
        created: when the bandit was made, in UTC.
        n_rewards: rewards observed, those of a log included.
        mean_reward: their mean; None without any.
        arms: the rewards of every arm, those of removed arms included.
        n_awaiting: decisions that await their reward.
        awaiting_since: when the oldest of them was made; None if there is none.
        n_forgotten: decisions that were forgotten because the ledger was full.
        calibration: how good past predictions were (`Calibration`).
        health: what should be looked at; empty if nothing is unusual.
        notes: how columns became features.

    >>> bandit = Bandit(["short", "long"], policy=Uniform())
    >>> bandit.summary().health
    ('no reward has been observed',)

    See also `Bandit`, `BanditDecision`, `ArmSummary`, `Calibration`.
    """

    policy: str
    n_features: int | None
    created: datetime
    n_rewards: int
    mean_reward: float | None
    arms: tuple[ArmSummary, ...]
    n_awaiting: int
    awaiting_since: datetime | None
    n_forgotten: int
    calibration: dict[str, Any]
    health: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which any JSON writer takes; times as ISO 8601."""
        plain = asdict(self)
        since = self.awaiting_since
        return plain | {
            "created": self.created.isoformat(timespec="seconds"),
            "awaiting_since": None if since is None else since.isoformat(timespec="seconds"),
            "arms": [arm._asdict() for arm in self.arms],
            "health": list(self.health),
            "notes": list(self.notes),
        }

    def plot(self) -> Drawn:
        """Draw the mean reward of every arm ± its standard error with pyplot; returns the axes."""
        names = [f"{arm.name} ({arm.n_rewards:,})" for arm in self.arms]
        means = [nan if arm.mean is None else arm.mean for arm in self.arms]
        errors = [nan if arm.error is None else arm.error for arm in self.arms]
        return plot(rows_picture("Arms", "mean reward ± standard error", names, means, errors))

    def __repr__(self) -> str:
        seen = f"{len(self.arms)} arms, {self.n_rewards:,} rewards, {self.n_awaiting:,} awaiting"
        return f"BanditSummary({seen}: {'; '.join(self.health) or 'nothing unusual'})"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        facts = {
            "policy": self.policy,
            "features": "no encoder yet" if self.n_features is None else str(self.n_features),
            "rewards": f"{self.n_rewards:,}",
            "awaiting": f"{self.n_awaiting:,}",
            "health": "; ".join(self.health) or "nothing unusual",
        }
        return facts_html("Bandit", facts, self._table().html())

    def _table(self) -> Table:
        rows = [
            (
                arm.name + " (removed)" * arm.removed,
                f"{arm.n_rewards:,}",
                *map(_shown, (arm.mean, arm.error, arm.weighted_mean)),
            )
            for arm in self.arms
        ]
        rows.append(("all", f"{self.n_rewards:,}", _shown(self.mean_reward), "", ""))
        columns = (Column("arm", numeric=False), *map(Column, ("rewards", "mean reward", "± error", "weighted mean")))
        return Table("Arms", columns, tuple(tuple(map(Entry, row)) for row in rows))

    def _lines(self) -> Iterator[str]:
        features = "no encoder yet" if self.n_features is None else counted(self.n_features, "feature")
        yield f"Bandit of {self.created:%Y-%m-%d %H:%M} UTC: {len(self.arms)} arms, {features}"
        yield f"policy {self.policy}"
        yield from (f"features: {note}" for note in self.notes)
        yield from ("", *self._table().lines(), "")
        found = self.calibration
        if found["n"]:
            explained = "–" if found["explained"] is None else f"{found['explained']:.1%}"
            yield (
                f"predictions: {found['n']:,} compared with their reward; they explain {explained} "
                f"of its variance; bias {_shown(found['bias'])} ± {_shown(found['bias_error'])}"
            )
        else:
            yield "predictions: none has been compared with its reward yet"
        if found["coverage"] is not None:
            yield f"{NOMINAL:.0%} intervals covered {found['coverage']:.1%}"
        since = "" if self.awaiting_since is None else f", the oldest since {self.awaiting_since:%Y-%m-%d %H:%M} UTC"
        yield f"awaiting their reward: {self.n_awaiting:,} decisions{since}"
        yield from [f"careful: {line}" for line in self.health] or ["health: nothing unusual"]


def _health_of(arms: tuple[ArmSummary, ...], calibration: dict[str, Any], n_forgotten: int) -> Iterator[str]:
    """Say what should be looked at, one line each."""
    unseen = [arm.name for arm in arms if not arm.n_rewards and not arm.removed]
    if len(unseen) == len(arms):
        yield "no reward has been observed"
    elif unseen:
        yield f"no reward of {', '.join(unseen)} has been observed"
    if n_forgotten:
        yield f"{n_forgotten:,} decisions were forgotten before their reward came: the ledger's capacity is too small"
    n, coverage, bias = calibration["n"], calibration["coverage"], calibration["bias"]
    if n < _ENOUGH or coverage is None:
        return
    if NOMINAL - coverage > _TOLERANCE + 3.0 * sqrt(NOMINAL * (1.0 - NOMINAL) / n):
        yield f"{NOMINAL:.0%} intervals covered only {coverage:.1%}: predictions are less certain than they claim"
    if abs(bias) > 4.0 * calibration["bias_error"] and abs(bias) > 0.1 * calibration["noise_std"]:
        yield f"rewards differ from their predictions by {bias:.3g} on average: do they drift?"
    explained = calibration["explained"]
    if explained is not None and explained < -_TOLERANCE:
        yield f"predictions are worse than the mean reward (R² = {explained:.2f}): contexts tell little, or it drifts"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def summarized(bandit: Bandit) -> BanditSummary:
    """Summarise a bandit, whose lock is held."""
    encoder, tally, ledger = bandit.encoder, bandit._tally, bandit.ledger
    named = enumerate(zip(bandit._problem.arms, bandit._left().tolist(), strict=True))
    arms = tuple(_arm_summary(name, arm, tally, left) for arm, (name, left) in named)
    compared = bandit.calibration.to_dict()
    return BanditSummary(
        policy=repr(bandit.policy),
        n_features=None if encoder is None else encoder.dim,
        created=bandit.created,
        n_rewards=tally.n,
        mean_reward=float(tally.sums.sum()) / tally.n if tally.n else None,
        arms=arms,
        n_awaiting=len(ledger),
        awaiting_since=ledger.since,
        n_forgotten=ledger.n_forgotten,
        calibration=compared,
        health=tuple(_health_of(arms, compared, ledger.n_forgotten)),
        notes=() if encoder is None else encoder.notes,
    )


def _arm_summary(name: str, arm: int, tally: Tally, left: bool) -> ArmSummary:
    n, weight = tally.counts.item(arm), tally.weights.item(arm)
    mean = tally.sums.item(arm) / n if n else None
    error = None
    if mean is not None and n > 1:
        error = sqrt(max(tally.squares.item(arm) / n - mean**2, 0.0) / (n - 1))
    weighted = tally.weighted_sums.item(arm) / weight if weight > 0.0 else None  # NaN: not known
    return ArmSummary(name, n, mean, error, weighted, removed=not left)
