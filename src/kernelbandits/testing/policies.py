"""Contract of policies and their agents, also of agents that were saved and loaded."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from kernelbandits.environments import LowRank, Synthetic
from kernelbandits.errors import KernelBanditsError
from kernelbandits.kernels import Gaussian
from kernelbandits.policies import Agent, Decision, Policy, distribution
from kernelbandits.problem import Problem
from kernelbandits.saving import load
from kernelbandits.testing.specs import check_refusals, check_spec
from kernelbandits.types import Array, BoolArray


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
    free = _play(agent(), contexts, rounds.means, lambda t: None, np.ones(n_arms, dtype=np.bool_))
    assert plain == free, f"{policy}: a mask of all arms changed a decision; `eligible` is None if all may be played"
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
    check_refusals(
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
        assert 0.0 < choice.propensity <= 1.0, f"round {t}: the propensity {choice.propensity} is not a probability"
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


def _play(
    agent: Agent,
    contexts: Array,
    means: Array,
    hint: Callable[[int], Array | None],
    eligible: BoolArray | None = None,
) -> list[int]:
    """The arms of all rounds, if `hint` says what is prefetched before each."""
    arms = []
    for t, shown in enumerate(contexts):
        if (block := hint(t)) is not None:
            agent.prefetch(block)
        arm = agent.choose(shown, eligible).arm
        agent.observe(shown[arm], arm, float(means[t, arm]))
        arms.append(arm)
    return arms


def _check_mask(policy: Policy, agent: Agent, contexts: Array) -> None:
    n_arms = contexts.shape[1]
    for t, shown in enumerate(contexts):
        allowed = np.arange(n_arms) != t % n_arms
        decision = agent.choose(shown, eligible=allowed)
        assert allowed[decision.arm], f"{policy}: chose arm {decision.arm}, which was not eligible"
        assert 0 < decision.propensity <= 1, f"{policy}: the propensity {decision.propensity} is not a probability"
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


def check_saving(
    policy: Policy, classes: Iterable[type] = (), n_arms: int = 3, dim: int = 4, horizon: int = 40, seed: int = 0
) -> None:
    """Agents of this policy can be saved at any time, and the loaded ones decide the same to the last bit.

    Saved are a new agent, one whose rewards are on their way, and one that prefetched the next rounds. `classes` are
    those that `load` may use: your policy and its learner.
    """
    problem = Problem(n_arms, dim, horizon, noise_std=0.1, reward_norms=np.ones(n_arms))
    contexts = np.random.default_rng(seed).standard_normal((horizon, n_arms, dim))
    agent = policy.start(problem, np.random.default_rng(seed + 1))
    allowed = [*classes]
    with TemporaryDirectory() as folder:
        for start, stop, n_prefetched in ((0, horizon // 2, 0), (horizon // 2, 3 * horizon // 4, 0), (-10, horizon, 6)):
            if n_prefetched:
                agent.prefetch(contexts[start:][:n_prefetched])
            agents = agent, load(agent.save(Path(folder) / "agent.kb"), allowed)
            kept, loaded = (play_on(each, contexts[start:stop]) for each in agents)
            for number, (here, there) in enumerate(zip(kept, loaded, strict=True)):
                assert _bits(here) == _bits(there), (
                    f"{policy}: decision {number} after loading is {there}; without saving it is {here}"
                )


def play_on(agent: Agent, contexts: Array, delay: int = 3) -> list[Decision]:
    """Decide for contexts of shape (T, K, d); rewards come `delay` rounds late, and the last ones not at all."""
    decisions: list[Decision] = []
    for now, shown in enumerate(contexts):
        decisions.append(agent.choose(shown))
        if now >= delay:
            arm, then = decisions[now - delay].arm, contexts[now - delay]
            agent.observe(then[arm], arm, float(np.tanh(then[arm].sum()) + 0.1 * arm))
    return decisions


def _bits(decision: Decision) -> tuple[object, ...]:
    return decision._replace(scores=None), decision.scores.tobytes()  # type: ignore[arg-type]
