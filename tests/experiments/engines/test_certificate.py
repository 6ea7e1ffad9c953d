"""Only who holds the key of a run can talk to its Dask workers."""

import contextlib
import os
import re
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import dask
import psutil
import pytest
import yaml
from loopback import machines

from kernelbandits.errors import EngineFailed, InvalidArgument
from kernelbandits.experiments.engines import Dask, Loopback, Scheduler
from kernelbandits.experiments.engines.certificate import make_security


def listening():
    me = psutil.Process()
    found = {(process.pid, connection) for process in (me, *me.children()) for connection in process.net_connections()}
    return {(pid, connection.laddr) for pid, connection in found if connection.status == "LISTEN"}


@pytest.fixture(scope="module")
def opened():
    """The ports of a scheduler, a nanny and a worker of this machine, and all that was opened for them."""
    before = listening()
    with Loopback(1).connect() as connection:
        (worker,) = connection.client.scheduler_info(n_workers=-1)["workers"].items()
        addresses = {"scheduler": connection.address, "worker": worker[0], "nanny": worker[1]["nanny"]}
        ports = {role: int(address.rpartition(":")[2]) for role, address in addresses.items()}
        yield ports, listening() - before
        assert connection.submit(abs, [-3])[0].result() == 3  # whatever strangers did


def test_workers_of_this_machine_listen_to_it_alone(opened):
    _, listeners = opened
    assert len(listeners) >= 3
    assert {address.ip for _, address in listeners} == {"127.0.0.1"}
    assert 8787 not in {address.port for _, address in listeners}


def words_of(connection):
    """Everything that the other side says before it hangs up."""
    said = b""
    with contextlib.suppress(ConnectionError):
        connection.sendall(bytes(1000))
        while more := connection.recv(1000):
            said += more
    return said


@pytest.mark.parametrize("role", ["scheduler", "worker", "nanny"])
def test_without_tls_nobody_is_heard(opened, role):
    with socket.create_connection(("127.0.0.1", opened[0][role])) as connection:
        assert len(words_of(connection)) <= 7  # at most TLS's word for "no"


@pytest.mark.parametrize("certificate", ["none", "another"])
@pytest.mark.parametrize("role", ["scheduler", "worker", "nanny"])
def test_without_the_key_nobody_is_heard(opened, role, certificate, tmp_path):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate == "another":
        security = make_security(tmp_path)
        context.load_cert_chain(security.tls_client_cert, security.tls_client_key)
    with (
        socket.create_connection(("127.0.0.1", opened[0][role])) as connection,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        speak(context, connection)


def speak(context, connection):
    with context.wrap_socket(connection) as encrypted:
        encrypted.sendall(bytes(1000))
        encrypted.recv(1)  # here the refusal arrives


def test_pages_about_the_workers_are_closed(opened):
    ports, listeners = opened
    pages = {address.port for _, address in listeners} - {*ports.values()}
    assert pages
    for port in pages:
        for path in ("info/main/workers.html", "json/counts.json", "metrics"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}")


def test_the_key_is_readable_for_its_user_alone(tmp_path):
    security = make_security(tmp_path)
    assert os.stat(security.tls_worker_key).st_mode & 0o077 == 0  # noqa: PTH116
    assert make_security(tmp_path).require_encryption


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (None, "need the program openssl"),
        ("echo broken >&2\nexit 1\n", "could not make"),
        ('for file; do :; done\n: > "$file"\n', "cannot start here .their files are in"),  # as on a full disk
    ],
)
def test_without_openssl_it_is_one_line(tmp_path, monkeypatch, program, words):
    monkeypatch.setenv("PATH", str(tmp_path))
    if program is not None:
        (tmp_path / "openssl").write_text(f"#!/bin/sh\n{program}", encoding="utf-8")
        (tmp_path / "openssl").chmod(0o755)
    with pytest.raises(EngineFailed, match=words):
        list(Dask(Loopback(1)).map(abs, [1]))


def leaves(tree, path=()):
    """Dask would forget what a branch does not name."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        else:
            yield ".".join((*path, name)), value


def test_the_page_shows_how_to_close_a_scheduler(tmp_path, caplog):
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "run-on-a-cluster.md").read_text(encoding="utf-8")
    commands = re.search(r"## Who may connect.*?```sh\n(.*?)```", page, flags=re.DOTALL)[1]
    home = os.environ | {"HOME": str(tmp_path)}
    subprocess.run(["sh", "-ec", commands], check=True, capture_output=True, env=home)
    written = yaml.safe_load((tmp_path / ".config/dask/kernelbandits.yaml").read_text(encoding="utf-8"))
    settings = dict(leaves(written))
    with machines(tmp_path, n_workers=0, HOME=str(tmp_path)) as running:
        assert running.address.startswith("tls://")
        with pytest.raises(InvalidArgument, match=r"needs a certificate: set distributed\.comm\.tls\.ca-file"):
            list(Dask(Scheduler(running.address)).map(abs, [1]))
        with dask.config.set(settings), Scheduler(running.address).connect() as connection:
            assert connection.client.status == "running"
    assert caplog.records == []
