"""Policies that act on a belief: after a few turns of every arm, a rule decides on its means and deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import (
    Belief,
    EmpiricalBayes,
    IndependentArms,
    LearningTracker,
    LinearArms,
    RewardUnits,
    Standardized,
)
from kernelbandits.kernels import Gaussian
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.returning_widths import ReturningWidths
from kernelbandits.policies.rules import Greed, Optimism, Sampling
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Count, CountFromZero, NonNegative, Positive


@final
@dataclass(frozen=True, slots=True)
class CalibratedUCB(Policy):
    """Plays the arm with the largest mean + width · std of the belief; of levels, the quantile 1 − nᵢ/t counts.
    See also `default_policy`, `PolicyAdvice`.

    `GPUCB` needs the RKHS norm and the noise level for its width. Here the belief's deviations have the scale of the
    rewards, so one width suits all problems. In high dimension most of a deviation belongs to the one context and
    cannot be learned away, so ½ is enough: contexts vary, and that explores. What all rewards of an arm have in common,
    its level, is learned for good. If the belief can tell it (`LearningTracker`), its deviation counts with the width
    q = Φ⁻¹(1 − nᵢ/t), for nᵢ of t rewards, so that optimism returns to every arm; the rest with one between both, at
    most `width` · max(q, 1), by how much contexts tell about each other. Each arm has `n_initial` turns first; of arms
    with equally many, the one whose context is nearest to the mean of those shown, whatever the numbers of arms are.

    The choice is certain given the past, so its propensity is 1 (ties apart); use `ThompsonSampling` behind an
    `ExplorationFloor` if logs are to be evaluated later.

    Cost: that of the belief. References: Srinivas et al. 2010, with estimated constants; quantiles as widths, Kaufmann,
    Cappé & Garivier 2012 (Bayes-UCB), with t/nᵢ for t as in Garivier & Cappé 2011 (KL-UCB⁺).

    Attributes:
        belief: how rewards are modelled; the default estimates all it needs from them.
        width: how many standard deviations are added to a mean; q for an arm's level, if the belief can tell it.
        n_initial: turns that every arm has first; 0 for none.

    >>> agent = CalibratedUCB().start(Problem(n_arms=3, dim=50), rng=0)
    >>> [agent.choose(np.zeros(50)).arm for _ in range(3)]  # turns first
    [0, 1, 2]
    """

    belief: Belief = EmpiricalBayes()
    width: NonNegative = 0.5
    n_initial: CountFromZero = 1

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = self.belief.start(problem, *rng.spawn(1))
        if isinstance(tracker, LearningTracker):
            widths = ReturningWidths(tracker, self.width)
            return BelievingLearner(tracker, Optimism(1.0), self.n_initial, problem, rng, widths)
        return BelievingLearner(tracker, Optimism(self.width), self.n_initial, problem, rng)


@final
@dataclass(frozen=True, slots=True)
class ThompsonSampling(Policy):
    """Draws a mean reward of every arm from the belief and plays the arm with the largest draw.

    `scale` multiplies the standard deviations before drawing. The default is ½, because in high dimension much of a
    posterior's deviation at a new context does not shrink, whichever arm is played, and draws at full scale pay for it
    in every round. Each arm has `n_initial` turns first.

    The propensity is exact: the probability that the arm's draw is the largest, by quadrature with an error below
    10⁻¹⁰. Draws of different arms are independent, also if arms share (`JointArms`, `HierarchicalBayes`): propensities
    stay exact, but exploration is wider than with joint draws. For arms that share nine tenths of their function,
    regret was 5 % larger with own contexts per arm and 20 % larger with one context for all arms (seeds 1000–1009).

    Cost: that of the belief, and O(K) per round for the propensity (about 0.1 ms at K = 20). Reference: Thompson 1933;
    for kernels, Chowdhury & Gopalan 2017. See also `default_policy`, `CalibratedUCB`.

    Attributes:
        belief: how rewards are modelled; the default estimates all it needs from them.
        scale: factor of the deviations before drawing; 1 draws from the belief itself.
        n_initial: turns that every arm has first; 0 for none.

    >>> round(ThompsonSampling(n_initial=0).start(Problem(n_arms=4, dim=9), rng=0).choose(np.zeros(9)).propensity, 9)
    0.25
    """

    belief: Belief = EmpiricalBayes()
    scale: Positive = 0.5
    n_initial: CountFromZero = 1

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = self.belief.start(problem, *rng.spawn(1))
        return BelievingLearner(tracker, Sampling(self.scale), self.n_initial, problem, rng)


@final
@dataclass(frozen=True, slots=True)
class GreedyInterpolation(Policy):
    """Gives every arm `n_initial` turns, then always plays argmaxᵢ f̂⁽ⁱ⁾(x⁽ⁱ⁾), the largest interpolated reward.

    `ExploreThenCommit` ignores the rewards after its commitment; here each of them still improves the arm that was
    played. Nothing is explored on purpose: arms that looked poor are played again as soon as a context favours them.
    Where contexts do not vary, an arm may be given up for good.

    The interpolator is the mean of `model` with a ridge so small that it matters for repeated contexts only, whose
    rewards are then averaged. For `rewards` see `IndependentArms`; the constant in the default kernel lets an arm's
    level be corrected by few rewards. The choice is certain given the past, so its propensity is 1 (ties apart).

    Cost: that of `IndependentArms`. Reference: Bastani, Bayati & Khosravi 2021, on greedy play under varying contexts.
    See also `default_policy`, `SuccessiveElimination`.

    Attributes:
        model: kernel of the interpolator, and a noise variance (`ridge`) that should be tiny.
        n_initial: turns that every arm has first.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> agent = GreedyInterpolation(n_initial=1).start(Problem(n_arms=2, dim=50), rng=0)
    >>> for arm in (0, 1):
    ...     agent.observe(np.ones(50), agent.choose(np.ones(50)).arm, reward=float(arm))
    >>> agent.choose(np.ones(50)).arm
    1
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0) + 1.0, ridge=1e-8)
    n_initial: Count = 2
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = IndependentArms(self.model, self.rewards).start(problem)
        return BelievingLearner(tracker, Greed(), self.n_initial, problem, rng)


