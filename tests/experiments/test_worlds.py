"""Random streams of an experiment: one world per environment and seed, and nothing shared between two."""

from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.environments import Classification, Rounds
from kernelbandits.experiments import InProcess, seed_sequence, world

DESIGNS = {
    "low-rank": kb.Synthetic(kb.LowRank(), n_arms=3, dim=10, n_bumps=5),
    "approximate": kb.Synthetic(kb.ApproximateLowRank(), n_arms=3, dim=10, n_bumps=5),
    "decay": kb.Synthetic(kb.SpectralDecay(), n_arms=3, dim=10, n_bumps=5),
    "larger": kb.Synthetic(kb.LowRank(), n_arms=3, dim=20, n_bumps=5),
    "noisier": kb.Synthetic(kb.LowRank(), n_arms=3, dim=10, n_bumps=5, noise_std=0.02),
}


def correlation(x, y):
    return np.corrcoef(x, y)[0, 1]


@pytest.mark.parametrize(("first", "second"), list(combinations(DESIGNS, 2)))
def test_two_environments_have_nothing_in_common(first, second):
    """Noise and contexts of 20 seeds are uncorrelated: within 4 standard deviations of 0."""
    drawn = {"noise": [], "contexts": []}
    for seed in range(20):
        rounds = [world(DESIGNS[name], 100, seed)[1] for name in (first, second)]
        drawn["noise"].append([each.noise for each in rounds])
        drawn["contexts"].append([each.contexts[:, 0, 0] for each in rounds])
    for name, pairs in drawn.items():
        x, y = np.concatenate(pairs, axis=1)
        assert abs(correlation(x, y)) < 4.0 / np.sqrt(2000), name


def test_regrets_on_two_designs_do_not_follow_each_other():
    """Over 60 seeds; with streams keyed by the seed alone their correlation would be 0.97."""
    policy, regrets = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), 12), {}
    for name in ("approximate", "decay"):
        traces = (
            kb.replay(policy, *world(DESIGNS[name], 30, seed)[:2], np.random.default_rng(0)) for seed in range(60)
        )
        regrets[name] = [trace.regrets.sum() for trace in traces]
    assert abs(correlation(regrets["approximate"], regrets["decay"])) < 4.0 / np.sqrt(60)


@dataclass(frozen=True)
class First(kb.Environment):
    """Shows the first number of each stream that it is given: of the problem as dimension, of the rounds as noise."""

    label: str = "a"

    def draw(self, rng):
        return FirstInstance(int(rng.integers(1, 2**40)))


@dataclass(frozen=True)
class FirstInstance(kb.Instance):
    number: int

    def problem(self, horizon=None):
        return kb.Problem(1, self.number)

    def rounds(self, horizon, rng):
        return Rounds(np.zeros((1, 1, 1)), np.zeros((1, 1)), np.array([float(rng.integers(1, 2**40))]))


def test_every_role_seed_and_environment_has_its_own_stream():
    numbers = []
    for label, seed in product("ab", range(3)):
        problem, rounds, new_rng = world(First(label), 1, seed)
        method = new_rng().integers(1, 2**40)
        numbers += [problem.dim, int(rounds.noise[0]), int(method)]
    assert len(set(numbers)) == 2 * 3 * 3


def test_a_world_is_the_same_each_time():
    first, again = (world(DESIGNS["decay"], 20, 5)[1] for _ in range(2))
    assert np.array_equal(first.contexts, again.contexts)
    assert np.array_equal(first.noise, again.noise)


def test_results_do_not_depend_on_the_other_panels(tmp_path):
    panels = tuple(kb.Panel(name, environment, {"Uniform": kb.Uniform()}) for name, environment in DESIGNS.items())
    grid = kb.Experiment("grid", panels, horizon=10, seeds=(0, 1))
    whole = kb.run(grid, tmp_path / "whole", InProcess()).frame
    for part in (panels[2:], panels[::-1][:2], (replace(panels[1], name="renamed"),)):
        frame = kb.run(replace(grid, panels=part), tmp_path / "part", InProcess()).frame
        names = {"renamed": "approximate"} | {panel.name: panel.name for panel in panels}
        for panel in part:
            own = frame.filter(pl.col("panel") == panel.name).drop("panel")
            assert own.equals(whole.filter(pl.col("panel") == names[panel.name]).drop("panel"))


def test_a_data_file_counts_by_its_content(tmp_path):
    rows = "x,y\n" + "".join(f"{i % 7},{'ab'[i % 2]}\n" for i in range(30))
    for name, text in {"one.csv": rows, "moved.csv": rows, "other.csv": rows.replace("6,", "5,")}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    one, moved, other = (
        seed_sequence(Classification(str(tmp_path / f"{name}.csv"), "y"), 0).entropy
        for name in ("one", "moved", "other")
    )
    assert one == moved != other


def test_streams_stay_the_same_from_version_to_version():
    """Else every published figure changes: change these numbers only together with the figures."""
    assert seed_sequence(kb.load_experiment("figure-1").panels[0].environment, 3).entropy == [3, 5189662772189300284]
