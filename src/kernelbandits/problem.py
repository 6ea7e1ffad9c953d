"""What a learner may know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, final

from kernelbandits import arm_checks, checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.specs import Count, NonNegative, conform
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """All that a learner may know before the first round. What is None is not known.

    Attributes:
        n_arms: number of arms K; follows from `arms` if these are given, else it must be stated.
        dim: number of features d of a context; must be stated.
        horizon: number of rounds T.
        noise_std: standard deviation σ of the reward noise (never a variance).
        reward_norms: RKHS norm of each arm's reward function, shape (K,); the paper's CGP-UCB is given these.
        true_means: contexts (K, d) → mean rewards (K,). For `Oracle` alone, which is a yardstick and no learner.
        arms: names of the arms, K different texts; empty if they only have numbers.

    >>> Problem(arms=("no offer", "5 % off", "free delivery"), dim=50).n_arms
    3

    See also `recommend`, `Policy`, `Agent`, `Decision`.
    """

    n_arms: int = 0
    dim: int = 0
    horizon: int | None = None
    noise_std: float | None = None
    reward_norms: Array | None = None
    true_means: Callable[[Array], Array] | None = None
    arms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if type(self.arms) is not tuple or self.arms:
            object.__setattr__(self, "arms", arm_checks.names_of(self.arms))
            object.__setattr__(self, "n_arms", self.n_arms or len(self.arms))
        conform(self.n_arms, Count, "n_arms")
        if self.arms and len(self.arms) != self.n_arms:
            raise InvalidArgument(
                f"arms must be {self.n_arms} names, as n_arms says; got {len(self.arms)}. Leave out n_arms"
            )
        conform(self.dim, Count, "dim")
        conform(self.horizon, Count | None, "horizon")
        object.__setattr__(self, "noise_std", conform(self.noise_std, NonNegative | None, "noise_std"))
        if self.reward_norms is not None:
            norms = checks.finite_array("reward_norms", self.reward_norms, (self.n_arms,), "one norm per arm")
            if norms.min() < 0:
                raise InvalidArgument(f"reward_norms must be at least 0; arm {int(norms.argmin())} has {norms.min()}")
            object.__setattr__(self, "reward_norms", norms)

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it: everything but `true_means`, a function, which only `Oracle` may read."""
        stated = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in stated.items() if name != "true_means"}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Problem:
        """The problem with this state."""
        return cls(**state)

    def called(self, arm: int) -> str:
        """What messages and tables call an arm: its name, or its number if it has none."""
        return self.arms[arm] if self.arms else str(arm)

    def with_another_arm(self, name: str | None = None) -> Problem:
        """The same with one more arm. What was stated of every arm is not known of the new one, so it is left out.

        The new arm needs a name if the others have one.
        """
        if (name is None) == bool(self.arms):
            wanted = "the arms have names: name the new one" if self.arms else "the arms have numbers: give no name"
            raise InvalidArgument(f"name: {wanted}; got {shown(name)}")
        arms = self.arms if name is None else (*self.arms, name)
        return replace(self, n_arms=self.n_arms + 1, reward_norms=None, true_means=None, arms=arms)
