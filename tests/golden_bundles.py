"""Small bundles of every release, in `tests/data/bundles`, which all later releases must read.

`PYTHONPATH=src python tests/golden_bundles.py` writes those of the release at hand, with what they answer, and leaves
the others as they are. Do so once per release, and never again after it is out: a failing test then means that files of
users no longer load. A class whose fields change must read the old ones, through `to_state` and `from_state`.

An old agent of the default policy decides as the default of today does. Where that has become better on purpose, its
line in the `.json` is written anew; the bundle itself stays as it is.
"""

import json
from pathlib import Path

import numpy as np

import kernelbandits as kb

FOLDER = Path(__file__).parent / "data" / "bundles"
K, DIM = 3, 3
TABLE = {"age": [31.0, 25.0, None, 60.0], "zone": ["north", "south", "north", "east"], "spent": [0.5, 2.0, 1.25, 9.0]}
ROWS = [{"age": 20.0 + 5 * i, "zone": ("north", "west", None)[i % 3], "spent": 0.5 * i} for i in range(12)]
POLICIES = {
    "default": kb.default_policy(),
    "linear-ucb": kb.LinearUCB(alpha=0.5),
    "linear-thompson-sampling": kb.LinearThompsonSampling(scale=0.5),
    "gp-ucb": kb.GPUCB(kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=0.1), kb.ConstantWidth(1.0)),
    "greedy-interpolation": kb.GreedyInterpolation(n_initial=1),
    "explore-then-commit": kb.ExploreThenCommit(kb.KernelRidge(kb.Laplace(), ridge=0.1), n_explore=6),
    "exploration-floor": kb.ExplorationFloor(kb.Uniform(), epsilon=0.1),
}


def world(seed, rounds):
    return np.random.default_rng(seed).standard_normal((rounds, K, DIM))


def play(agent, contexts):
    said = []
    for shown in contexts:
        decision = agent.choose(shown)
        agent.observe(shown[decision.arm], decision.arm, float(np.tanh(shown[decision.arm].sum())))
        said.append([decision.id, decision.arm, decision.propensity])
    return said


def shop_bandit():
    """A bandit with an encoder and named arms, started from a log, whose last decisions await their rewards."""
    bandit = kb.Bandit(["none", "5pct", "gift"], kb.Encoding(rare=1), kb.LinearThompsonSampling(scale=0.5), rng=7)
    log = TABLE | {"offer": ["none", "5pct", "gift", "5pct"], "bought": [0.0, 1.0, 2.5, 0.0]}
    bandit.fit(log, arm="offer", reward="bought")
    waiting = [bandit.choose(row, eligible=["5pct", "gift"]) for row in ROWS[:6]]
    for decision in waiting[::2]:
        bandit.observe(decision.id, reward=1.5)
    return bandit


def rewarded(bandit):
    """What a bandit awaited, and what it decides once those rewards have come."""
    awaited = [[entry.arm, entry.propensity, *entry.context.tolist()] for entry in bandit.ledger]
    for number, entry in enumerate([*bandit.ledger]):
        bandit.observe(entry.id, reward=0.5 * number)
    decisions = [bandit.choose(row) for row in ROWS]
    return awaited + [[bandit.arms.index(each.arm), each.propensity, *each.scores.values()] for each in decisions]


def things():
    for number, (name, policy) in enumerate(POLICIES.items()):
        agent = policy.start(kb.Problem(K, DIM), number)
        play(agent, world(1, 10))
        yield f"{name}-agent", agent
    X = world(3, 8)[:, 0]
    yield "gaussian-process-predictor", kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.1).fit(X, X[:, 0])
    yield "interpolator-predictor", kb.MinNormInterpolator(kb.Gaussian(gamma=2.0) + 1.0).fit(X, X[:, 0])
    yield "nystrom-predictor", kb.Nystrom(kb.Gaussian(), ridge=0.1, n_centers=4).fit(X, X[:, 0])
    yield "table-encoder", kb.Encoding(dim=2).fit(TABLE)
    yield "shop-bandit", shop_bandit()
    yield "thompson-sampling-spec", kb.ThompsonSampling(kb.LinearArms(ridge=2.0), scale=0.25)


def answers(thing):
    """What a thing says, as JSON."""
    if isinstance(thing, kb.Agent):
        return play(thing, world(2, 20))
    if isinstance(thing, kb.Bandit):
        return rewarded(thing)
    if isinstance(thing, kb.Predictor):
        return thing.mean(world(4, 5)[:, 0]).tolist()
    return thing.transform(TABLE).tolist() if isinstance(thing, kb.Encoder) else repr(thing)


def main():
    said = {}
    for name, thing in things():
        kb.save(thing, FOLDER / f"{kb.__version__}-{name}.kb")
        said[name] = answers(thing)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in said.items())
    (FOLDER / f"{kb.__version__}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
