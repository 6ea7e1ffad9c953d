"""Which columns of a table are what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.specs import Spec

IDENTIFIERS = ("id", "event_id", "decision_id")
CHANCE = "probability_"


@final
@dataclass(frozen=True, slots=True)
class LogColumns(Spec):
    """The columns of a log. Those of the export of the decision service need no options.

    Columns `probability_…`, one per arm as `kernelbandits score` writes them, are the chances of all arms. Identifiers
    (`id`, `event_id`, `decision_id`) are no features; all other columns are.

    Attributes:
        arm: the arm that was played.
        reward: the reward that it gave, a number.
        propensity: the probability with which it was played; "" if it was not logged: then it is taken from the columns
            `probability_…`, or else estimated from the features.
        time: when the row was written, a time or a number; used if there is such a column.
        eligible: the arms that could be played, a list of names or a text such as "a|b"; used if there is one.
        default_reward: stands for a reward that is missing; None refuses such rows.

    >>> table = {"offer": ["a", "b"], "bought": [1, None], "chance": [0.5, 0.5]}
    >>> read_log(table, LogColumns("offer", "bought", "chance", default_reward=0.0)).rewards
    array([1., 0.])

    See also `read_log`, `Log`, `LogFile`, `replay_log`.
    """

    arm: str = "arm"
    reward: str = "reward"
    propensity: str = "propensity"
    time: str = "time"
    eligible: str = "eligible"
    default_reward: float | None = None

    def _validate(self) -> None:
        needed = [self.arm, self.reward, *([self.propensity] if self.propensity else [])]
        if len(set(needed)) < len(needed):
            raise InvalidArgument(f"arm, reward and propensity must be three columns; got {shown(needed)}")

    def taken(self, known: Sequence[str]) -> tuple[str, ...]:
        """Those columns of a table that are no features."""
        needed = (self.arm, self.reward, *([self.propensity] if self.propensity else []))
        others = (name for name in known if name in (self.time, self.eligible, *IDENTIFIERS) or name.startswith(CHANCE))
        return (*needed, *(name for name in others if name not in needed))
