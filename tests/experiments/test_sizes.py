"""Sizes that no machine has are refused with the field and the estimate, before memory is taken or anything written."""

import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import TooLarge
from small import TOML


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("dim = 20", "dim = 1000000000", "dim = 1,000,000,000 and n_bumps = 50 needs 3.33 TB of memory"),
        ("n_arms = 4", "n_arms = 1000000000", "n_arms = 1,000,000,000, dim = 20 and n_bumps = 50 needs 16.6 TB"),
        ("n_bumps = 50", "n_bumps = 1000000", "n_bumps = 1,000,000 needs 8 TB of memory"),
        ("horizon = 120", "horizon = 100000000000", "horizon = 100,000,000,000 with 4 arms and 20 features"),
        ("horizon = 120", "horizon = 9223372036854775807", "horizon = 9,223,372,036,854,775,807 with 4 arms"),
        ("seeds = 3", "seeds = 9223372036854775807", "a grid with 9,223,372,036,854,775,807 seeds needs 3.32e+08 TB"),
    ],
)
def test_a_size_in_a_file_is_refused_by_name(tmp_path, old, new, message):
    path = tmp_path / "mine.toml"
    path.write_text(TOML.replace(old, new), encoding="utf-8")
    done = run("run", str(path), "--out", "out", "--jobs", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [path]


def test_so_are_the_options_of_the_command(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML, encoding="utf-8")
    for option in ("--seeds", "--horizon"):
        done = run("run", str(path), option, str(10**13), "--out", "out", "--jobs", "1", cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "TB of memory, of which" in done.stderr


def test_results_that_do_not_fit_are_refused_before_the_first_run(tmp_path):
    panel = kb.Panel("p", kb.Synthetic(kb.LowRank(), n_arms=2, dim=2, n_bumps=2), {"Uniform": kb.Uniform()})
    with pytest.raises(
        TooLarge, match=r"1,000,000 runs \(panels × methods × seeds\) of horizon = 10,000,000 needs 1e\+03 TB"
    ):
        kb.run(kb.Experiment("large", (panel,), horizon=10**7, seeds=tuple(range(10**6))), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_python_is_refused_where_memory_would_be_taken():
    with pytest.raises(TooLarge, match=r"dim = 1,000,000,000 and n_bumps = 500 needs"):
        kb.Synthetic(kb.LowRank(), dim=10**9).draw(0)
    with pytest.raises(TooLarge, match="horizon = 1,000,000,000,000 with 2 arms and 3 features"):
        kb.Synthetic(kb.LowRank(), n_arms=2, dim=3).draw(0).rounds(10**12, kb.checks.generator(0))
