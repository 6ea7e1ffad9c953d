"""A belief that needs no settings: levels, amplitude, noise, kernel and units come from the rewards seen so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.base import Belief
from kernelbandits.beliefs.calibrated_tracker import CalibratedTracker
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, Positive


@final
@dataclass(frozen=True, slots=True)
class EmpiricalBayes(Belief):
    """f⁽ⁱ⁾ ~ level⁽ⁱ⁾ + GP(0, s² (K + o)), noise of variance s²·r; levels, s, o, r and K are estimated for all arms.

    o is the variance of an arm's own mean. Arms whose means vary by much more than rewards within arms have levels of
    their own (`arm_levels`), so that an arm that pays very differently changes no other. An arm without rewards has the
    mean of all levels. With fewer than two rewards, the deviation of levels between arms adds to its own.

    K is exp(−m t/t̄), or its covariance given that the function is 0 at the mean context (`AnchoredGaussian`), divided
    by 1 − e⁻ᵐ, from m = 4 to m = 1/256, where functions are linear. t is ‖x − z‖²/d, with contexts as they are or with
    every feature in units of its deviation; t̄ is its median over pairs of contexts of one arm. So neither the unit nor
    a shift of contexts matters, nor does it matter much if each feature has a unit of its own. K maximises the marginal
    likelihood, and o and r are geometric means under it (`evidence`), whenever the number of rewards has grown by half,
    and whenever rewards have become much less likely than expected. At most 128 rewards per arm are used for it. The
    amplitude follows every reward, and no single reward moves it far.

    It is light for ever. Beyond 512 rewards of an arm (fewer if arms are very many; none if a horizon of at most 2,048
    rounds is known) posteriors go over to features that all arms share (`SketchedArms`), and beyond some ten thousand
    rewards only sums over them are kept (`BeliefBudget`). An estimate that takes long is made in steps of about 5 ms,
    one with each reward.

    - `window`: only the newest `window` rewards of all arms together count, for rewards that drift. An arm that was not
      played for long is forgotten, so it is tried again. Old rewards are dropped an eighth of the window at a time.
    - `clip`: a reward more than `clip` predicted standard deviations from its prediction is moved to that distance, for
      rewards of which some are wrong. The first rewards are clipped by their median absolute deviation. Rewards that
      are rare by nature (one click in a thousand) are surprises too: do not clip them.

    Rewards may come in any order: without window and clip, estimates at milestones depend on the rewards seen by then
    and not on their order. Amplitudes follow within a few rewards, as they move by at most a factor of three with each.
    With `clip`, a surprise is judged by what was known when it came.

    Cost: O(n² + n d) per reward with n ≤ 512 rewards of its arm, then O(r² + r d) with r features, 256 or 1.5 d; K
    times that per round.

    References: the innovations form of the marginal likelihood, Rasmussen & Williams 2006, ch. 5; clipping, Huber 1964
    and, in the innovations of a filter, Masreliez & Martin 1977.

    Attributes:
        window: how many rewards count, the newest of all arms together, not of each; None for all.
        clip: in predicted standard deviations; a reward farther from its prediction is moved to there; None for never.

    >>> tracker = EmpiricalBayes(window=500, clip=3.0).start(Problem(n_arms=2, dim=1))
    >>> for reward in [1.0, 1.2] * 10:
    ...     tracker.observe(np.ones(1), 0, reward)
    ...     tracker.observe(np.ones(1), 1, reward + 1.0)
    >>> tracker.observe(np.ones(1), 0, 1000.0)  # a wrong reward, which moves the mean little
    >>> tracker.mean_and_std(np.ones((2, 1)))[0].round(1)
    array([1.1, 2.1])

    See also `Belief`, `IndependentArms`, `LinearArms`.
    """

    window: Count | None = None
    clip: Positive | None = None

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> CalibratedTracker:
        return CalibratedTracker(problem, self.window, self.clip)
