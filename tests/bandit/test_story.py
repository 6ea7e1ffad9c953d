"""The story of README on a shop's table at full size: 20,000 rows, 30 numbers in raw units, 6 categories, 4 offers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kernelbandits as kb
import shop

N_DECISIONS, N_PENDING = 500, 10


def decided(bandit, rows):
    """What is decided for rows; every third reward does not come."""
    said = []
    for number, row in enumerate(rows.iter_rows(named=True)):
        decision = bandit.choose(row)
        said.append([decision.arm, decision.propensity, decision.scores])
        if number % 3:
            bandit.observe(decision.id, reward=float(number % 5))
    return said


@pytest.mark.slow
def test_one_table_in_three_forms_and_a_restart(tmp_path):
    log, rows = shop.log(20_000), shop.features(N_PENDING + N_DECISIONS, seed=9)
    log.write_parquet(tmp_path / "log.parquet")
    rows[N_PENDING:].write_parquet(tmp_path / "rows.parquet")
    forms = {"polars": log, "pandas": log.to_pandas(), "parquet": tmp_path / "log.parquet"}
    bandits = {
        name: kb.Bandit(shop.OFFERS, kb.Encoding(drop=("user_id",))).fit(form, **shop.LOGGED)
        for name, form in forms.items()
    }
    assert 0.8 < (log["purchase"] == 0.0).mean() < 0.9
    first = [decided(bandit, rows[:N_PENDING]) for bandit in bandits.values()]
    assert first[0] == first[1] == first[2]
    bandits["polars"].save(tmp_path / "shop.kb")
    script = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import polars as pl, kernelbandits as kb\n"
        "from bandit.test_story import decided, late\n"
        "bandit = kb.load(sys.argv[2]); late(bandit)\n"
        "print(json.dumps(decided(bandit, pl.read_parquet(sys.argv[3]))))"
    )
    folder = str(Path(shop.__file__).parent)
    command = [sys.executable, "-c", script, folder, str(tmp_path / "shop.kb"), str(tmp_path / "rows.parquet")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    after = []
    for bandit in bandits.values():
        late(bandit)
        after.append(decided(bandit, rows[N_PENDING:]))
    assert len(after[0]) == N_DECISIONS
    assert after[0] == after[1] == after[2] == json.loads(done.stdout)


def late(bandit):
    """The rewards that were on their way."""
    pending = [entry.id for entry in bandit.ledger]
    assert len(pending) == 4
    for number, each in enumerate(pending):
        bandit.observe(each, reward=float(number))
