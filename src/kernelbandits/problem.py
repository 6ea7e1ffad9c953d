"""What a learner may know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, final

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.specs import NonNegative, conform
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """All that a learner may know before the first round. What is None is not known.

    Attributes:
        n_arms: number of arms K.
        dim: number of features d of a context.
        horizon: number of rounds T.
        noise_std: standard deviation σ of the reward noise (never a variance).
        reward_norms: RKHS norm of each arm's reward function, shape (K,); the paper's CGP-UCB is given these.
        true_means: contexts (K, d) → mean rewards (K,). For `Oracle` alone, which is a yardstick and no learner.

    """

    n_arms: int
    dim: int
    horizon: int | None = None
    noise_std: float | None = None
    reward_norms: Array | None = None
    true_means: Callable[[Array], Array] | None = None

    def __post_init__(self) -> None:
        checks.whole("n_arms", self.n_arms, at_least=1)
        checks.whole("dim", self.dim, at_least=1)
        if self.horizon is not None:
            checks.whole("horizon", self.horizon, at_least=1)
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

    def with_another_arm(self) -> Problem:
        """The same with one more arm. What was stated of every arm is not known of the new one, so it is left out."""
        return replace(self, n_arms=self.n_arms + 1, reward_norms=None, true_means=None)
