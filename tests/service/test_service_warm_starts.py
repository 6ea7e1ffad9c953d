"""Starting from a log or a saved bandit."""

import numpy as np
import pytest
from machine import Machine
from replaying import replayed
from serving import SHOP, toml
from test_learning import same

import kernelbandits as kb
from kernelbandits.errors import InvalidFile
from kernelbandits.service.supervisor import check

ARMS = ["none", "five percent", "free shipping"]
LOG = {
    "age": [float(20 + i % 50) for i in range(90)],
    "city": [("Rome", "Oslo")[i % 2] for i in range(90)],
    "arm": [ARMS[i % 3] for i in range(90)],
    "reward": [float(i % 3 == 1) for i in range(90)],
}


def test_from_a_log(tmp_path):
    import polars as pl

    pl.DataFrame(LOG).write_parquet(tmp_path / "old.parquet")
    machine = Machine(
        str(tmp_path / "shop.db"), tmp_path, features=None, warm_start={"log": "old.parquet"}, control=0.0
    )
    assert machine.state.bandit.summary().n_rewards == 90
    assert max(machine.rank("a", age=25.0).ranking, key=lambda arm: arm.probability).id == "five percent"
    machine.reward("a", 1.0)
    machine.step()
    table = {**SHOP, "features": {}, "warm_start": {"log": "old.parquet"}, "control": 0.0, "database": "shop.db"}
    (tmp_path / "shop.toml").write_text(toml(table), encoding="utf-8")
    assert "settings have changed" not in check(tmp_path / "shop.toml")
    (tmp_path / "old.parquet").unlink()  # the database has kept it
    same(machine.state, replayed(machine.database, machine.state.version))
    machine.stop()


def test_from_a_bundle(tmp_path):
    bandit = kb.Bandit(ARMS, kb.Encoding(rare=1), rng=np.random.default_rng(3)).fit(LOG, "arm", "reward")
    bandit.save(tmp_path / "old.kb")
    start = {"features": None, "arms": None, "new_arms": True, "warm_start": {"bundle": "old.kb"}, "control": 0.0}
    machine = Machine(str(tmp_path / "shop.db"), tmp_path, **start)
    assert machine.state.bandit.arms == tuple(ARMS)
    machine.rank("a")
    machine.reward("a", 1.0)
    machine.step()
    assert machine.state.bandit.summary().n_rewards == 91
    same(machine.state, replayed(machine.database, machine.state.version))
    machine.stop()
    with pytest.raises(InvalidFile, match="a bundle brings its policy"):
        machine.start(**start, policy={"type": "LinearUCB"})
