"""Contract checks for kernels, estimators, policies and beliefs, also your own, which raise `AssertionError`.

In a test: `def test_my_policy(): check_policy(MyPolicy())`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelbandits.environments import LowRank, Synthetic
from kernelbandits.errors import InvalidArgument, KernelBanditsError
from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.policies import Agent, Policy
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import Spec
from kernelbandits.testing.beliefs import check_belief, check_belief_in_any_order, check_belief_in_any_unit
from kernelbandits.testing.specs import check_spec
from kernelbandits.types import Array


def check_kernel(kernel: Kernel, dim: int = 7, seed: int = 0) -> None:
    """Gram blocks are symmetric, positive semi-definite, exact on the diagonal, and agree with the profile."""
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
    t, step = np.linspace(0.2, 0.9, 8), 1e-5
    for order in () if kernel.geometry is None else (1, 2):  # against central differences
        slope = (kernel.profile(t + step, order - 1) - kernel.profile(t - step, order - 1)) / (2 * step)
        claimed = kernel.profile(t, order)
        assert claimed.shape == t.shape, f"{kernel}: the profile of order {order} changes the shape"
        close = np.allclose(claimed, slope, rtol=1e-6, atol=1e-8 * max(1.0, float(np.abs(slope).max())))
        assert close, f"{kernel}: the derivative of order {order} is not that of order {order - 1}"


def check_estimator(estimator: Estimator[Predictor], dim: int = 4, seed: int = 0) -> None:
    """`fit` leaves its input alone, gives finite predictions of the right shape, and refuses what it cannot use."""
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
    X[3, 1] = np.nan
    _check_refusals(
        estimator,
        {
            "a NaN in X": lambda: estimator.fit(X, y),
            "a short y": lambda: estimator.fit(X_before, y[:-1]),
            "no data": lambda: estimator.fit(X_before[:0], y[:0]),
        },
    )


def check_policy(policy: Policy, n_arms: int = 3, dim: int = 6, horizon: int = 60, seed: int = 0) -> None:
    """The contract of an agent: prefetching changes nothing, masks hold, arms come and go, bad input is refused."""
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
