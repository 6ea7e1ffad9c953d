"""Fits on engines: an arm a task, a part of a file a task; the same bits as here."""

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.experiments.engines import Dask, InProcess, Processes, Scheduler


@pytest.fixture(params=["processes", "dask"])
def engine(request):
    if request.param == "processes":
        return Processes(2)
    return Dask(Scheduler(request.getfixturevalue("two").address))


def arms(rng):
    return {arm: (rng.standard_normal((n, 6)), rng.standard_normal(n)) for arm, n in (("a", 5), ("b", 60), ("c", 20))}


def test_arms_are_fitted_as_by_hand(engine):
    data = arms(np.random.default_rng(0))
    estimator = kb.KernelRidge(kb.Gaussian(), 0.5)
    fits = kb.fit_each(estimator, data, engine)
    assert list(fits) == ["a", "b", "c"]
    for arm, (X, y) in data.items():
        assert np.array_equal(fits[arm].weights, estimator.fit(X, y).weights)


def test_the_arm_of_a_wrong_row_is_named(engine):
    data = arms(np.random.default_rng(0))
    data["b"][0][3, 2] = np.nan
    with pytest.raises(InvalidArgument, match=r"arm 'b': X .*row 3"):
        kb.fit_each(kb.KernelRidge(kb.Gaussian(), 0.5), data, engine)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2500, 4))
    frame = pl.DataFrame(X, schema=["p", "q", "r", "s"]).with_columns(y=np.sin(X).sum(axis=1))
    frame[:1700].write_parquet(tmp_path / "1.parquet")
    frame[1700:].write_parquet(tmp_path / "2.parquet")
    return [tmp_path / "1.parquet", tmp_path / "2.parquet"], X, frame["y"].to_numpy()


NYSTROM = kb.Nystrom(kb.Gaussian(), ridge=1e-2, n_centers=60)


def test_parts_of_files_sum_to_the_same_bits(engine, files):
    paths, X, _ = files
    there = kb.fit_parquet(NYSTROM, paths, reward_column="y", engine=engine, rows_per_part=300)
    here = kb.fit_parquet(NYSTROM, paths, reward_column="y", engine=InProcess(), rows_per_part=300)
    assert np.array_equal(there.expansion.coefficients, here.expansion.coefficients)
    assert np.array_equal(there.std(X[:20]), here.std(X[:20]))


def test_parts_of_files_are_the_fit_to_all_rows(files):
    paths, X, y = files
    many = kb.Nystrom(kb.Gaussian(), ridge=1e-2, n_centers=300)  # so many that all rows are in the sample
    parts = kb.fit_parquet(many, paths, reward_column="y", rows_per_part=300)
    whole = many.fit(X, y)
    assert parts.report.n == 2500
    assert np.array_equal(parts.centers, whole.centers)
    assert np.allclose(parts.mean(X), whole.mean(X), rtol=0, atol=1e-8)


def test_centres_come_from_rows_evenly_spread_over_every_part(files, monkeypatch):
    # Blocks of 256 rows end between two rows of the sample.
    monkeypatch.setattr("kernelbandits.tables.table_blocks._BLOCK_VALUES", 256 * 5)
    paths, X, y = files
    fit = kb.fit_parquet(kb.Nystrom(kb.Gaussian(), 1e-2, n_centers=35), paths, reward_column="y", rows_per_part=600)
    starts = [*range(0, 1700, 600), *range(1700, 2500, 600)]
    seventh = [X[start:stop][::7] for start, stop in zip(starts, [*starts[1:], 2500], strict=True)]
    assert {row.tobytes() for row in fit.centers} <= {row.tobytes() for row in np.concatenate(seventh)}
    assert np.abs(fit.mean(X) - y).mean() < 0.5


def test_wrong_files_are_refused(files, tmp_path):
    paths, _, _ = files
    with pytest.raises(InvalidFile, match="has no column 'z'"):
        kb.fit_parquet(NYSTROM, paths, reward_column="z")
    with pytest.raises(InvalidFile, match=r"expected a \.parquet file"):
        kb.fit_parquet(NYSTROM, tmp_path / "log.csv", reward_column="y")
    with pytest.raises(InvalidArgument, match="files must not be empty"):
        kb.fit_parquet(NYSTROM, [], reward_column="y")
    pl.DataFrame({"p": [1.0, None], "y": [1.0, 2.0]}).write_parquet(tmp_path / "gap.parquet")
    with pytest.raises(InvalidFile, match=r"gap\.parquet: .* is empty"):
        kb.fit_parquet(NYSTROM, tmp_path / "gap.parquet", reward_column="y")
    pl.DataFrame({"p": [1.0], "y": [1.0]}).write_parquet(tmp_path / "fewer.parquet")
    with pytest.raises(InvalidFile, match=r"fewer\.parquet has no column 'q'"):
        kb.fit_parquet(NYSTROM, [*paths, tmp_path / "fewer.parquet"], reward_column="y")
