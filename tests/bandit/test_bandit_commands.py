"""The commands fit, score and inspect."""

import json

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
import shop
from command import run

pytestmark = pytest.mark.usefixtures("sound_parquet")

LOG = shop.log(300, n_numbers=6, n_categories=2)
ROWS = shop.features(17_000, seed=1, n_numbers=6, n_categories=2)
COLUMNS = ["--arm-column", "offer", "--reward-column", "purchase", "--propensity-column", "p", "--drop", "user_id"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    LOG.write_parquet(folder / "log.parquet")
    ROWS.write_parquet(folder / "rows.parquet")
    done = run("fit", "log.parquet", *COLUMNS, "--policy", "LinearUCB", "--out", "shop.kb", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Wrote shop.kb" in done.stdout
    return folder


def test_the_command_makes_the_same_bandit_as_python(folder):
    loaded = kb.load(folder / "shop.kb")
    names = sorted(shop.OFFERS)
    made = kb.Bandit(names, kb.Encoding(drop=("user_id",)), kb.LinearUCB()).fit(LOG, **shop.LOGGED)
    for row in ROWS.head(20).iter_rows(named=True):
        assert loaded.choose(row)[1:] == made.choose(row)[1:]


def test_inspect_tells_what_is_in_the_file(folder):
    text = run("inspect", "shop.kb", cwd=folder)
    assert text.returncode == 0
    assert "LinearUCB" in text.stdout
    assert "free_ship" in text.stdout
    record = json.loads(run("inspect", "shop.kb", "--json", cwd=folder).stdout)
    assert record["n_rewards"] == 300
    assert [arm["name"] for arm in record["arms"]] == sorted(shop.OFFERS)
    assert {"health", "calibration", "notes", "created"} <= record.keys()


def test_scores_are_the_same_bytes_for_any_block_and_those_of_python(folder):
    files = {}
    for rows in (1, 65_536):
        out = f"decisions-{rows}.parquet"
        done = run(
            "score", "shop.kb", "rows.parquet", "--keep", "user_id", "--block-rows", str(rows), "--out", out, cwd=folder
        )
        assert done.returncode == 0, done.stderr
        files[rows] = (folder / out).read_bytes()
    assert len({*files.values()}) == 1
    found = pl.read_parquet(folder / out)
    assert found.columns[:3] == ["user_id", "arm", "propensity"]
    assert found["user_id"].equals(ROWS["user_id"])
    assert found.drop("user_id", "arm", "propensity").equals(kb.load(folder / "shop.kb").score(ROWS))
    best = found.select(
        pl.concat_list(f"probability_{name}" for name in sorted(shop.OFFERS)).list.arg_max()
    ).to_series()
    assert found["arm"].to_list() == [sorted(shop.OFFERS)[arm] for arm in best]  # optimism is certain


def test_files_of_any_kind_have_the_same_scores(folder):
    hostile = ROWS.with_columns(pl.col("kind_0").replace("a0", " 5.0 "), money_0=pl.lit("NA"))
    hostile.write_csv(folder / "rows.csv")
    hostile.with_columns(pl.lit(None, pl.Float64).alias("money_0"), pl.col("kind_0").str.strip_chars()).write_parquet(
        folder / "clean.parquet"
    )
    outs = []
    for table, rows in (("rows.csv", "1"), ("rows.csv", "65536"), ("clean.parquet", "65536")):
        done = run("score", "shop.kb", table, "--block-rows", rows, "--out", f"{table}-{rows}.csv", cwd=folder)
        assert done.returncode == 0, done.stderr
        outs.append((folder / f"{table}-{rows}.csv").read_bytes())
    assert len({*outs}) == 1


def test_arms_are_drawn_with_their_probabilities(folder):
    toml = 'type = "ExplorationFloor"\nepsilon = 0.1\n[policy]\ntype = "LinearUCB"\n'
    (folder / "floor.toml").write_text(toml, encoding="utf-8")
    options = ["--policy", "floor.toml", "--json", "--out", "floor.kb"]
    record = json.loads(run("fit", "log.parquet", *COLUMNS, *options, cwd=folder).stdout)
    assert record["policy"].startswith("ExplorationFloor")
    assert record["file"] == "floor.kb"
    tables = []
    for seed in "01":
        done = run(
            "score", "floor.kb", "rows.parquet", "--seed", seed, "--json", "--out", f"{seed}.parquet", cwd=folder
        )
        assert json.loads(done.stdout)["rows"] == 17_000
        tables.append(pl.read_parquet(folder / f"{seed}.parquet"))
    assert not tables[0]["arm"].equals(tables[1]["arm"])
    for table in tables:
        assert np.allclose(np.unique(table["propensity"].round(6)), [0.1, 0.7])
        assert abs((table["propensity"] > 0.5).mean() - 0.7) < 0.02
    only = run("score", "floor.kb", "rows.parquet", "--eligible", "none", "--out", "only.parquet", cwd=folder)
    assert only.returncode == 0
    assert pl.read_parquet(folder / "only.parquet")["arm"].unique().to_list() == ["none"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["fit", "log.parquet", "--arm-column", "ofer", "--reward-column", "purchase", "--out", "x.kb"],
            "did you mean 'offer'",
        ),
        (["fit", "nothing.csv", *COLUMNS, "--out", "x.kb"], "no such file: nothing.csv"),
        (["fit", "log.parquet", *COLUMNS, "--policy", "LinUCB", "--out", "x.kb"], "did you mean 'LinearUCB'"),
        (["fit", "log.parquet", *COLUMNS, "--policy", "no.toml", "--out", "x.kb"], "no such file: no.toml"),
        (["fit", "log.parquet", *COLUMNS, "--arm", "none", "--arm", "5pct", "--out", "x.kb"], "is no arm"),
        (["score", "rows.parquet", "rows.parquet", "--out", "x.parquet"], "rows.parquet"),
        (["score", "shop.kb", "log.kb", "--out", "x.parquet"], "no such file: log.kb"),
        (["score", "shop.kb", "rows.parquet", "--out", "x.txt"], "out must end in .parquet or .csv"),
        (["score", "shop.kb", "rows.parquet", "--keep", "user", "--out", "x.parquet"], "did you mean 'user_id'"),
        (["score", "shop.kb", "rows.parquet", "--eligible", "5", "--out", "x.parquet"], "no arm is called '5'"),
        (["score", "shop.kb", "short.parquet", "--out", "x.parquet"], "short.parquet has no column 'kind_1'"),
        (["inspect", "encoder.kb"], "of type Encoder, not a Bandit"),
        (["inspect", "none.kb"], "none.kb"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(folder, arguments, words):
    ROWS.drop("kind_1").write_parquet(folder / "short.parquet")
    kb.save(kb.load(folder / "shop.kb").encoder, folder / "encoder.kb")
    done = run(*arguments, cwd=folder)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert not list(folder.glob("x.*"))
