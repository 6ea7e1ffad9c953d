"""An agent that was called wrongly decides afterwards as if it had not been."""

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument

NAN, INF = float("nan"), float("inf")
K, DIM, HORIZON = 3, 4, 50
INSTANCE = kb.Synthetic(kb.ApproximateLowRank(), n_arms=K, dim=DIM, n_bumps=20).draw(np.random.default_rng(0))
PROBLEM = INSTANCE.problem(HORIZON)
ROUNDS = INSTANCE.rounds(HORIZON, np.random.default_rng(1))
GOOD, X = ROUNDS.contexts[0], ROUNDS.contexts[0, 0]


def spoilt(array, value):
    array = array.copy()
    array.flat[-1] = value
    return array


BAD_CALLS = {
    "choose: NaN": (lambda a: a.choose(spoilt(GOOD, NAN)), "contexts must be finite; row 2, column 3 is nan"),
    "choose: infinity": (lambda a: a.choose(spoilt(GOOD, INF)), "contexts must be finite; row 2, column 3 is inf"),
    "choose: both infinities": (
        lambda a: a.choose(spoilt(spoilt(GOOD, INF)[::-1], -INF)),
        "contexts must be finite; row 0, column 3 is inf",
    ),
    "choose: an arm short": (lambda a: a.choose(GOOD[1:]), r"contexts must have shape \(3, 4\).*got shape \(2, 4\)"),
    "choose: a feature short": (
        lambda a: a.choose(GOOD[:, 1:]),
        r"contexts must have shape \(3, 4\).*got shape \(3, 3\)",
    ),
    "choose: a short shared context": (
        lambda a: a.choose(X[1:]),
        r"contexts must have shape \(3, 4\).*got shape \(3,\)",
    ),
    "choose: empty": (lambda a: a.choose([]), r"contexts must have shape \(3, 4\).*got shape \(0,\)"),
    "choose: texts": (lambda a: a.choose([["a"] * DIM] * K), "contexts must hold real numbers"),
    "choose: ragged": (lambda a: a.choose([[1.0], [1.0, 2.0], [1.0]]), "contexts must be a rectangular array"),
    "choose: no arm": (lambda a: a.choose(GOOD, np.zeros(K, dtype=bool)), "eligible must allow at least one arm"),
    "choose: short mask": (lambda a: a.choose(GOOD, [True]), r"eligible must be .* shape \(3,\); got shape \(1,\)"),
    "choose: ragged mask": (
        lambda a: a.choose(GOOD, [[True], [True, False], True]),
        "eligible must be a boolean array",
    ),
    "choose: numbers as mask": (lambda a: a.choose(GOOD, [1, 0, 1]), "eligible must be a boolean array"),
    "observe: NaN": (lambda a: a.observe(spoilt(X, NAN), 0, 1.0), "context must be finite; entry 3 is nan"),
    "observe: all contexts": (lambda a: a.observe(GOOD, 0, 1.0), r"context must have shape \(4,\).*got shape \(3, 4\)"),
    "observe: short": (lambda a: a.observe(X[1:], 0, 1.0), r"context must have shape \(4,\).*got shape \(3,\)"),
    "observe: arm too large": (lambda a: a.observe(X, K, 1.0), "arm must be from 0 to 2; got 3"),
    "observe: arm negative": (lambda a: a.observe(X, -1, 1.0), "arm must be from 0 to 2; got -1"),
    "observe: arm as text": (lambda a: a.observe(X, "0", 1.0), "arm must be a whole number from 0 to 2; got '0'"),
    "observe: arm as float": (lambda a: a.observe(X, 1.0, 1.0), "arm must be a whole number from 0 to 2; got 1.0"),
    "observe: arm as truth": (lambda a: a.observe(X, True, 1.0), "arm must be a whole number from 0 to 2; got True"),
    "observe: reward NaN": (lambda a: a.observe(X, 0, NAN), "reward must be finite; got nan"),
    "observe: reward infinite": (lambda a: a.observe(X, 0, -INF), "reward must be finite; got -inf"),
    "observe: reward beyond floats": (lambda a: a.observe(X, 0, 10**400), "reward must be finite"),
    "observe: reward as text": (lambda a: a.observe(X, 0, "1"), "reward must be a number; got '1'"),
    "observe: no reward": (lambda a: a.observe(X, 0, None), "reward must be a number; got None"),
    "prefetch: NaN": (
        lambda a: a.prefetch(spoilt(ROUNDS.contexts[:5], NAN)),
        "contexts must be finite; round 4, arm 2, column 3 is nan",
    ),
    "prefetch: one context": (
        lambda a: a.prefetch(GOOD[0]),
        r"contexts must have shape \(any, 3, 4\).*got shape \(4,\)",
    ),
    "prefetch: empty": (lambda a: a.prefetch(ROUNDS.contexts[:0]), "contexts must not be empty"),
}


