"""Fits from files: the same as from arrays, one pass for all arms, bounded memory, clear refusals, a progress bar."""

import os
import pty
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile, UnscaledColumns
from kernelbandits.experiments.fits import RowSample


def table(n=900, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(d)})
    arms = rng.choice(["left", "right", "wait"], n)
    return frame.with_columns(reward=np.sin(X.sum(axis=1)), arm=pl.Series(arms), note=pl.Series(["–"] * n))


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("kernelbandits.tables.table_blocks._BLOCK_VALUES", 1100)  # 275 rows, four blocks


def write(frame, path):
    if path.name.endswith(".parquet"):
        frame.write_parquet(path)
    else:
        frame.write_csv(path)
    return path


ESTIMATOR = kb.Nystrom(kb.Gaussian(), ridge=0.1, n_centers=200)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
def test_a_fit_from_a_file_is_the_fit_to_its_rows(name, tmp_path, small_blocks):
    frame = table()
    path = write(frame, tmp_path / name)
    fit = kb.fit_table(ESTIMATOR, path, reward_column="reward", drop=["arm", "note"])
    X, y = frame.select("x0", "x1", "x2").to_numpy(), frame["reward"].to_numpy()
    assert np.allclose(fit.mean(X), ESTIMATOR.fit(X, y).mean(X), atol=1e-6)
    assert fit.report.n == 900


def test_one_pass_fits_every_arm(tmp_path, small_blocks):
    frame = table()
    path = write(frame, tmp_path / "rows.parquet")
    every = kb.Nystrom(kb.Laplace(), ridge=0.1, n_centers=900)
    fits = kb.fit_arms(every, path, arm_column="arm", reward_column="reward", columns=["x0", "x2"])
    assert list(fits) == ["left", "right", "wait"]
    for arm, fit in fits.items():
        own = frame.filter(pl.col("arm") == arm)
        X, y = own.select("x0", "x2").to_numpy(), own["reward"].to_numpy()
        assert np.allclose(fit.mean(X), kb.KernelRidge(kb.Laplace(), 0.1).fit(X, y).mean(X), atol=1e-8)


def test_the_sample_is_uniform():
    counts = np.zeros(60)
    for seed in range(600):
        sample, rng = RowSample(10), np.random.default_rng(seed)
        for start in (0, 5, 25, 55):
            stop = {0: 5, 5: 25, 25: 55, 55: 60}[start]
            sample.add(np.arange(start, stop, dtype=float)[:, np.newaxis], rng)
        chosen = sample.rows[:, 0].astype(int)
        assert len(set(chosen)) == 10
        assert list(chosen) == sorted(chosen)
        counts[chosen] += 1
    assert np.abs(counts / 100 - 1.0).max() < 0.45


def test_a_type_that_shows_late_in_a_csv_is_read(tmp_path):
    rows = "\n".join(["1,2"] * 1500 + ["0.5,2.5"])
    path = tmp_path / "late.csv"
    path.write_text(f"x,reward\n{rows}\n", encoding="utf-8")
    assert kb.fit_table(ESTIMATOR, path, reward_column="reward").report.n == 1501


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda f: f, {"reward_column": "rewards"}, "no column 'rewards'; did you mean 'reward'"),
        (lambda f: f, {"reward_column": "reward"}, "column 'arm' is not numeric"),
        (lambda f: f.head(0), {"reward_column": "reward", "columns": ["x0"]}, "no rows"),
        (lambda f: f.select("reward"), {"reward_column": "reward"}, "no column left as a feature"),
        (
            lambda f: f.with_columns(x1=pl.when(pl.int_range(pl.len()) == 700).then(None).otherwise(pl.col("x1"))),
            {"reward_column": "reward", "columns": ["x0", "x1"]},
            "row 701 .the first below the header is 1., column 'x1' is empty",
        ),
        (
            lambda f: f.with_columns(
                reward=pl.when(pl.int_range(pl.len()) == 600).then(float("inf")).otherwise(pl.col("reward"))
            ),
            {"reward_column": "reward", "columns": ["x0", "x1"]},
            "row 601 .the first below the header is 1., column 'reward' is inf",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(change, options, words, tmp_path, small_blocks):
    path = write(change(table()), tmp_path / "rows.parquet")
    with pytest.raises(InvalidFile, match=words):
        kb.fit_table(ESTIMATOR, path, **options)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("rows.txt", b"x", "ends in"), ("rows.csv", b"", "is empty"), ("rows.parquet", b"no", "cannot be read")],
)
def test_what_is_no_table_is_refused(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFile, match=words):
        kb.fit_table(ESTIMATOR, tmp_path / name, reward_column="reward")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidFile, match="no such file"):
        kb.fit_table(ESTIMATOR, tmp_path / "rows.parquet", reward_column="reward")


