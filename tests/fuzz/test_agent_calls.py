"""Random calls of agents, many of them wrong: what is refused changes nothing, and decisions are sound.

Every agent has a twin that is spared the calls that were refused. Both must decide alike to the last bit.
"""

import copy
import warnings
from collections import Counter

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import KernelBanditsError, MissingKnowledge
from kernelbandits.policies import distribution

STEEP = [kb.Polynomial(), kb.Exponential(), kb.Linear()]
POLICIES = [
    *examples.POLICIES,
    *(kb.GPUCB(kb.GaussianProcess(kernel, ridge=1.0), kb.ConstantWidth(1.0)) for kernel in STEEP),
    *(kb.GreedyInterpolation(kb.GaussianProcess(kernel, ridge=1e-8)) for kernel in STEEP),
    *(kb.ExploreThenCommit(kb.MinNormInterpolator(kernel), n_explore=12) for kernel in STEEP),
    *(kb.AdaptiveExploreThenCommit(kb.GaussianProcess(kernel, ridge=1e-8), cap=30) for kernel in STEEP),
    *(kb.ThompsonSampling(kb.IndependentArms(kb.GaussianProcess(kernel, ridge=0.1))) for kernel in STEEP),
    *(kb.ThompsonSampling(kb.JointArms(kb.GaussianProcess(kernel, ridge=0.1))) for kernel in STEEP),
    *(kb.CalibratedUCB(kb.BudgetedArms(kb.GaussianProcess(kernel, ridge=0.1), budget=12)) for kernel in STEEP),
    *(kb.CalibratedUCB(kb.HierarchicalBayes(bandwidths=(), kernels=(kernel,))) for kernel in STEEP),
    *(kb.SupKernelUCB(kb.IndependentArms(kb.GaussianProcess(kernel, ridge=0.1))) for kernel in STEEP),
]

NO_REWARDS = [float("nan"), float("inf"), 1e160, 1e-200, 10**400, "1", None, 1j, [1.0], np.datetime64("2026-01-01")]
NO_CONTEXTS = [None, "contexts", [], [[1.0], [1.0, 2.0]], float("nan"), 1e200, [["a"]], object()]
NO_ARMS = [-1, 99, 1.0, "0", None, True]


class Recorded:
    """A learner whose last choice is kept, because a decision does not have the probabilities of all arms."""

    def __init__(self, learner):
        self.learner, self.choice = learner, None

    def decide(self, contexts, eligible):
        self.choice = self.learner.decide(contexts, eligible)
        return self.choice

    def __getattr__(self, name):
        if name.startswith("__") or name == "learner":  # asked before there is a learner, when a copy is made
            raise AttributeError(name)
        return getattr(self.learner, name)


def started(policy, problem, seed):
    agent = policy.start(problem, seed)
    agent._learner = Recorded(agent._learner)
    return agent


