"""A PostgreSQL server of the tests' own, in a temporary folder, run by a user who is not root."""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import psycopg
from serving import wait_for

BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
_LIBC = ctypes.CDLL(None)
MISSING = "no PostgreSQL server on this machine (Debian: apt-get install postgresql)"


def _account():
    """The name of a user who may run the server; None to run it as ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def _end_with_parent():
    """Let the server be told, by a signal that ends it at once, when this process dies."""
    _LIBC.prctl(1, signal.SIGQUIT, 0, 0, 0)


class Server:
    def __init__(self, folder):
        self.folder, self.account = folder, _account()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    @property
    def switch(self):
        if self.account is None:
            return {}
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []}

    def run(self, program, *options):
        command = [str(BINARIES / program), *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False, **self.switch)
        assert done.returncode == 0, done.stdout + done.stderr

    def create(self):
        if self.account:
            os.chown(self.folder, self.account.pw_uid, self.account.pw_gid)
        self.run("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync")
        return self

    def start(self):
        """Start it as a child that ends with this process, however that ends."""
        options = ["-F", "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1"]  # -F: power does not fail here
        command = [str(BINARIES / "postgres"), "-D", f"{self.folder}/data", *options]
        with Path(f"{self.folder}/log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd="/", preexec_fn=_end_with_parent, **self.switch
            )
        wait_for(self.answers, "PostgreSQL")

    def answers(self):
        assert self.process.poll() is None, Path(f"{self.folder}/log").read_text(errors="replace")
        try:
            psycopg.connect(self.address("postgres"), connect_timeout=10).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", mode, "-w", "stop")
        self.process.wait()

    def database(self, name):
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            how = " STRATEGY FILE_COPY" if connection.info.server_version >= 150_000 else ""  # a third of the work
            connection.execute(f'CREATE DATABASE "{name}"{how}')
        return self.address(name)

    def address(self, name):
        return f"postgresql://tester@127.0.0.1:{self.port}/{name}"


@contextmanager
def running():
    folder = mkdtemp(prefix="pg-")
    Path(folder).chmod(0o755)
    server = Server(folder).create()
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
