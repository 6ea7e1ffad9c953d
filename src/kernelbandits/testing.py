"""Contract checks for kernels, estimators, policies and beliefs, also your own, which raise `AssertionError`.

In a test: `def test_my_policy(): check_policy(MyPolicy())`.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from kernelbandits.beliefs import Belief, Prefetched, Tracker
from kernelbandits.environments import LowRank, Synthetic
from kernelbandits.errors import InvalidArgument, KernelBanditsError, NotConverged, RidgeTooSmall
from kernelbandits.kernels import Gaussian, Kernel, Radial
from kernelbandits.policies import Agent, Policy, distribution
from kernelbandits.problem import Problem
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import Spec
from kernelbandits.types import Array, BoolArray, IntArray


def check_spec(spec: Spec) -> None:
    """A spec is a value: hashable, equal to its copies, printable as its constructor call, and cannot be changed."""
    copy = pickle.loads(pickle.dumps(spec))
    assert copy == spec, f"{spec} does not equal its pickled copy"
    assert hash(copy) == hash(spec), f"{spec} and its copy hash differently"
    assert repr(spec).startswith(type(spec).__name__), f"{spec!r} does not print as a constructor call"
    for name in getattr(spec, "__dataclass_fields__", {}):
        try:
            setattr(spec, name, None)
        except AttributeError:
            continue
        raise AssertionError(f"{type(spec).__name__}.{name} can be changed; make the dataclass frozen")


def check_kernel(kernel: Kernel, dim: int = 7, seed: int = 0) -> None:
    """Gram blocks are symmetric, positive semi-definite, exact on the diagonal, and agree with the profile.

    At hostile points, such as those far from the origin, values are finite or refused. Distances have no origin.
    """
    check_spec(kernel)
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((12, dim)), rng.standard_normal((5, dim))
    K = kernel(X)
    scale = float(np.abs(K).max())
    assert K.shape == (12, 12), f"{kernel}: K(X) has shape {K.shape}, expected (12, 12)"
    assert kernel(X, Z).shape == (12, 5), f"{kernel}: K(X, Z) has shape {kernel(X, Z).shape}, expected (12, 5)"
    assert np.array_equal(K, K.T), f"{kernel}: K(X) is not symmetric to the last bit"
    assert np.array_equal(K.diagonal(), kernel.diagonal(X)), f"{kernel}: `diagonal` is not the diagonal of K(X)"
    assert np.allclose(kernel(X, X.copy()), K, rtol=1e-12, atol=1e-9 * scale), f"{kernel}: K(X, copy) is not K(X)"
    assert np.allclose(kernel(Z, X), kernel(X, Z).T, rtol=1e-12, atol=1e-13 * scale), (
        f"{kernel}: K(Z, X) is not K(X, Z)ᵀ"
    )
    assert np.allclose(kernel(X, Z[:1]), kernel(X, Z)[:, :1], rtol=1e-12, atol=1e-13 * scale), (
        f"{kernel}: K(X, z) for one point is not the column of K(X, Z)"
    )
    spread = float(np.ptp(kernel.diagonal(10.0 * X)))
    assert not (kernel.stationary and spread), f"{kernel}: says that it is stationary, but K(x, x) varies by {spread:g}"
    smallest = float(np.linalg.eigvalsh(K)[0])
    assert smallest > -1e-10 * scale * len(X), f"{kernel}: K(X) has the negative eigenvalue {smallest:.2e}"
    for name, points in hostile_points(X).items():
        _check_hostile_kernel(kernel, name, points)
    if all(geometry == Radial() for geometry in kernel.geometries):
        _check_distant_kernel(kernel, X)
    t, step = np.linspace(0.2, 0.9, 8), 1e-5
    for order in () if kernel.geometry is None else (1, 2):  # against central differences
        slope = (kernel.profile(t + step, order - 1) - kernel.profile(t - step, order - 1)) / (2 * step)
        claimed = kernel.profile(t, order)
        assert claimed.shape == t.shape, f"{kernel}: the profile of order {order} changes the shape"
        close = np.allclose(claimed, slope, rtol=1e-6, atol=1e-8 * max(1.0, float(np.abs(slope).max())))
        assert close, f"{kernel}: the derivative of order {order} is not that of order {order - 1}"


def hostile_points(X: Array) -> dict[str, Array]:
    """Points as real tables have them, made from n normal ones of shape (n, d), each set with a name."""
    n, d = X.shape
    constant, one_hot, stamped = X.copy(), np.eye(d)[np.arange(n) % d], np.eye(d)[np.arange(n) % d]
    constant[:, -1] = 1e8
    stamped[:, -1] = 1.7e9 + 60.0 * np.arange(n)
    return {
        "an offset of 1e5": X + 1e5,
        "an offset of 1e8": X + 1e8,
        "a constant column of 1e8": constant,
        "a column of timestamps": stamped,
        "one-hot points": one_hot,
        "copies": X[np.arange(n) // 3],
        "two clusters far apart": X + 1e7 * (np.arange(n) % 2)[:, np.newaxis],
        "a scale of 1e-6": 1e-6 * X,
        "a scale of 1e6": 1e6 * X,
        "scales from 1e-6 to 1e6": X * np.logspace(-6, 6, n)[:, np.newaxis],
    }


def _check_hostile_kernel(kernel: Kernel, name: str, X: Array) -> None:
    """Values are finite, of a semi-definite matrix, or refused."""
    try:
        K, block = kernel(X), kernel(X, X[:3].copy())
    except KernelBanditsError:
        return
    for values in (K, block):
        assert np.isfinite(values).all(), f"{kernel}: values at points with {name} are not finite"
    roots = np.sqrt(K.diagonal())
    scaled = K / np.where(roots > 0.0, roots, 1.0) / np.where(roots > 0.0, roots, 1.0)[:, np.newaxis]
    smallest = float(np.linalg.eigvalsh(scaled)[0])
    assert smallest > -1e-10 * len(X), (
        f"{kernel}: K(X) at points with {name} has the negative eigenvalue {smallest:.2e}"
    )


def _check_distant_kernel(kernel: Kernel, X: Array) -> None:
    """A function of distances does not depend on the origin."""
    X = np.round(X * 2.0**20) / 2.0**20  # so that the offsets are added without rounding
    for offset in (1e3, 1e5, 1e7):
        near, far = kernel(X, X[:4]), kernel(X + offset, X[:4] + offset)
        worst = float(np.abs(far - near).max() / np.abs(near).max())
        assert worst < 1e-11 + 1e-15 * offset, f"{kernel}: K(X, Z) changes by {worst:.1e} with an offset of {offset:g}"


def check_estimator(estimator: Estimator[Predictor], dim: int = 4, seed: int = 0) -> None:
    """`fit` leaves its input alone, gives finite predictions of the right shape, and refuses what it cannot use.

    Predictions are also finite, or refused, far from the origin and for other hostile points and large targets.
    """
    check_spec(estimator)
    rng = np.random.default_rng(seed)
    X, y, Z = rng.standard_normal((15, dim)), rng.standard_normal(15), rng.standard_normal((6, dim))
    X_before, y_before = X.copy(), y.copy()
    predictor = estimator.fit(X, y)
    mean = predictor.mean(Z)
    assert np.array_equal(X, X_before), f"{estimator}: fit changed X"
    assert np.array_equal(y, y_before), f"{estimator}: fit changed y"
    assert predictor.dim == dim, f"{estimator}: the predictor says dim={predictor.dim}, expected {dim}"
    assert mean.shape == (6,), f"{estimator}: mean has shape {mean.shape}, expected (6,)"
    assert np.isfinite(mean).all(), f"{estimator}: predictions are not finite"
    assert np.array_equal(estimator.fit(X, y).mean(Z), mean), f"{estimator}: two fits to the same data differ"
    assert not estimator.without_data(dim).mean(Z).any(), f"{estimator}: without data the prediction must be 0"
    for name, points in hostile_points(X).items():
        _check_hostile_fit(estimator, name, points, y)
        _check_hostile_fit(estimator, name, points, 1e4 * y + 1e6)
    X[3, 1] = np.nan
    _check_refusals(
        estimator,
        {
            "a NaN in X": lambda: estimator.fit(X, y),
            "a short y": lambda: estimator.fit(X_before, y[:-1]),
            "no data": lambda: estimator.fit(X_before[:0], y[:0]),
        },
    )


def _check_hostile_fit(estimator: Estimator[Predictor], name: str, X: Array, y: Array) -> None:
    """Predictions are finite, or the data are refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        warnings.simplefilter("ignore", RidgeTooSmall)
        try:
            mean = estimator.fit(X, y).mean(X)
        except KernelBanditsError:
            return
    assert np.isfinite(mean).all(), f"{estimator}: predictions at points with {name} are not finite"


