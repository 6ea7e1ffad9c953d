"""A PostgreSQL server of the tests' own, in a temporary folder, run by a user who is not root."""

import os
import pwd
import shutil
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import psycopg

BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
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


class Server:
    def __init__(self, folder):
        self.folder, self.account = folder, _account()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def run(self, program, *options):
        switch = {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []} if self.account else {}
        command = [str(BINARIES / program), *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False, **switch)
        assert done.returncode == 0, done.stdout + done.stderr

    def create(self):
        if self.account:
            os.chown(self.folder, self.account.pw_uid, self.account.pw_gid)
        self.run("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync")
        return self

    def start(self):
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1"
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-o", options, "-l", f"{self.folder}/log", "-w", "start")

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", mode, "-w", "stop")

    def database(self, name):
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
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
