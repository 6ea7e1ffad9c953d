"""What was played: arms, rewards and regrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits.reporting import Axis, Chart, Charts, Drawn, Line, Look, Picture, facts_html, plot, sparkline
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    import polars as pl


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Arms, rewards and regrets of T rounds; every array has shape (T,).

    Attributes:
        arms: arm played.
        rewards: reward received, noise included.
        regrets: mean of the best arm minus mean of the played arm (pseudo-regret, without noise).
        propensities: probability with which the policy chose that arm.

    >>> trace = play(Uniform(), Synthetic(LowRank(), n_arms=3, dim=4).draw(np.random.default_rng(0)), 20, rng=1)
    >>> trace.cumulative_regret.shape, float(trace.propensities[0].round(3))
    ((20,), 0.333)
    >>> trace.to_polars().columns
    ['round', 'arm', 'reward', 'regret', 'cumulative_regret', 'propensity']

    See also `play`, `replay`, `lenient_regret`.
    """

    arms: IntArray
    rewards: Array
    regrets: Array
    propensities: Array

    @property
    def cumulative_regret(self) -> Array:
        """R(t) = Σ_{s ≤ t} r(s), shape (T,)."""
        return np.cumsum(self.regrets)

    def to_polars(self) -> pl.DataFrame:
        """One row per round, counted from 1, with the arrays as columns and the cumulative regret."""
        import polars as pl

        columns = {"round": np.arange(1, len(self.arms) + 1), "arm": self.arms, "reward": self.rewards}
        regrets = {"regret": self.regrets, "cumulative_regret": self.cumulative_regret}
        return pl.DataFrame(columns | regrets | {"propensity": self.propensities})

    def plot(self) -> Drawn:
        """Draw the cumulative regret against the round with pyplot; returns the axes, which a notebook shows."""
        line = Line(np.arange(1, len(self.arms) + 1), self.cumulative_regret, Look(2))
        chart = Chart("", (line,), Axis("round", low=0), Axis("cumulative regret", low=0))
        return plot(Picture("Cumulative regret", (Charts((chart,), 1, 3.2),), "cumulative regret", width=5.2))

    def __repr__(self) -> str:
        return f"Trace({', '.join(f'{name} {value}' for name, value in self._facts().items())})"

    def _repr_html_(self) -> str:
        return facts_html("Trace", self._facts(), sparkline(self.cumulative_regret, "cumulative regret"))

    def _facts(self) -> dict[str, str]:
        n = len(self.arms)
        if not n:
            return {"rounds": "0"}
        return {
            "rounds": f"{n:,}",
            "regret": f"{self.regrets.sum():.4g}",
            "mean reward": f"{self.rewards.mean():.4g}",
            "arms played": f"{len(np.unique(self.arms))}",
        }