_WITH_BAR = """
import sys
import kernelbandits as kb
from kernelbandits.reporting import progress
from kernelbandits.tables import table_blocks
progress.PATIENCE = 0.0
table_blocks._BLOCK_VALUES = 1100
kb.fit_table(kb.Nystrom(kb.Gaussian(), 0.1, 50), sys.argv[1], reward_column="reward", drop=["arm", "note"])
"""


def test_a_long_fit_shows_a_bar_on_a_terminal_and_nothing_in_a_log(tmp_path):
    path = write(table(), tmp_path / "rows.parquet")
    command = [sys.executable, "-c", _WITH_BAR, str(path)]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
    main, other = pty.openpty()
    subprocess.run(command, stderr=other, check=True, env={**os.environ, "COLUMNS": "120", "TERM": "xterm"})
    os.close(other)
    shown = os.read(main, 65536).decode()
    os.close(main)
    assert "rows.parquet" in shown
    assert "100%" in shown


_PEAK = """
import re, sys
import kernelbandits as kb
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
kb.fit_table  # loads polars
before = peak()
fit = kb.fit_table(kb.Nystrom(kb.Gaussian(), 1.0, 100), sys.argv[1], reward_column="reward")
print(fit.report.n, peak() - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2_000_000, 20))
    pl.DataFrame({f"x{j}": X[:, j] for j in range(20)}).with_columns(reward=X[:, 0]).write_parquet(
        tmp_path / "r.parquet"
    )
    command = [sys.executable, "-c", _PEAK, str(tmp_path / "r.parquet")]
    rows, extra = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    assert int(rows) == 2_000_000
    assert float(extra) < 0.8 * X.nbytes / 2**20


def raw_units(n=400):
    """Income in cents beside age: the kernel sees only the first."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n, 2))
    columns = {"age": 45.0 + 12.0 * z[:, 0], "income": 4e6 * np.exp(z[:, 1]), "city": ["Rome", "Oslo"] * (n // 2)}
    arms = [("none", "10 %")[i % 2] for i in range(n)]
    return pl.DataFrame(columns).with_columns(arm=pl.Series(arms), reward=np.sin(z[:, 0]))


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_columns_in_raw_units_are_warned_about_and_an_encoder_helps(tmp_path, ending):
    frame, path = raw_units(), tmp_path / f"raw.{ending}"
    getattr(frame, f"write_{ending}")(path)
    estimator = kb.Nystrom(kb.Gaussian(4.0), 1e-3, 50)
    taken = {"arm_column": "arm", "reward_column": "reward"}
    with pytest.warns(UnscaledColumns, match=r"'income' varies .* times as much as 'age'.* up to 0\.\d\d of the rew"):
        kb.fit_arms(estimator, path, **taken, drop=["city"])
    encoder = kb.Encoding().fit(path, others=("arm", "reward"))
    fits = kb.fit_arms(estimator, path, **taken, encoder=encoder)
    assert max(fit.report.residual for fit in fits.values()) < 0.2
    rows = frame.filter(pl.col("arm") == "none")
    assert np.corrcoef(fits["none"].mean(encoder.transform(rows)), rows["reward"])[0, 1] > 0.97
    alone = kb.fit_table(estimator, path, reward_column="reward", encoder=encoder)
    assert alone.report.n == 400
    with pytest.raises(InvalidArgument, match="either an encoder"):
        kb.fit_table(estimator, path, reward_column="reward", encoder=encoder, drop=["city"])


def test_a_gap_in_the_reward_is_named_with_an_encoder(tmp_path):
    frame = raw_units().with_row_index("i").with_columns(pl.when(pl.col("i") != 7).then("reward").alias("reward"))
    frame.write_parquet(tmp_path / "gap.parquet")
    encoder = kb.Encoding(columns=("age",)).fit(frame)
    with pytest.raises(InvalidFile, match=r"row 8 .* 'reward' is empty"):
        kb.fit_table(ESTIMATOR, tmp_path / "gap.parquet", reward_column="reward", encoder=encoder)


def test_texts_for_missing_numbers_are_read_as_when_the_encoder_was_fitted(tmp_path):
    rows = "".join(f"{'?' if i % 7 == 0 else i},{i % 3}\n" for i in range(60))
    (tmp_path / "gaps.csv").write_text(f"age,reward\n{rows}", encoding="utf-8")
    encoder = kb.Encoding().fit(tmp_path / "gaps.csv", others=("reward",))
    assert encoder.names == ("age", "age is missing")
    assert kb.fit_table(ESTIMATOR, tmp_path / "gaps.csv", reward_column="reward", encoder=encoder).report.n == 60
