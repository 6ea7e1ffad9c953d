"""One of everything that can be saved, and what each answers next: in the process that saved it and in a new one.

`python restarts.py FOLDER ROUNDS` prints the answers of all bundles in a folder as JSON.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

import examples
import kernelbandits as kb

K, DIM = 3, 5


def world(rounds, seed):
    return np.random.default_rng(seed).standard_normal((rounds, K, DIM))


def rewards(contexts):
    return np.tanh(contexts.sum(axis=-1)) + 0.1 * np.arange(K)


def play(agent, contexts, waiting):
    """What the agent decides; rewards come up to five rounds late, and those still waiting are left in the list."""
    said = []
    for shown, row in zip(contexts, rewards(contexts), strict=True):
        decision = agent.choose(shown)
        said.append(
            [decision.id, decision.arm, decision.propensity, decision.scores.tobytes().hex(), decision.explored]
        )
        waiting.append((shown[decision.arm], decision.arm, float(row[decision.arm])))
        while len(waiting) > 5 - decision.id % 4:
            agent.observe(*waiting.pop(decision.id % 2))
    return said


def follow(tracker, contexts):
    said = []
    for number, (shown, row) in enumerate(zip(contexts, rewards(contexts), strict=True)):
        said.append([part.tobytes().hex() for part in tracker.mean_and_std(shown)])
        tracker.observe(shown[number % K], number % K, float(row[number % K]))
    return said


def answers(path, rounds):
    """What a bundle's thing answers next, as one digest per ten answers."""
    loaded = kb.load(path)
    if path.name.startswith("agent"):
        said = play(loaded["agent"], world(rounds, 2), loaded["waiting"])
    elif path.name.startswith("tracker"):
        said = follow(loaded, world(rounds, 2))
    else:
        said = [loaded.mean(world(rounds, 2)[:, 0]).tobytes().hex()]
    return digests(said)


def digests(said):
    return [sha256(repr(said[start : start + 10]).encode()).hexdigest() for start in range(0, len(said), 10)]


def save_all(folder, rounds_before, rounds):
    """Save agents of all policies, trackers of all beliefs and predictors; returns what those not saved answer."""
    said = {}
    problem = kb.Problem(K, DIM, rounds_before + rounds, noise_std=0.1, reward_norms=(1.0,) * K)
    before, after = world(rounds_before, 1), world(rounds, 2)
    for number, policy in enumerate(p for p in examples.POLICIES if not isinstance(p, kb.Oracle)):
        agent, waiting = policy.start(problem, number), []
        play(agent, before, waiting)
        if number % 3 == 1:
            agent.prefetch(after[:7])
        if number % 3 == 2:
            agent.choose(after[0])
        path = kb.save({"agent": agent, "waiting": waiting}, folder / f"agent-{number}.kb")
        said[path.name] = digests(play(agent, after, waiting))
    for number, belief in enumerate(examples.BELIEFS):
        tracker = belief.start(problem, number)
        follow(tracker, before)
        path = kb.save(tracker, folder / f"tracker-{number}.kb")
        said[path.name] = digests(follow(tracker, after))
    for number, estimator in enumerate(examples.ESTIMATORS):
        predictor = estimator.fit(before[:, 0], rewards(before)[:, 0])
        path = kb.save(predictor, folder / f"predictor-{number}.kb")
        said[path.name] = digests([predictor.mean(after[:, 0]).tobytes().hex()])
    return said


if __name__ == "__main__":
    paths = sorted(Path(sys.argv[1]).glob("*.kb"))
    print(json.dumps({path.name: answers(path, int(sys.argv[2])) for path in paths}))  # noqa: T201