class Caller:
    """Makes random calls of an agent and its twin. Contexts, rewards and their sizes differ from caller to caller."""

    def __init__(self, policy, number):
        self.rng = rng = np.random.default_rng(number)
        self.dim, n_arms = int(rng.choice([1, 2, 6])), int(rng.integers(1, 5))
        self.scale, self.offset = rng.choice([1.0, 1.0, 30.0, 1e-9, 1e6]), rng.choice([0.0, 0.0, 1.0, 1e4, 1e9])
        self.unit, self.level = rng.choice([1.0, 1.0, 1e-90, 1e6, 1e90]), rng.choice([0.0, 0.0, 3.0, 1e9])
        self.kind = int(rng.integers(5))
        norms = np.full(n_arms, self.unit)
        horizon = None if rng.random() < 0.3 else 60
        told = {} if rng.random() < 0.5 else {"reward_norms": norms, "true_means": lambda X: X[:, 0]}
        try:
            policy.start(kb.Problem(n_arms, self.dim, horizon, self.unit, **told), 0)
        except MissingKnowledge:
            horizon, told = 60, {"reward_norms": norms, "true_means": lambda X: X[:, 0]}
        self.problem = kb.Problem(n_arms, self.dim, horizon, self.unit, **told)
        self.agent, self.twin = (started(policy, self.problem, number) for _ in range(2))
        self.open, self.last, self.refused = [], None, Counter()

    def contexts(self, *shape):
        rng, shape = self.rng, (*shape, self.dim)
        normal = rng.standard_normal(shape)
        kinds = [
            normal,
            np.zeros(shape),
            np.eye(self.dim)[rng.integers(self.dim, size=shape[:-1])],
            np.round(normal),
            normal * (np.arange(self.dim) > 0) + 1.0,
        ]
        return kinds[self.kind] * self.scale + self.offset

    def reward(self):
        extreme = self.rng.choice([0.0, 1e100, -1e99, 1e-100]) if self.rng.random() < 0.02 else 0.0
        return float(self.level + self.unit * self.rng.standard_normal()) if not extreme else float(extreme)

    def mask(self, *shape):
        mask = self.rng.random(shape) < 0.6
        mask[..., self.rng.integers(shape[-1])] |= ~mask.any(axis=-1)
        return mask if self.rng.random() < 0.5 else None

    @property
    def n_arms(self):
        return self.agent.problem.n_arms

    def both(self, call):
        """The answer of the agent, which the twin must give too; None if the agent refused."""
        answer = call(self.agent)
        other = call(self.twin)
        assert repr(answer) == repr(other), f"a refused call has changed {other} to {answer}"
        return answer

    def choose(self):
        shown, mask = self.contexts(self.n_arms), self.mask(self.n_arms)
        decision = self.both(lambda agent: agent.choose(shown, mask))
        self.check(decision, mask)
        self.last = decision
        self.open.append((shown[decision.arm], decision.arm))

    def check(self, decision, mask):
        allowed = self.agent.active & (True if mask is None else mask)
        chances = distribution(self.agent._learner.choice)
        assert allowed[decision.arm]
        assert not np.isnan(decision.scores).any()
        assert np.isfinite(decision.scores[decision.arm])
        assert 0.0 < decision.propensity <= 1.0
        assert abs(decision.propensity - chances[decision.arm]) < 1e-12
        assert abs(chances.sum() - 1.0) < 1e-12
        assert chances.min() >= 0.0
        assert not chances[~allowed].any()

    def choose_batch(self):
        shown = self.contexts(int(self.rng.integers(1, 4)), self.n_arms)
        mask = self.mask(*shown.shape[:2])
        decisions = self.both(lambda agent: agent.choose_batch(shown, mask))
        allowed = self.agent.active & (np.ones(shown.shape[:2], dtype=bool) if mask is None else mask)
        rows = np.arange(len(shown))
        assert allowed[rows, decisions.arms].all()
        assert np.isfinite(decisions.scores[rows, decisions.arms]).all()
        assert ((decisions.propensities > 0.0) & (decisions.propensities <= 1.0)).all()
        self.open += [(shown[row, arm], arm) for row, arm in enumerate(decisions.arms.tolist())]

    def observe(self):
        """The reward of some decision, sooner or later; now and then once more."""
        if self.open:
            place = int(self.rng.integers(len(self.open)))
            context, arm = self.open[place] if self.rng.random() < 0.1 else self.open.pop(place)
            reward = self.reward()
            self.both(lambda agent: agent.observe(context, arm, reward))

    def observe_anything(self):
        context, arm, reward = self.contexts(), int(self.rng.integers(self.n_arms)), self.reward()
        self.both(lambda agent: agent.observe(context, arm, reward))

    def withdraw(self):
        if self.last is not None:
            self.both(lambda agent: agent.withdraw(self.last))

    def add_arm(self):
        if self.n_arms < 8:
            self.both(lambda agent: agent.add_arm())

    def remove_arm(self):
        arm = int(self.rng.integers(self.n_arms))
        self.both(lambda agent: agent.remove_arm(arm))

    def prefetch(self):
        block = self.contexts(int(self.rng.integers(1, 5)), self.n_arms)
        self.both(lambda agent: agent.prefetch(block))
        if self.rng.random() < 0.5:
            for shown in block:
                decision = self.both(lambda agent: agent.choose(shown))  # noqa: B023
                self.check(decision, None)
                self.open.append((shown[decision.arm], decision.arm))

    def extreme(self):
        """Contexts that are finite, but too large for some kernels: accepted by both, or refused."""
        shown = self.contexts(self.n_arms) * 10.0 ** self.rng.uniform(3, 140)
        if self.rng.random() < 0.5:
            self.both(lambda agent: agent.observe(shown[0], 0, 1.0))
        else:
            self.check(self.both(lambda agent: agent.choose(shown)), None)

    def copy(self):
        """Both, because the last bit of a matrix product depends on where its factors lie in memory."""
        self.agent, self.twin = copy.deepcopy(self.agent), copy.deepcopy(self.twin)

    def wrong(self):
        """A call that must be refused."""
        rng, context = self.rng, self.contexts()
        wrong = [
            lambda: self.agent.observe(context, 0, NO_REWARDS[rng.integers(len(NO_REWARDS))]),
            lambda: self.agent.observe(context, NO_ARMS[rng.integers(len(NO_ARMS))], 1.0),
            lambda: self.agent.observe(np.append(context, 1.0), 0, 1.0),
            lambda: self.agent.observe(np.full(self.dim, rng.choice([np.nan, 1e200])), 0, 1.0),
            lambda: self.agent.choose(NO_CONTEXTS[rng.integers(len(NO_CONTEXTS))]),
            lambda: self.agent.choose(np.full((self.n_arms, self.dim), rng.choice([np.nan, np.inf, 1e200]))),
            lambda: self.agent.choose(self.contexts(self.n_arms), np.zeros(self.n_arms, dtype=bool)),
            lambda: self.agent.choose(self.contexts(self.n_arms), [1] * self.n_arms),
            lambda: self.agent.choose_batch(self.contexts()),
            lambda: self.agent.prefetch(np.full((2, self.n_arms, self.dim), np.nan)),
            lambda: self.agent.withdraw(None),
            lambda: self.agent.remove_arm(NO_ARMS[rng.integers(len(NO_ARMS))]),
        ]
        call = int(rng.integers(len(wrong)))
        try:
            wrong[call]()
        except KernelBanditsError:
            return
        raise AssertionError(f"wrong call {call} was accepted")

    def call(self):
        """One random call; refusals are counted."""
        calls = {
            self.choose: 30,
            self.observe: 30,
            self.observe_anything: 6,
            self.choose_batch: 4,
            self.withdraw: 4,
            self.prefetch: 4,
            self.add_arm: 1,
            self.remove_arm: 1,
            self.copy: 1,
            self.extreme: 1,
            self.wrong: 10,
        }
        chances = np.array([*calls.values()])
        made = list(calls)[self.rng.choice(len(calls), p=chances / chances.sum())]
        try:
            made()
        except KernelBanditsError as error:
            self.refused[made.__name__, str(error)[:60]] += 1


def run(policy, number, n_calls=60):
    """Make calls of one agent, and count those that were refused though they were well-formed."""
    caller = Caller(policy, number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a fit that says how far it got
        try:
            for _ in range(n_calls):
                caller.call()
        except Exception as error:
            error.add_note(f"{policy}, caller {number}")
            raise
    return caller.refused


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_a_few_calls(policy):
    run(policy, POLICIES.index(policy), n_calls=30)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("family", sorted({type(policy).__name__ for policy in POLICIES}))
def test_a_hundred_thousand_calls(family, part):
    policies = [policy for policy in POLICIES if type(policy).__name__ == family]
    for number in range(1000 + part * 170, 1000 + (part + 1) * 170):
        run(policies[number % len(policies)], number)


def test_every_policy_is_called():
    assert examples.exported(kb.Policy) == examples.types_of(POLICIES)
