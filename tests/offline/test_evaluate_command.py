"""The command `evaluate`, as a user runs it."""

import json

import numpy as np
import polars as pl
import pytest
from made_logs import made_log

import kernelbandits as kb
from command import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A log as the decision service exports it, a saved bandit, and a policy in TOML."""
    folder = tmp_path_factory.mktemp("evaluate")
    log = made_log(1500, 1, skewed=True)
    names = np.array(["none", "5pct", "10pct"])
    features = {f"x{j}": log.contexts[:, j] for j in range(4)}
    rows = pl.DataFrame(
        {
            "event_id": [f"e{i}" for i in range(1500)],
            "time": pl.datetime_range(pl.datetime(2026, 1, 1), pl.datetime(2026, 1, 2), "1m", eager=True)[:1]
            .append(pl.Series([None] * 1499, dtype=pl.Datetime("us")))
            .forward_fill(),
            "arm": names[log.arms],
            "propensity": log.propensities,
            "reward": log.rewards,
            **features,
        }
    )
    rows.write_parquet(folder / "log.parquet")
    rows.write_csv(folder / "log.csv")
    older = made_log(400, 2, skewed=True)
    before = {f"x{j}": older.contexts[:, j] for j in range(4)} | {"arm": names[older.arms], "reward": older.rewards}
    kb.Bandit(names.tolist(), policy=kb.LinearUCB()).fit(before, "arm", "reward").save(folder / "shop.kb")
    (folder / "policy.toml").write_text('type = "LinearUCB"\nalpha = 0.5\n', encoding="utf-8")
    return folder


def test_the_export_of_the_service_needs_no_options(folder):
    done = run("evaluate", "log.parquet", "--candidate", "uniform", "--candidate", "always:10pct", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "uniform: " in done.stdout
    assert "Overlap" in done.stdout


@pytest.mark.parametrize("name", ["log.parquet", "log.csv"])
def test_saved_bandits_and_policies(folder, name, tmp_path):
    words = ["evaluate", name, "--json", "--fixed", "--bounds", "0", "1", "--report", "--out", str(tmp_path)]
    for candidate in ("shop.kb", "policy.toml", "uniform"):
        words += ["--candidate", candidate]
    done = run(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    values = {each["name"]: each for each in record["candidates"]}
    assert values["policy.toml"]["verdict"] == "better"
    assert values["shop.kb"]["value"] > values["uniform"]["value"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "evaluation.png",
        "evaluation.svg",
        "evaluation.json",
        "report.html",
    }
    assert json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8")) == record


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--candidate", "always:20pct"], "no arm is called '20pct'; did you mean '10pct'?"),
        (["--candidate", "nonsense"], "nonsense"),
        (["--candidate", "uniform", "--candidate", "uniform"], "named twice"),
        (["--candidate", "uniform", "--arm-column", "army"], "no column 'army'; did you mean 'arm'?"),
        ([], "candidate"),
    ],
)
def test_what_it_refuses(folder, words, said):
    done = run("evaluate", "log.parquet", *words, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_blocks_change_nothing(folder, monkeypatch):
    candidates = {"always": kb.AlwaysArm("none"), "learned": kb.LearnedPolicy(kb.LinearUCB())}
    with kb.open_log(folder / "log.parquet") as log:
        whole = kb.evaluate(log, candidates)
    for room in ("weighing", "reward_models", "learned_policy"):
        monkeypatch.setattr(f"kernelbandits.offline.{room}.BLOCK", 256)
    with kb.open_log(folder / "log.parquet") as log:
        cut = kb.evaluate(log, candidates)
    for name in candidates:
        assert cut[name].value == pytest.approx(whole[name].value, abs=1e-10)
        assert cut[name].interval == pytest.approx(whole[name].interval, abs=1e-6)
