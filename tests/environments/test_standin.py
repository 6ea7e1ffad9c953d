"""The synthetic stand-in: the Avazu schema, realistic sizes, never to be mistaken for Avazu."""

import gzip
import itertools

import numpy as np
import polars as pl
import pytest

from command import run
from kernelbandits.environments import standin
from kernelbandits.environments.avazu import COLUMNS, FEATURES
from kernelbandits.environments.standin import write_standin
from kernelbandits.errors import InvalidArgument
from kernelbandits.tables import read_blocks

N = 40_000
HASHED = [name for name in FEATURES if name.startswith(("site", "app", "device_i", "device_m"))]


def frame(n, seed=0):
    return pl.concat([block.rows for block in standin.standin_blocks(n, seed)])


@pytest.fixture(scope="module")
def rows():
    return frame(N).with_columns(pl.col("click").cast(pl.Float64))


def test_schema_and_names(rows):
    assert tuple(rows.columns) == COLUMNS
    assert rows["id"].n_unique() == N
    assert rows["id"].str.contains(r"^\d+$").all()
    shares = rows["id"].str.slice(-1).value_counts()["count"] / N
    assert len(shares) == 10
    assert shares.min() > 0.09
    for name in HASHED:
        assert rows[name].str.contains(r"^s-[0-9a-f]{6}$").all(), f"{name}: no name may look like one of Avazu"


def test_click_rate_and_hours(rows):
    assert rows["click"].mean() == pytest.approx(0.17, abs=0.01)
    assert rows["hour"].n_unique() == 240
    assert rows["hour"].is_sorted()
    by_hour = rows.group_by(pl.col("hour").str.slice(-2).alias("h")).agg(pl.len(), pl.col("click").mean()).sort("h")
    assert by_hour["len"].max() > 2.5 * by_hour["len"].min(), "nights are quiet"
    assert by_hour["click"].max() - by_hour["click"].min() > 0.03, "clicks depend on the hour"


def test_an_ad_is_on_a_site_or_in_an_app(rows):
    most = {name: rows[name].mode()[0] for name in ("site_id", "app_id", "app_domain", "app_category")}
    in_app = rows["app_id"] != most["app_id"]
    assert 0.25 < in_app.mean() < 0.35
    assert rows.filter(in_app)["site_id"].n_unique() == 1, "no site where there is an app"
    nowhere = rows.filter(in_app)["site_id"][0]
    assert (rows.filter(~in_app)["site_id"] != nowhere).all()
    assert (rows.filter(~in_app)["app_domain"] == most["app_domain"]).all()


@pytest.mark.parametrize(
    ("name", "fewest", "most"),
    [
        # Distinct values in 40,000 rows; real ones, 38,858 of two days, have 824, 751, 2,209, 552, 174, 26,926.
        ("site_id", 500, 2500),
        ("app_id", 500, 2500),
        ("device_model", 1500, 6000),
        ("C14", 500, 2600),
        ("C17", 150, 435),
        ("device_ip", 20_000, 38_000),
        ("site_category", 10, 26),
        ("C15", 3, 8),
        ("C20", 100, 173),
    ],
)
def test_cardinalities_and_heavy_tails(rows, name, fewest, most):
    counts = rows[name].value_counts(sort=True)["count"].to_numpy()
    assert fewest <= len(counts) <= most
    assert counts[0] > (50 if len(counts) > 100 else 5) * np.median(counts), "few are seen often"


def test_what_belongs_together_does(rows):
    for inner, outer in (("C14", "C17"), ("C17", "C21"), ("site_id", "site_category"), ("device_ip", "device_model")):
        assert rows.group_by(inner).agg(pl.col(outer).n_unique())[outer].max() == 1, f"{inner} settles {outer}"


def test_clicks_depend_on_user_place_and_ad_together():
    """Within the most frequent models, sites and campaigns, main effects alone leave more than chance unexplained."""
    rows = frame(300_000, seed=2).with_columns(pl.col("click").cast(pl.Float64))
    factors = ["device_model", "site_id", "C17"]
    for name in factors:
        frequent = rows[name].value_counts(sort=True)[name].head(4).implode()
        rows = rows.filter(pl.col(name).is_in(frequent))
    y = rows["click"].to_numpy() - rows["click"].mean()
    levels = [rows[name].rank("dense").to_numpy() for name in factors]
    columns = [np.ones(len(y)), *(np.equal(code, v) for code in levels for v in np.unique(code)[1:])]
    pairs = [a * b for a, b in itertools.combinations(columns[1:], 2)]
    main, full = (np.column_stack(c).astype(float) for c in (columns, columns + pairs))

    def unexplained(X):
        fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
        return ((y - fitted) ** 2).sum(), np.linalg.matrix_rank(X)

    (rest, rank), (less, more) = unexplained(main), unexplained(full)
    f = (rest - less) / (more - rank) / (less / (len(y) - more))
    assert f > 2.0, f"F = {f:.2f} for the interactions; about 1 without them"


def test_the_same_seed_gives_the_same_rows_and_another_others():
    assert frame(500, 4).equals(frame(500, 4))
    assert not frame(500, 4).equals(frame(500, 5))


def test_blocks_follow_each_other(monkeypatch):
    monkeypatch.setattr(standin, "BLOCK_ROWS", 300)
    blocks = list(standin.standin_blocks(1000))
    assert [(block.start, block.rows.height) for block in blocks] == [(0, 300), (300, 300), (600, 300), (900, 100)]
    rows = pl.concat([block.rows for block in blocks])
    assert rows["hour"].is_sorted()
    assert rows["id"].n_unique() == 1000


def test_files_hold_the_rows_plain_or_compressed(tmp_path):
    plain, packed = (write_standin(tmp_path / name, 700, seed=1) for name in ("a.csv", "a.csv.gz"))
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert write_standin(tmp_path / "b.csv.gz", 700, seed=1).read_bytes() == packed.read_bytes()
    read = pl.concat([block.rows for block in read_blocks(plain, COLUMNS)])
    assert read.equals(frame(700, 1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.csv.gz", "b.csv.gz"]
    with pytest.raises(InvalidArgument, match=r"must end in \.csv or \.csv\.gz; got a\.parquet"):
        write_standin(tmp_path / "a.parquet", 10)


def test_the_command_says_what_it_wrote(tmp_path):
    done = run("make-stand-in", "new/a.csv", "--rows", "50", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Wrote 50 rows of the synthetic stand-in (no Avazu data) to new/a.csv\n"
    assert len((tmp_path / "new" / "a.csv").read_text().splitlines()) == 51