def check_policy(
    policy: Policy, n_arms: int = 3, dim: int = 6, horizon: int = 60, seed: int = 0, invariant: bool = True
) -> None:
    """The contract of an agent: prefetching changes nothing, masks hold, arms come and go, bad input is refused.

    Its decisions are sound (`check_decisions`) also for contexts far from the origin or without information, late
    rewards, and a start from a log; and the same for rewards in any unit and from any origin. Only a policy that states
    quantities in units of the rewards, such as a prior for rewards `AsGiven`, is checked with invariant=False.
    """
    check_spec(policy)
    instance = Synthetic(LowRank(), n_arms=n_arms, dim=dim, n_bumps=20, kernel=Gaussian(gamma=4.0)).draw(
        np.random.default_rng(seed)
    )
    problem = instance.problem(horizon)
    rounds = instance.rounds(horizon, np.random.default_rng(seed + 1))

    def agent() -> Agent:
        return policy.start(problem, np.random.default_rng(seed + 2))

    def wrong_hint(t: int) -> Array | None:
        if t % 5 == 0:
            return contexts[::-1][:9] + (0.0 if t % 2 else 1.0)
        return contexts[t : t + 2] if t % 5 == 2 else None

    contexts = rounds.contexts
    plain = _play(agent(), contexts, rounds.means, lambda t: None)
    for block in (1, 7, horizon):
        ahead = _play(agent(), contexts, rounds.means, lambda t: None if t % block else contexts[t : t + block])  # noqa: B023
        assert plain == ahead, f"{policy}: prefetching {block} rounds changed a decision"
    misled = _play(agent(), contexts, rounds.means, wrong_hint)
    assert plain == misled, f"{policy}: prefetching rounds that do not come changed a decision"
    _check_mask(policy, agent(), contexts)
    _check_removed_arm(policy, agent(), agent(), contexts)
    _check_added_arm(policy, agent(), agent(), contexts)
    rewards = rounds.means + rounds.noise[:, np.newaxis]
    _check_hostile_input(policy, problem, contexts[: horizon // 3], rewards, seed)
    if invariant:
        _check_invariance(policy, problem, contexts, rewards, seed)
    started, good, x = agent(), np.zeros((n_arms, dim)), np.zeros(dim)
    bad = good.copy()
    bad[1, 2] = np.nan
    _check_refusals(
        policy,
        {
            "NaN contexts": lambda: started.choose(bad),
            "a missing arm": lambda: started.choose(good[1:]),
            "a mask without arms": lambda: started.choose(good, eligible=np.zeros(n_arms, dtype=bool)),
            "an arm out of range": lambda: started.observe(x, n_arms, 0.0),
            "an infinite reward": lambda: started.observe(x, 0, float("inf")),
            "a short context": lambda: started.observe(x[1:], 0, 0.0),
        },
    )


def check_decisions(
    agent: Agent, contexts: Array, rewards: Array, eligible: BoolArray | None = None, delay: int = 0
) -> list[int]:
    """Play all rounds, and check that scores are finite and that the probabilities of all arms are as stated.

    Contexts have shape (T, K, d), rewards and masks (T, K); rewards come `delay` rounds late. Returns the arms.
    """
    arms: list[int] = []
    for t, shown in enumerate(contexts):
        mask = np.ones(shown.shape[0], dtype=np.bool_) if eligible is None else eligible[t]
        choice = agent._choose(shown, None if mask.all() else mask)
        chances = distribution(choice)
        finite = np.isfinite(choice.scores[mask]) | (choice.scores[mask] == -np.inf)  # −∞: eliminated
        assert finite.all(), f"round {t}: the scores {choice.scores} are not finite"
        assert mask[choice.arm], f"round {t}: arm {choice.arm} is not eligible"
        assert 0.0 < choice.propensity <= 1.0, f"round {t}: the propensity {choice.propensity} is no probability"
        assert abs(choice.propensity - chances[choice.arm]) < 1e-12, f"round {t}: {choice.propensity} is not {chances}"
        assert abs(chances.sum() - 1.0) < 1e-12, f"round {t}: the probabilities {chances} do not sum to 1"
        assert not chances[~mask].any(), f"round {t}: arms that are not eligible have probabilities {chances}"
        assert chances.min() >= 0.0, f"round {t}: negative probabilities {chances}"
        arms.append(choice.arm)
        if (s := t - delay) >= 0:
            agent.observe(contexts[s, arms[s]], arms[s], float(rewards[s, arms[s]]))
    return arms


def _check_hostile_input(policy: Policy, problem: Problem, contexts: Array, rewards: Array, seed: int) -> None:
    n_rounds, n_arms, _ = contexts.shape
    constant = contexts.copy()
    constant[..., 0] = 1e8
    turns = np.arange(n_rounds) % n_arms
    hostile: dict[str, tuple[Array, int, int]] = {  # contexts, delay, rewards from a log
        "contexts far from the origin": (contexts + 1e7, 0, 0),
        "a constant column": (constant, 0, 0),
        "contexts without information": (np.zeros_like(contexts), 0, 0),
        "late rewards": (contexts, n_rounds // 2, 0),
        "a start from a log": (contexts, 0, n_rounds),
    }
    masks = np.random.default_rng(seed).random((n_rounds, n_arms)) < 0.7
    masks[~masks.any(axis=1)] = True
    for what, (shown, delay, n_logged) in hostile.items():
        agent = policy.start(problem, np.random.default_rng(seed))
        for t, arm in enumerate(turns[:n_logged]):
            agent.observe(shown[t, arm], int(arm), float(rewards[t, arm]))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of a fit that says how far it got
                check_decisions(agent, shown, rewards, masks, delay)
        except AssertionError as error:
            raise AssertionError(f"{policy}: {what}: {error}") from error


def _check_invariance(policy: Policy, problem: Problem, contexts: Array, rewards: Array, seed: int) -> None:
    """Decisions do not depend on the unit of the rewards, nor on where they are counted from."""
    arms = check_decisions(policy.start(problem, np.random.default_rng(seed)), contexts, rewards)
    for scale, shift in ((1e4, 100.0), (1e-6, 0.0)):
        agent = policy.start(_restated(problem, scale, shift), np.random.default_rng(seed))
        restated = check_decisions(agent, contexts, scale * rewards + shift)
        assert arms == restated, (
            f"{policy}: rewards × {scale:g} + {shift:g} changed decision {np.argmin(np.equal(arms, restated))}; if it "
            "states a quantity in units of the rewards, check_policy(…, invariant=False)"
        )


def _restated(problem: Problem, scale: float, shift: float) -> Problem:
    """The problem for rewards · scale + shift."""
    means, noise, norms = problem.true_means, problem.noise_std, problem.reward_norms
    return replace(
        problem,
        noise_std=None if noise is None else scale * noise,
        reward_norms=None if norms is None else scale * norms,
        true_means=None if means is None else lambda contexts: scale * means(contexts) + shift,
    )


def _play(agent: Agent, contexts: Array, means: Array, hint: Callable[[int], Array | None]) -> list[int]:
    """The arms of all rounds, if `hint` says what is prefetched before each."""
    arms = []
    for t, shown in enumerate(contexts):
        if (block := hint(t)) is not None:
            agent.prefetch(block)
        arm = agent.choose(shown).arm
        agent.observe(shown[arm], arm, float(means[t, arm]))
        arms.append(arm)
    return arms


def _check_mask(policy: Policy, agent: Agent, contexts: Array) -> None:
    n_arms = contexts.shape[1]
    for t, shown in enumerate(contexts):
        allowed = np.arange(n_arms) != t % n_arms
        decision = agent.choose(shown, eligible=allowed)
        assert allowed[decision.arm], f"{policy}: chose arm {decision.arm}, which was not eligible"
        assert 0 < decision.propensity <= 1, f"{policy}: the propensity {decision.propensity} is no probability"
        assert decision.scores.shape == (n_arms,), f"{policy}: scores have shape {decision.scores.shape}"
        assert decision.id == t, f"{policy}: decision {t} has the id {decision.id}"
        agent.observe(shown[decision.arm], decision.arm, 0.5)


def _check_removed_arm(policy: Policy, agent: Agent, masked: Agent, contexts: Array) -> None:
    """Removing an arm is the same as never making it eligible."""
    agent.remove_arm(0)
    allowed = np.arange(contexts.shape[1]) > 0
    for shown in contexts:
        arm = masked.choose(np.where(allowed[:, np.newaxis], shown, 0.0), eligible=allowed).arm
        assert agent.choose(shown).arm == arm, f"{policy}: removing an arm is not the same as a mask"
        for each in (agent, masked):
            each.observe(shown[arm], arm, 0.5)


def _check_added_arm(policy: Policy, agent: Agent, spared: Agent, contexts: Array) -> None:
    """A new arm can be chosen and learned from; a policy that refuses it decides as if it had not been asked."""
    n_arms = contexts.shape[1]
    try:
        assert agent.add_arm() == n_arms, f"{policy}: the new arm is not number {n_arms}"
    except KernelBanditsError:
        for shown in contexts:
            arms = {each.choose(shown).arm for each in (agent, spared)}
            assert len(arms) == 1, f"{policy}: refusing an arm changed a decision"
            for each in (agent, spared):
                each.observe(shown[min(arms)], min(arms), 0.5)
        return
    only_new = np.arange(n_arms + 1) == n_arms
    for shown in np.concatenate([contexts, contexts[:, :1]], axis=1):
        decision = agent.choose(shown, eligible=only_new)
        assert decision.arm == n_arms, f"{policy}: chose arm {decision.arm}, but only {n_arms} was eligible"
        assert decision.propensity > 1.0 - 1e-9, f"{policy}: the only eligible arm must be certain"
        arm = agent.choose(shown).arm
        agent.observe(shown[arm], arm, 0.5)
        agent.observe(shown[n_arms], n_arms, 0.5)


def _check_refusals(spec: Spec, attempts: dict[str, Callable[[], object]]) -> None:
    for what, attempt in attempts.items():
        try:
            attempt()
        except InvalidArgument:
            continue
        raise AssertionError(f"{spec}: {what} was accepted")


def check_belief(belief: Belief, n_arms: int = 3, dim: int = 4, seed: int = 0) -> None:
    """The contract of a tracker: usable answers whatever is observed, the same ones with prefetching, and new arms."""
    check_spec(belief)
    data = _Observations.draw(n_arms, dim, seed)
    problem, asked = Problem(n_arms, dim), np.random.default_rng(seed + 1).standard_normal((n_arms, dim))
    _check_answers(belief, problem, data)
    twin, tracker = data.tell(belief.start(problem, rng=seed)), data.tell(belief.start(problem, rng=seed))
    answers = tracker.mean_and_std(asked)
    assert np.array_equal(twin.mean_and_std(asked), answers), f"{belief}: the same seed and rewards, other answers"
    for array in twin.mean_and_std(asked):
        array += 1e3
    assert np.array_equal(twin.mean_and_std(asked), answers), f"{belief}: answers must be new arrays, the caller's own"
    copy = pickle.loads(pickle.dumps(tracker))
    for each in (copy, tracker):
        data.tell(each)
    same = np.allclose(copy.mean_and_std(asked), tracker.mean_and_std(asked), rtol=1e-9, atol=1e-9)
    assert same, f"{belief}: a copy of the tracker does not go on as the original"
    _check_prefetching(belief, problem, data)
    _check_another_arm(belief, problem, data)
    for what, hostile in data.part(np.arange(24)).hostile().items():
        tracker = hostile.tell(belief.start(problem, rng=seed))
        _check_usable(f"{belief}, {what}", tracker, hostile.contexts[: 2 * n_arms].reshape(2, n_arms, dim))
        size = float(np.abs(tracker.mean_and_std(hostile.contexts[:n_arms])[0]).max())
        most = float(np.abs(hostile.rewards).max())
        assert size <= 3.0 * most, f"{belief}, {what}: means up to {size:.2g} for rewards up to {most:.2g}"


def check_belief_in_any_order(belief: Belief, n_arms: int = 3, dim: int = 4, seed: int = 0) -> None:
    """The order in which rewards arrive is forgotten at the latest when their number has grown by half."""
    data, n = _Observations.draw(n_arms, dim, seed), 27
    asked = np.random.default_rng(seed + 1).standard_normal((n_arms, dim))
    apart = np.inf
    for count in range(n, n + n // 2 + 1):
        first, other = (
            data.part(rows).tell(belief.start(Problem(n_arms, dim), rng=seed)).mean_and_std(asked)
            for rows in (np.arange(count), np.random.default_rng(count).permutation(count))
        )
        apart = min(apart, float(np.abs(np.subtract(first, other)).max()))
        if apart < 1e-7:
            return
    raise AssertionError(f"{belief}: {n} to {n + n // 2} rewards in another order change answers by {apart:.2g}")


def check_belief_in_any_unit(belief: Belief, n_arms: int = 3, dim: int = 4, seed: int = 0) -> None:
    """Rewards that are shifted and scaled shift and scale the answers."""
    data, problem = _Observations.draw(n_arms, dim, seed), Problem(n_arms, dim)
    asked = np.random.default_rng(seed + 1).standard_normal((n_arms, dim))
    for count in (n_arms + 2, 29, 42):
        part = data.part(np.arange(count))
        mean, std = part.tell(belief.start(problem, rng=seed)).mean_and_std(asked)
        for scale, shift in ((1e4, 100.0), (1e-6, 0.0), (1.0, -1e4)):
            other = replace(part, rewards=scale * part.rewards + shift)
            moved, wider = other.tell(belief.start(problem, rng=seed)).mean_and_std(asked)
            what = f"{belief}: {count} rewards × {scale:g} + {shift:g}"
            assert np.allclose((moved - shift) / scale, mean, rtol=1e-6, atol=1e-6), f"{what} change means otherwise"
            assert np.allclose(wider / scale, std, rtol=1e-6, atol=1e-6), f"{what} change deviations otherwise"


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Observations:
    """Contexts (n, d), arms (n,) and rewards (n,) in the order of arrival."""

    contexts: Array
    arms: IntArray
    rewards: Array

    @classmethod
    def draw(cls, n_arms: int, dim: int, seed: int) -> _Observations:
        rng, n = np.random.default_rng(seed), 45
        contexts, arms = rng.standard_normal((n, dim)), rng.permutation(np.arange(n) % n_arms)
        return cls(contexts, arms, np.tanh(contexts[:, 0]) + 0.3 * arms + 0.1 * rng.standard_normal(n))

    def part(self, rows: IntArray) -> _Observations:
        return _Observations(self.contexts[rows], self.arms[rows], self.rewards[rows])

    def tell(self, tracker: Tracker) -> Tracker:
        for context, arm, reward in zip(self.contexts, self.arms, self.rewards, strict=True):
            tracker.observe(context, int(arm), float(reward))
        return tracker

    def hostile(self) -> dict[str, _Observations]:
        """Observations that trip up beliefs."""
        X, n = self.contexts, len(self.contexts)
        constant, one_hot = X.copy(), np.eye(X.shape[1])[np.arange(n) % X.shape[1]]
        constant[:, -1] = 1e8
        found = {
            "contexts far from the origin": replace(self, contexts=X + 1e7),
            "a large constant feature": replace(self, contexts=constant),
            "few different contexts": replace(self, contexts=X[np.arange(n) % 5]),
            "one-hot contexts": replace(self, contexts=one_hot),
            "contexts that are all the same": replace(self, contexts=np.ones_like(X)),
            "contexts that are all 0": replace(self, contexts=np.full_like(X, 1e-300)),
            "rewards around 10⁹": replace(self, rewards=self.rewards + 1e9),
            "one arm far below": replace(self, rewards=self.rewards - 3e4 * (self.arms == 0)),
        }
        return found | {f"rewards that are all {y}": replace(self, rewards=np.full(n, y)) for y in (0.0, 0.1, 0.7)}


def _check_usable(who: str, tracker: Tracker, rounds: Array) -> None:
    for shown in rounds:
        mean, std = tracker.mean_and_std(shown)
        assert mean.shape == std.shape == (len(shown),), f"{who}: answers have shapes {mean.shape} and {std.shape}"
        assert np.isfinite(mean).all(), f"{who}: means are not finite: {mean}"
        assert np.isfinite(std).all(), f"{who}: deviations are not finite: {std}"
        assert (std >= 0.0).all(), f"{who}: a deviation is negative: {std}"


def _check_answers(belief: Belief, problem: Problem, data: _Observations) -> None:
    """Answers are usable after every reward."""
    tracker, rounds = belief.start(problem), data.contexts[: problem.n_arms][np.newaxis]
    for row in range(len(data.rewards)):
        _check_usable(f"{belief} after {row} rewards", tracker, rounds)
        data.part(np.array([row])).tell(tracker)


def _check_prefetching(belief: Belief, problem: Problem, data: _Observations) -> None:
    """Rewards come at once, late, twice, and at contexts that were not announced."""
    rng, late = np.random.default_rng(0), []
    plain, ahead = belief.start(problem), belief.start(problem)
    for size in (1, 6, 13):
        block = Prefetched(rng.standard_normal((size, problem.n_arms, problem.dim)))
        ahead.prefetch(block)
        for row, shown in enumerate(block):
            same = np.allclose(plain.mean_and_std(shown), ahead.mean_and_std(shown), rtol=1e-7, atol=1e-8)
            assert same, f"{belief}: prefetching {size} rounds changed an answer"
            arm = int(data.arms[row])
            late.append((shown[arm], arm, float(data.rewards[row])))
            due = [late[-1]] * (1 + row % 2) if row % 3 else [late[0], (data.contexts[row], arm, 0.5)]
            for each in (plain, ahead):
                for context, played, reward in due:
                    each.observe(context, played, reward)
    ahead.prefetch(None)
    shown = data.contexts[: problem.n_arms]
    same = np.allclose(plain.mean_and_std(shown), ahead.mean_and_std(shown), rtol=1e-7, atol=1e-8)
    assert same, f"{belief}: prefetched rounds that were forgotten changed an answer"


def _check_another_arm(belief: Belief, problem: Problem, data: _Observations) -> None:
    """A new arm can be asked about and learned from; a belief that refuses it answers as before."""
    tracker, shown = data.tell(belief.start(problem)), data.contexts[: problem.n_arms + 1]
    before = tracker.mean_and_std(shown[:-1])
    try:
        tracker.add_arm(problem.with_another_arm())
    except KernelBanditsError:
        assert np.array_equal(tracker.mean_and_std(shown[:-1]), before), f"{belief}: refusing an arm changed an answer"
        return
    after = np.array(tracker.mean_and_std(shown))[:, :-1]
    assert np.allclose(after, before, rtol=1e-9, atol=1e-9), f"{belief}: a new arm changed what is known of the others"
    for _ in range(3):
        _check_usable(f"{belief} with another arm", tracker, shown[np.newaxis])
        data.tell(tracker)
        for _ in range(5):
            tracker.observe(shown[-1] + 4.0, problem.n_arms, 5.0)
    mean = tracker.mean_and_std(shown + 4.0)[0]
    assert mean[-1] > 2.0, f"{belief}: where a new arm had rewards of 5, it has the mean {mean[-1]:.2g}"