def observe(agent, t, arm):
    agent.observe(ROUNDS.contexts[t, arm], arm, float(ROUNDS.means[t, arm]))


@pytest.mark.parametrize(("call", "words"), BAD_CALLS.values(), ids=BAD_CALLS)
def test_bad_call_is_refused_by_name(call, words):
    with pytest.raises(InvalidArgument, match=f"^{words}"):
        call(kb.Uniform().start(PROBLEM, 0))


def refuse(agent, calls):
    for call, _ in calls:
        with pytest.raises(InvalidArgument):
            call(agent)


@pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)
def test_later_decisions_are_the_same(policy):
    """Bad calls before each decision, after it, and after its reward; in the end each of them at each place.

    Every other ten rounds are prefetched.
    """
    calls = list(BAD_CALLS.values())
    spared, tried = policy.start(PROBLEM, 0), policy.start(PROBLEM, 0)
    for t in range(HORIZON):
        if t % 20 == 10:
            spared.prefetch(ROUNDS.contexts[t : t + 10])
            tried.prefetch(ROUNDS.contexts[t : t + 10])
        refuse(tried, calls[t % 9 :: 9])
        expected, decision = spared.choose(ROUNDS.contexts[t]), tried.choose(ROUNDS.contexts[t])
        refuse(tried, calls[(t + 3) % 9 :: 9])
        for agent in (spared, tried):
            observe(agent, t, expected.arm)
        refuse(tried, calls[(t + 6) % 9 :: 9])
        assert (decision.id, decision.arm, decision.propensity) == (expected.id, expected.arm, expected.propensity)
        assert np.array_equal(decision.scores, expected.scores)


STEEP = kb.GaussianProcess(kb.Exponential(), ridge=0.1)


@pytest.mark.parametrize(
    "policy",
    [
        kb.AdaptiveExploreThenCommit(STEEP),
        kb.ExploreThenCommit(kb.MinNormInterpolator(STEEP.kernel), n_explore=9),
        kb.GreedyInterpolation(STEEP),
        kb.GPUCB(STEEP, kb.ConstantWidth(1.0)),
        kb.ThompsonSampling(kb.JointArms(STEEP)),
        kb.ExplorationFloor(kb.CalibratedUCB(kb.HierarchicalBayes((), (STEEP.kernel,))), epsilon=0.1),
    ],
    ids=repr,
)
def test_contexts_at_which_the_kernel_overflows(policy):
    """Refused where they enter, also in the middle of a batch and in a turn, where no kernel is evaluated."""
    far = ROUNDS.contexts[:4] + 1e3 * (np.arange(4) == 2)[:, np.newaxis, np.newaxis]
    spared, tried = policy.start(PROBLEM, 0), policy.start(PROBLEM, 0)
    calls = [
        lambda agent: agent.choose(far[2]),
        lambda agent: agent.observe(far[2, 0], 0, 1.0),
        lambda agent: agent.choose_batch(far),
        lambda agent: agent.prefetch(far),
    ]
    for t in range(HORIZON):
        for call in calls:
            with pytest.raises(InvalidArgument, match="too large for double precision"):
                call(tried)
        expected, decision = spared.choose(ROUNDS.contexts[t]), tried.choose(ROUNDS.contexts[t])
        assert str(decision) == str(expected)
        for agent in (spared, tried):
            observe(agent, t, expected.arm)
