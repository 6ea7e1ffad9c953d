"""The study of off-policy evaluation at tiny sizes: worlds whose truth is known, rows, tables, pictures, findings."""

import os

import numpy as np
import polars as pl
import pytest

from command import run
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import InProcess, Runner, RunOptions
from kernelbandits.paper import evaluation
from kernelbandits.paper.evaluation import PICTURES, learning
from kernelbandits.paper.evaluation.coverage import DEFAULT, WORLDS, Coverage, intervals
from kernelbandits.paper.evaluation.errors import BOUND, CASES, ESTIMATORS, Errors, relative_errors
from kernelbandits.paper.evaluation.learning import LearningPolicies
from kernelbandits.paper.evaluation.open_bandit import OpenBandit
from kernelbandits.paper.evaluation.sequences import KINDS, MEANS, SequenceStudy
from kernelbandits.paper.evaluation.writers import Floors, SureWriters
from kernelbandits.reporting import Picture, draw

TINY = {
    "coverage": Coverage(worlds=("plain", "learner, equal arms"), seeds=3),
    "errors": Errors(seeds=1),
    "sequences": SequenceStudy(seeds=2),
    "floors": Floors(floors=(0.01, 0.1), sizes=(800,), seeds=2),
    "learning": LearningPolicies(cases=(("uniform", "EtC, ridge"),), seeds=2),
    "writers": SureWriters(shares=(0.2, 0.5), seeds=2),
}
DATA = os.environ.get("KERNELBANDITS_DATA_DIR")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("study"), InProcess())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "_LIVE_RUNS", 20)
        yield {name: part.rows(runner) for name, part in TINY.items()}
    learning.live_means.cache_clear()


def test_the_study_has_every_part_once():
    names = [part.name for parts in PICTURES.values() for part in parts]
    assert sorted(names) == sorted([*TINY, OpenBandit.name])


@pytest.mark.parametrize("name", TINY)
def test_rows_tables_pictures_and_findings(rows, name):
    part, frame = TINY[name], rows[name]
    assert len(part.table(frame)) > 0
    assert part.title
    assert all(any(character.isdigit() for character in line) for line in part.findings(frame))
    draw(Picture("", (part.charts(frame),), ""))


def test_every_method_estimator_and_kind_is_counted(rows):
    assert set(rows["errors"]["estimator"]) == {*ESTIMATORS, BOUND}
    assert len(rows["sequences"]) == len(KINDS) * len(MEANS)
    assert rows["coverage"].filter(method=DEFAULT)["n"].to_list() == [3, 3]


@pytest.mark.parametrize("name", WORLDS)
def test_the_truth_of_a_world_is_what_its_logs_say(name):
    """Means of w r over some logs, within five standard errors of the truth; the same seeds give the same logs."""
    n_logs = 2 if WORLDS[name].n > 1000 or name.startswith("LinearUCB") else 6
    scores, cases = [], list(WORLDS[name].cases(range(n_logs)))
    first, truth = cases[0], cases[-1].truth
    for case in cases:
        log = case.log
        scores.append(case.chances[np.arange(len(log)), log.arms] / log.propensities * log.rewards)
    every = np.concatenate(scores)
    assert abs(every.mean() - truth) < 5 * every.std() / np.sqrt(len(every))
    again = next(iter(WORLDS[name].cases(range(n_logs))))
    assert np.array_equal(first.log.rewards, again.log.rewards)


def test_intervals_of_a_case_are_named_once():
    case = next(iter(WORLDS["plain"].cases(range(1))))
    names = [name for name, _, _ in intervals(case)]
    assert len(names) == len(set(names))
    assert names[0] == DEFAULT


def test_the_command_keeps_what_it_has(tmp_path):
    words = ["reproduce", "evaluation", "--only", "errors", "--seeds", "1", "--jobs", "1", "--out", str(tmp_path)]
    first = run(*words)
    assert first.returncode == 0, first.stderr
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    assert run(*words).returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()} == kept
    assert pl.read_csv(tmp_path / "errors.csv").height == 4 * 11 + 3


def mean_errors(world, seeds):
    """Mean relative error of every estimator over the first logs of a world."""
    found = pl.DataFrame(relative_errors(world, range(seeds)))
    return dict(found.group_by("estimator").agg(pl.col("error").mean()).iter_rows())


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(world, marks=pytest.mark.slow if "digits" in world else ())
        for world, case in CASES.items()
        if case.published
    ],
)
def test_errors_on_the_published_logs_are_at_most_those_published(world):
    """Weights alone must give the published errors: the logs are the same, up to the version of scikit-learn."""
    case = CASES[world]
    found = mean_errors(world, case.runs)
    names = ("DM", "IPS", "SNIPS", "DR", "SNDR", "Switch-DR", "DRos")
    for name, published in zip(names, case.published, strict=True):
        assert found[name] <= (1.05 if "IPS" in name else 1.0) * published, name
    assert found["IPS"] == pytest.approx(case.published[1], rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("world", CASES)
def test_doubly_robust_is_at_least_as_good_as_weights_or_a_model_alone(world):
    found = mean_errors(world, 200)
    assert found["DR"] <= found["IPS"]
    assert found["DR"] <= found["DM"]


@pytest.mark.skipif(DATA is None, reason="KERNELBANDITS_DATA_DIR is not set")
def test_the_open_bandit_samples_are_valued_beside_what_uniform_choices_earned(tmp_path):
    part = OpenBandit(DATA)
    rows = part.rows(Runner(tmp_path, InProcess()))
    men, women = (rows.filter(campaign=campaign).row(0, named=True) for campaign in ("men", "women"))
    assert men["truth"] == women["truth"] == 0.0046
    assert men["low"] <= men["truth"] <= men["high"]
    assert women["value"] is None
    assert "effective sample size is 2.1" in women["verdict"]
    draw(Picture("", (part.charts(rows),), ""))
    assert len(list(part.findings(rows))) == 2


def test_what_is_not_there_is_left_out_with_a_word(monkeypatch, tmp_path):
    told = []
    monkeypatch.setattr(evaluation, "report_parts", lambda *given: told.append(given[1:3]))
    evaluation.report(RunOptions(tmp_path, InProcess()), tmp_path)
    title, pictures = told[0]
    assert "no file obd_bts_men.csv.gz" in title
    assert set(pictures) == set(PICTURES) - {"e-open-bandit"}
    with pytest.raises(InvalidArgument, match="--data-dir"):
        evaluation.report(RunOptions(tmp_path, InProcess(), only=("open-bandit",)))
