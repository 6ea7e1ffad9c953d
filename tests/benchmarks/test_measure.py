import json
import subprocess
import sys
import time

import numpy as np
import pytest
from benchmarks.bench import bench
from benchmarks.cases import Case, Goal, all_cases
from benchmarks.measure import Timing, exponent, interleave, median_ratio, peak_bytes
from benchmarks.report import measure
from benchmarks.ucb import live, ours, world
from benchmarks.ucb_loops import plain_incremental, scikit_learn

from kernelbandits.errors import InvalidFile, KernelBanditsError


def test_ratios_are_taken_turn_by_turn():
    timings = {"a": Timing((2.0, 20.0, 4.0)), "b": Timing((1.0, 10.0, 1.0))}
    assert median_ratio(timings, "a", "b") == 2.0
    assert timings["a"].median == 4.0
    assert timings["b"].spread == pytest.approx(4.5)


def test_every_contender_gets_its_turns_and_short_ones_run_longer():
    order = []
    timings, answers = interleave({"long": lambda: time.sleep(0.3), "answer": lambda: order.append(1) or 42}, 2, 1)
    assert answers["answer"] == 42
    assert {name: len(timing.seconds) for name, timing in timings.items()} == {"long": 2, "answer": 2}
    assert timings["long"].median > 0.29
    assert len(order) > 100


def test_exponents_and_memory():
    sizes = [100.0, 200.0, 400.0]
    assert exponent(sizes, [3.0 * n**2.5 for n in sizes]) == pytest.approx(2.5)
    assert peak_bytes(lambda: np.ones(1_000_000)) == pytest.approx(8e6, rel=0.01)


def test_unequal_work_is_not_compared():
    case = Case("unequal", "", lambda: {"ours": lambda: np.zeros(2), "other": lambda: np.ones(2)}, same=True)
    with pytest.raises(KernelBanditsError, match="other did not choose the same arms"):
        measure(case, 1)


def test_a_missed_goal_is_told():
    contenders = {"ours": lambda: time.sleep(0.02), "fast": lambda: time.sleep(0.005)}
    measured = measure(Case("slow", "", lambda: contenders, goals=(Goal("fast", 2.0),)), 1)
    assert measured.verdict("fast") == "MISSED (≥ 2)"
    assert measured.ratio("fast") < 0.6


def test_all_sides_of_the_ucb_benchmark_choose_the_same_arms():
    rounds, problem = world(120)
    arms = ours(120)
    assert np.array_equal(live(120), arms)
    assert np.array_equal(plain_incremental(rounds, problem), arms)
    assert np.array_equal(scikit_learn(rounds, problem), arms)


def test_cases_have_names_of_their_own_and_goals_among_their_contenders():
    cases = list(all_cases())
    assert len({case.name for case in cases}) == len(cases)
    known = {"scikit-learn", "BoTorch", "Vowpal Wabbit"}
    for case in cases:
        if case.name in ("batch", "environment"):
            known |= set(case.contenders())
    assert {goal.other for case in cases for goal in case.goals} - known == {
        "plain incremental",
        "numpy, scipy.linalg",
    }


def test_the_command_writes_a_record_and_compares_with_the_last(tmp_path):
    command = [sys.executable, "-m", "benchmarks"]
    options = ["--only", "batch", "--repeats", "1", "--out", str(tmp_path)]
    first = subprocess.run([*command, *options, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(first.stdout) == json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    ratio = json.loads(first.stdout)["cases"]["batch"]["ratio"]["one gemm + exp an arm"]
    again = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    assert f"{ratio:.2f}" in again.stdout
    assert (tmp_path / "bench.png").is_file()


def test_an_unknown_case_names_the_nearest():
    command = [sys.executable, "-m", "benchmarks", "--only", "bach"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.strip() == "kernelbandits: no benchmark is called 'bach'; did you mean 'batch'?"


@pytest.mark.parametrize("content", [None, "", "[]", '{"cases": 1}'])
def test_a_record_to_compare_with_must_be_one(tmp_path, content):
    record = tmp_path / "earlier.json"
    if content is not None:
        record.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"earlier\.json is no record of an earlier run .*; give its bench\.json"):
        bench(("batch",), 1, tmp_path / "out", as_json=False, compare=record)
    assert not (tmp_path / "out").exists()
