import json
import re

import numpy as np
import pytest
from benchmarks.__main__ import bench, chosen, run_cases
from benchmarks.cases import Case, all_cases
from benchmarks.measure import Timing, exponent, interleave, median_ratio, peak_bytes
from benchmarks.report import measure
from benchmarks.ucb import live, ours, plain_incremental, scikit_learn, world

from benchmarks import live_rounds, measure as measuring
from kernelbandits.cli import main
from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.reporting import save


def test_ratios_are_taken_turn_by_turn():
    timings = {"a": Timing((2.0, 20.0, 4.0)), "b": Timing((1.0, 10.0, 1.0))}
    assert median_ratio(timings, "a", "b") == 2.0
    assert timings["a"].median == 4.0
    assert timings["b"].spread == pytest.approx(4.5)


class Clock:
    """A clock that only contenders move: each run takes the seconds it says."""

    def __init__(self):
        self.now, self.runs = 0.0, []

    def perf_counter(self):
        return self.now

    def contender(self, seconds, answer=None):
        def run():
            self.now += seconds
            self.runs.append(seconds)
            return answer

        return run


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measuring, "time", clock)
    return clock


def test_every_contender_gets_its_turns_and_short_ones_run_longer(clock):
    timings, answers = interleave({"long": clock.contender(0.5), "short": clock.contender(0.0625, 42)}, 2, 1)
    assert answers["short"] == 42
    assert clock.runs == [0.5] * 2 + [0.0625] * 2 + ([0.5] + [0.0625] * 4) * 2  # two runs to warm up
    assert timings == {"long": Timing((0.5, 0.5)), "short": Timing((0.0625, 0.0625))}


def test_exponents_and_memory():
    sizes = [100.0, 200.0, 400.0]
    assert exponent(sizes, [3.0 * n**2.5 for n in sizes]) == pytest.approx(2.5)
    assert peak_bytes(lambda: np.ones(1_000_000)) == pytest.approx(8e6, rel=0.01)


def test_unequal_work_is_not_compared():
    case = Case("unequal", "", lambda: {"ours": lambda: np.zeros(2), "other": lambda: np.ones(2)}, same=True)
    with pytest.raises(KernelBanditsError, match="other did not choose the same arms"):
        measure(case, 1)


def test_goals_are_met_or_missed(clock):
    contenders = {"ours": clock.contender(2.0), "fast": clock.contender(1.0), "slow": clock.contender(8.0)}
    goals = {"fast": 2.0, "slow": 4.0, "not installed": 3.0}
    measured = measure(Case("case", "", lambda: contenders, goals=goals), 1)
    assert measured.verdicts == {"fast": "MISSED (≥ 2)", "slow": "met (≥ 4)"}
    assert measured.ratios == {"fast": 0.5, "slow": 4.0}


def test_all_sides_of_the_ucb_benchmark_choose_the_same_arms():
    rounds, problem = world(60)
    arms = ours(60)
    assert np.array_equal(live(60), arms)
    assert np.array_equal(plain_incremental(rounds, problem), arms)
    assert np.array_equal(scikit_learn(rounds, problem), arms)


def test_cases_have_names_of_their_own_and_goals_among_their_contenders():
    cases = list(all_cases())
    assert len({case.name for case in cases}) == len(cases)
    known = {"scikit-learn", "BoTorch", "Vowpal Wabbit"}
    for case in cases:
        if case.name in ("batch", "environment"):
            known |= set(case.contenders())
    assert {other for case in cases for other in case.goals} - known == {
        "bare products",
        "plain incremental",
        "numpy, scipy.linalg",
    }


def test_the_command_writes_a_record(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["--only", "batch", "--repeats", "1", "--out", str(tmp_path), "--json"], command=bench)
    assert not end.value.code
    record = json.loads(capsys.readouterr().out)
    assert record == json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert record["cases"]["batch"]["ratio"]["one gemm + exp per arm"] > 0.0


def test_a_run_is_compared_with_the_last(tmp_path, clock, capsys):
    for seconds in (3.0, 5.0):
        contenders = {"ours": clock.contender(1.0), "other": clock.contender(seconds)}
        case = Case("case", "", lambda contenders=contenders: contenders, facts=lambda: {"points": 7.0})
        run_cases([case], 1, tmp_path, None, quiet=False)
    last = capsys.readouterr().out.rpartition("time of each contender")[2]
    assert re.search(r"5\.00 +3\.00", last)
    assert "case: points: 7" in last
    assert "bench.json, bench.png, bench.svg" in last
    assert (tmp_path / "bench.png").is_file()


def test_an_unknown_case_names_the_nearest(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--only", "bach"], command=bench)
    assert end.value.code == 2
    assert capsys.readouterr().err.strip() == "kernelbandits: no benchmark is called 'bach'; did you mean 'batch'?"


@pytest.mark.parametrize("content", [None, "", "[]", '{"cases": 1}'])
def test_a_record_to_compare_with_must_be_one(tmp_path, content):
    record = tmp_path / "earlier.json"
    if content is not None:
        record.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"earlier\.json is no record of an earlier run .*; give its bench\.json"):
        run_cases(chosen(("batch",)), 1, tmp_path / "out", record, quiet=True)
    assert not (tmp_path / "out").exists()


def test_live_rounds_are_measured_at_every_mark(tmp_path):
    found = live_rounds.live((1000, 2000))
    assert [each.mark for each in found] == [1000, 2000]
    assert all(0.0 < each.median <= each.slow and each.longest > 0.0 for each in found)
    assert found[1].regret < found[0].regret
    assert live_rounds.facts(found)["longest observe of all in ms (goal ≤ 50)"] == max(e.longest for e in found)
    assert all(path.stat().st_size for path in save(live_rounds.picture(found), tmp_path / "live"))


def test_a_study_leaves_its_figures_and_its_picture(tmp_path):
    found = [live_rounds.Stretch(mark, 0.1, 0.2, 3.0, 40.0, 0.01) for mark in (1000, 2000)]
    case = Case("few", "few rounds", study=lambda: ({"rounds": 2000.0}, live_rounds.picture(found)))
    record = run_cases([case], 1, tmp_path, None, quiet=True)
    assert record["cases"]["few"]["facts"] == {"rounds": 2000.0}
    assert (tmp_path / "few.svg").stat().st_size > 1000
