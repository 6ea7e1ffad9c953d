"""A disk or a database that fails, and Ctrl-C."""

import shutil
import signal
import sqlite3
import subprocess

import pytest
from serving import serving, wait_for


def test_a_locked_database_is_a_503_and_recovers(service):
    service.rank(event_id="before")
    foreign = sqlite3.connect(service.folder / "shop.db", isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    status, body = service.call("POST", "/rank", {"context": {"age": 1, "city": "Rome"}, "event_id": "during"})
    assert (status, body["error"]["code"]) == (503, "storage_unavailable")
    assert service.call("GET", "/healthz")[0] == 200
    foreign.execute("ROLLBACK")
    foreign.close()
    assert service.rank(event_id="during", age=1)["event_id"] == "during"


def test_a_full_disk_is_a_503_and_recovers(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        with serving(folder / "shop", control=0.0) as service:
            service.rank(event_id="first")
            ballast = folder / "ballast"
            acknowledged = ["first"]
            left = shutil.disk_usage(folder).free
            ballast.write_bytes(b"x" * max(left - 64_000, 0))
            refused = None
            for number in range(2000):
                body = {"context": {"age": 1, "city": "Rome"}, "event_id": f"e{number}"}
                status, answer = service.call("POST", "/rank", body)
                if status == 503:
                    refused = answer
                    break
                acknowledged.append(f"e{number}")
            assert refused is not None
            assert refused["error"]["code"] == "storage_unavailable"
            ballast.unlink()
            wait_for(lambda: service.call("POST", "/rank", {"context": {"age": 1, "city": "Rome"}})[0] == 200)
            assert all(service.event(name)["id"] == name for name in acknowledged)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


@pytest.mark.slow
def test_ctrl_c_ends_it_too(tmp_path):
    with serving(tmp_path / "shop") as service:
        service.rank()
        service.process.send_signal(signal.SIGINT)
        assert service.process.wait(60) == 0