@final
@dataclass(frozen=True, slots=True)
class LinearUCB(Policy):
    """Ridge regression for every arm; plays the largest θ⁽ⁱ⁾ᵀx⁽ⁱ⁾ + α √(x⁽ⁱ⁾ᵀ(A⁽ⁱ⁾)⁻¹x⁽ⁱ⁾), A⁽ⁱ⁾ = ridge · I + Σ xxᵀ.

    The disjoint LinUCB of Li, Chu, Langford & Schapire (2010), "A contextual-bandit approach to personalized news
    article recommendation", Algorithm 1 (there ridge = 1). `alpha` is the number of standard deviations added to the
    mean. It and `ridge` are in units of the rewards' spread within arms, so that shift and scale of the rewards do not
    matter; with rewards=AsGiven() they are in units of the rewards, as in the reference. See `LinearArms` for
    `intercept`. Features are taken as they are, not divided by √d as in the kernels: ridge = d · λ² here is the ridge
    λ² of `KernelRidge(Linear())`. See also `default_policy`, `GPUCB`.

    Cost per round: O(K d²) to decide, O(d²) to learn, independent of the number of past rounds.

    Attributes:
        alpha: how many standard deviations are added to a mean; 0 never explores on purpose.
        ridge: prior precision of every coefficient of θ; a larger one shrinks θ̂ more.
        intercept: whether a feature that is always 1 is added, so that contexts need none.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> agent = LinearUCB(alpha=0.5).start(Problem(n_arms=3, dim=2), rng=0)
    >>> for arm, reward in enumerate([0.1, 0.2, 1.0] * 3):
    ...     agent.observe([1.0, 0.0], arm % 3, reward)
    >>> agent.choose([1.0, 0.0]).arm
    2
    """

    alpha: NonNegative = 1.0
    ridge: Positive = 1.0
    intercept: bool = True
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = LinearArms(self.ridge, self.intercept, self.rewards).start(problem)
        return BelievingLearner(tracker, Optimism(self.alpha), 0, problem, rng)


@final
@dataclass(frozen=True, slots=True)
class LinearThompsonSampling(Policy):
    """Draws θ⁽ⁱ⁾ ~ N(θ̂⁽ⁱ⁾, scale² (A⁽ⁱ⁾)⁻¹) for every arm and plays the largest θ⁽ⁱ⁾ᵀx⁽ⁱ⁾; A⁽ⁱ⁾ = ridge · I + Σ xxᵀ.

    After Agrawal & Goyal (2013), "Thompson sampling for contextual bandits with linear payoffs" (their v is `scale`),
    with one parameter per arm instead of one for all. A round needs each θ⁽ⁱ⁾ in one direction only, so its projection
    N(θ̂ᵀx, scale² xᵀA⁻¹x) is drawn: the same law without a factor of A. The draws are independent, so the propensity is
    exact, by `largest_probabilities`, to 10⁻¹⁰, also with a mask. See also `default_policy`, `LinearUCB`.

    `scale` and `ridge` are in units of the rewards' spread within arms, so that shift and scale of the rewards do not
    matter. With rewards=AsGiven() they are in units of the rewards: if these have standard deviation σ around a linear
    mean with coefficients N(0, σ²/ridge), scale = σ is the posterior. See `LinearArms` for `intercept`.

    Cost per round: O(K d²) to decide, about 0.1 ms more for the propensity with 20 arms; O(d²) to learn.

    Attributes:
        scale: factor of the deviations before drawing; 0 plays the largest mean.
        ridge: prior precision of every coefficient of θ; a larger one shrinks θ̂ more.
        intercept: whether a feature that is always 1 is added, so that contexts need none.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> agent = LinearThompsonSampling(scale=0.5).start(Problem(n_arms=4, dim=2), rng=0)
    >>> round(agent.choose([1.0, 2.0]).propensity, 9)
    0.25
    """

    scale: NonNegative = 1.0
    ridge: Positive = 1.0
    intercept: bool = True
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = LinearArms(self.ridge, self.intercept, self.rewards).start(problem)
        return BelievingLearner(tracker, Sampling(self.scale), 0, problem, rng)
