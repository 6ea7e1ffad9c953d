"""Backup, export, retention, clients, and the files that are shipped."""

import asyncio
import configparser
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from machine import Machine
from replaying import repeat_decisions, replayed
from serving import SHOP, serving, toml, wait_for
from test_learning import OVER, play, same

from command import run
from kernelbandits.service import AsyncClient, Client, ServiceError
from kernelbandits.service.events import export
from kernelbandits.service.learner import forget

ROOT = Path(__file__).parents[2]


def command(*arguments):
    done = run(*map(str, arguments))
    return done.returncode, done.stdout + done.stderr


def test_clients_backup_end_and_export_of_a_running_service(tmp_path):
    with serving(tmp_path / "shop", control=0.0, reward_range=[0.0, 1.0]) as service:
        with Client(f"http://{service.host}:{service.port}") as client:
            for number in range(80):
                decision = client.rank({"age": 20 + number % 50, "city": "Rome"}, event_id=f"visit-{number}")
                assert client.reward(decision.event_id, float(decision.arm == "none"), "r").repeated is False
                assert client.reward(decision.event_id, float(decision.arm == "none"), "r").repeated is True
            assert client.event("visit-0")["id"] == "visit-0"
            assert client.policy()["settings"]["control"] == 0.0
            with pytest.raises(ServiceError, match="no column 'city'") as caught:
                client.rank({"age": 1})
            assert (caught.value.status, caught.value.field) == (422, "city")
        asyncio.run(ask(f"http://{service.host}:{service.port}"))
        code, said = command("backup", service.settings, "--out", tmp_path / "copy.db")
        assert code == 0, said
        processes = service.processes()
        assert service.stop() == 0, "SIGTERM finishes and flushes"
        assert sum(map(len, processes.values())) == 2
        database = service.database()
        with database.read() as tx:
            assert tx.rows("SELECT count(*) FROM events WHERE id LIKE 'visit-%'") == [(80,)]
            assert tx.rows("SELECT count(*) FROM rewards WHERE reward_id = 'r'") == [(80,)]
        database.close()
        copy = Machine(str(tmp_path / "copy.db"), tmp_path, control=0.0, reward_range=[0.0, 1.0])
        assert copy.event("visit-79")["arm"]
        copy.stop()
        service.start()  # and again, where it stopped
        wait_for(lambda: service.policy()["bandit"]["n_rewards"] > 80, "all outcomes")
        code, said = command("log", "export", service.settings, "--out", tmp_path / "log.parquet")
        assert code == 0, said
    table = pl.read_parquet(tmp_path / "log.parquet")
    assert {"event_id", "time", "arm", "propensity", "reward", "eligible", "age", "city"} == set(table.columns)
    assert table.height >= 80
    code, said = command(
        "evaluate", tmp_path / "log.parquet", "--out", tmp_path, "--candidate", "uniform", "--candidate", "always:none"
    )
    assert code == 0, said


async def ask(address):
    async with AsyncClient(address) as client:
        decision = await client.rank({"age": 30, "city": "Oslo"}, arms=["none", "free shipping"], deferred=True)
        assert await client.activate(decision.event_id)
        assert (await client.reward(decision.event_id, 0.0)).late is False
        assert (await client.event(decision.event_id))["active"]
        assert (await client.policy())["version"] >= 1


def test_a_client_says_what_it_cannot_reach():
    with Client("http://127.0.0.1:9", retries=1) as client, pytest.raises(ServiceError, match="cannot be reached"):
        client.rank({})


@pytest.mark.slow
def test_a_client_tries_again_with_the_same_id(tmp_path):
    with serving(tmp_path / "shop") as service:
        address = f"http://{service.host}:{service.port}"
        service.table["server"]["port"] = service.port
        service.stop()
        import threading

        thread = threading.Thread(target=service.start)
        with Client(address, retries=12) as client:
            thread.start()
            decision = client.rank({"age": 30, "city": "Oslo"})
            thread.join()
            assert service.event(decision.event_id)["arm"] == decision.arm
        assert len(service.call("GET", "/events")[1]["events"]) == 1


def test_retention_keeps_what_was_learned(address, tmp_path):
    machine = play(Machine(address, tmp_path, control=0.0), 0, 60)
    machine.advance(OVER).step()
    middle = machine.event("30")["time"]
    n = forget(machine.database, machine.state, middle, machine.clock.now(), tmp_path / "archive")
    assert n > 0
    assert sum(pl.read_parquet(path).height for path in (tmp_path / "archive").glob("*.parquet")) == n
    machine.step()
    play(machine, 60, 20)
    same(machine.state, replayed(machine.database, machine.state.version))
    n_rewards = machine.state.bandit.summary().n_rewards
    machine.stop()
    machine.start(control=0.0)
    assert machine.state.bandit.summary().n_rewards == n_rewards
    with machine.database.read() as tx:
        assert tx.one("SELECT count(*) FROM events WHERE time < ?", (middle,)) == (0,)
    kept = [each for each in repeat_decisions(machine.database) if each.event_id in ("60", "79")]
    assert [each.agrees for each in kept] == [True, True]
    machine.stop()


def test_an_export_keeps_features_apart_from_its_own_columns(tmp_path):
    columns = {"arm": {"mean": 0.0, "std": 1.0}, "city": {"levels": ["Rome", "Oslo"]}}
    machine = Machine(str(tmp_path / "a.db"), tmp_path, features=columns, control=0.0)
    import msgspec

    from kernelbandits.service import events
    from kernelbandits.service.decisions import decide
    from kernelbandits.service.opening import salt_of
    from kernelbandits.service.requests import RankRequest

    with machine.database.write() as tx:
        snapshot = machine.state.snapshot(salt_of(tx))
        request = msgspec.convert({"context": {"arm": 0.5, "city": None}}, RankRequest)
        events.insert_event(tx, "a", machine.clock.now(), snapshot, decide(snapshot, request, "a"))
    machine.reward("a", 1.0)
    machine.step()
    assert export(machine.database, tmp_path / "log.parquet") == 1
    row = pl.read_parquet(tmp_path / "log.parquet").to_dicts()[0]
    assert (row["feature_arm"], row["city"], row["reward"]) == (0.5, None, 1.0)
    assert row["arm"] in SHOP["arms"]
    machine.stop()


def test_check(tmp_path):
    path = tmp_path / "shop.toml"
    path.write_text(toml(SHOP))
    code, said = command("serve", "--check", path)
    assert code == 0, said
    assert "3 arms" in said
    assert "will be made" in said
    assert not (tmp_path / "shop.db").exists()
    path.write_text(toml({**SHOP, "mode": "on"}))
    code, said = command("serve", "--check", path)
    assert code == 2
    assert said.count("\n") == 1
    assert "mode" in said
    assert command("serve")[0] == 2


def test_the_unit_and_the_image_start_the_command():
    unit = configparser.ConfigParser(strict=False)
    unit.read(ROOT / "deploy" / "kernelbandits.service")
    assert unit["Service"]["ExecStart"].endswith("kernelbandits serve /etc/kernelbandits/shop.toml")
    image = (ROOT / "deploy" / "Dockerfile").read_text()
    assert "USER" in image
    assert '"kernelbandits", "serve"' in image


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_the_image_passes_the_linter():
    done = subprocess.run(
        ["hadolint", str(ROOT / "deploy" / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
