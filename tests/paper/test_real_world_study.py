"""The study real-world: what is told to the methods, what is said of the results, and the data sets themselves."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.environments import LabelledPoints
from kernelbandits.paper.data_sets import DIGITS, FROM_FOLDER, write_digits
from kernelbandits.paper.real_world import choices, experiment, findings, methods, reward_norm

DATA = os.environ.get("KERNELBANDITS_DATA_DIR")
needs_data = pytest.mark.skipif(not DATA, reason="KERNELBANDITS_DATA_DIR does not name a folder with the data sets")

EIGHT = list(kb.paper.methods(dim=2))


def results(final):
    """Results of one round with these regrets: {panel: {method: regret of each seed}}."""
    n_seeds = len(next(iter(next(iter(final.values())).values())))
    environment = kb.Synthetic(kb.LowRank(), n_arms=2, dim=2)
    panels = tuple(
        kb.Panel(name, environment, dict.fromkeys(by_method, kb.Uniform())) for name, by_method in final.items()
    )
    grid = kb.Experiment("real-world", panels, horizon=1, seeds=tuple(range(n_seeds)))
    rows = [
        ("real-world", panel, method, seed, 1, 0, float(regret), float(regret))
        for panel, by_method in final.items()
        for method, regrets in by_method.items()
        for seed, regret in enumerate(regrets)
    ]
    columns = ["experiment", "panel", "method", "seed", "round", "arm", "regret", "cumulative_regret"]
    return kb.Results(grid, pl.DataFrame(rows, schema=columns, orient="row"))


def test_findings_name_winners_and_losers():
    noise = np.array([-1.0, 0.0, 1.0, 0.0])
    found = findings(
        results(
            {
                "hard": {"EtC": 50 + noise, "CGP-UCB": 40 + noise, "LinearUCB": 20 + noise, "Uniform": 50 - noise},
                "easy": {"EtC": 10 + noise, "CGP-UCB": 40 + noise, "LinearUCB": 20 + noise, "Uniform": 50 + noise},
                "even": {"EtC": 20 + noise, "CGP-UCB": 20 - noise, "LinearUCB": 20 - noise, "Uniform": 50 + noise},
            }
        )
    )
    assert found == [
        "hard: the paper's eight lose: LinearUCB 20.0 ± 0.4, the best of the eight CGP-UCB 40.0 ± 0.4 (ratio 2.00)",
        "easy: the paper's eight win: EtC 10.0 ± 0.4, the best from outside LinearUCB 20.0 ± 0.4 (ratio 0.50)",
        "even: no clear difference: EtC or CGP-UCB 20.5 ± 0.3 of the eight, "
        "LinearUCB 20.0 ± 0.4 from outside (ratio 1.02)",
        "Against LinearUCB, the best of the paper's eight loses on 1 of 3 data sets (hard) "
        "and wins on 1 of 3 data sets (easy)",
        "Against LinearUCB, EtC loses on 1 of 3 data sets (hard) and wins on 1 of 3 data sets (easy)",
        "Against the best CGP-UCB, EtC loses on 1 of 3 data sets (hard) and wins on 1 of 3 data sets (easy)",
        "hard: no better than playing at random: EtC",
    ]


def test_findings_of_a_part_of_the_methods_say_what_can_be_said():
    assert findings(results({"digits": {"EtC": [3.0, 4.0]}})) == []
    one = findings(results({"digits": {"EtC": [3.0], "LinearUCB": [4.0]}}))
    assert one[0] == "digits: the paper's eight win: EtC 3.0, the best from outside LinearUCB 4.0 (ratio 0.75)"


def test_the_norm_is_that_of_kernel_ridge_fits():
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((60, 5)), rng.integers(3, size=60)
    data = LabelledPoints(X, codes, ("a", "b", "c"), ())
    fits = [kb.KernelRidge(kb.Gaussian(gamma=4.0), ridge=0.1).fit(X, (codes == arm).astype(float)) for arm in range(3)]
    largest = max(fit.norm for fit in fits)
    assert 0 <= reward_norm(data) - largest < 0.1


def test_methods_are_the_eight_and_three_from_outside():
    chosen = methods(dim=64, n_explore=300)
    assert list(chosen) == [*EIGHT, "Uniform", "LinearUCB", "LinearThompsonSampling"]
    assert chosen["EtC"].n_explore == 300
    assert chosen["LinearUCB"] == kb.LinearUCB(alpha=1.0, ridge=64.0)
    assert chosen["LinearThompsonSampling"] == kb.LinearThompsonSampling(scale=0.25, ridge=64.0)


def test_digits_as_an_experiment(tmp_path):
    write_digits(tmp_path)
    first = (tmp_path / DIGITS.file).read_bytes()
    write_digits(tmp_path)
    assert (tmp_path / DIGITS.file).read_bytes() == first
    study = experiment({"digits": DIGITS.environment(tmp_path)}, horizon=40, seeds=2)
    [panel] = study.panels
    assert panel.mark == panel.methods["EtC"].n_explore == 10, "at least one round an arm"
    assert experiment({"digits": DIGITS.environment(tmp_path)}, horizon=100, seeds=2).panels[0].mark == 20, "a fifth"
    problem = panel.environment.draw(0).problem()
    assert (problem.n_arms, problem.noise_std) == (10, 0.0)
    assert 1.0 < problem.reward_norms[0] < 20.0
    assert f"{problem.reward_norms[0]:g} (digits)" in choices(study)[0]
    assert "EtC explored for 10 of 40 rounds" in choices(study)[0]


@needs_data
@pytest.mark.parametrize(
    ("name", "rows", "classes", "dim"),
    [
        ("MNIST", 10_000, 10, 100),
        ("ISOLET", 1560, 26, 100),
        ("mushroom", 8124, 2, None),
        ("adult", 32_561, 2, None),
        ("warfarin", 5528, 3, None),
    ],
)
def test_real_data_sets(name, rows, classes, dim):
    [data] = [data for data in FROM_FOLDER if data.name == name]
    points = data.environment(Path(DATA)).data()
    assert len(points.codes) == rows
    assert len(points.names) == classes
    assert dim is None or points.points.shape[1] == dim
    assert np.mean(np.sum(points.points**2, axis=1)) / points.points.shape[1] == pytest.approx(0.5)
    if name == "warfarin":
        assert np.bincount(points.codes).tolist() == [1495, 3382, 651]
