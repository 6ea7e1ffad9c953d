"""Credentials of one run: with them, only processes of the same user can talk to the workers that the run starts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from distributed import Security

from kernelbandits.errors import EngineFailed

_REQUEST = """
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = kernelbandits
[extensions]
basicConstraints = critical, CA:TRUE
keyUsage = critical, digitalSignature, keyCertSign
"""
_DAYS = "3650"  # longer than any run; the key is removed with the run's folder


def make_security(folder: Path) -> Security:
    """Make a key and a certificate in a folder that only this user can enter, and return what Dask needs to use them.

    Scheduler, workers and client all hold the same key, and accept only a peer that holds it. The program `openssl`
    makes it: Dask's own way needs the package `cryptography`, while the program is on nearly every machine.
    """
    program = shutil.which("openssl")
    if program is None:
        raise EngineFailed(
            "Dask workers of this machine need the program openssl, which makes the certificate that keeps other users "
            "out; install it (Debian: apt-get install openssl), or use --engine local"
        )
    request, key, certificate = folder / "request", folder / "key.pem", folder / "certificate.pem"
    request.write_text(_REQUEST, encoding="utf-8")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
    files = ("-config", str(request), "-keyout", str(key), "-out", str(certificate))
    command = [program, "req", "-x509", *curve, "-nodes", "-sha256", "-days", _DAYS, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (nothing of it is input)
    if done.returncode != 0:
        words = " ".join(done.stderr.split())
        raise EngineFailed(f"openssl could not make a certificate for the Dask workers of this machine: {words[-300:]}")
    roles = ("client", "scheduler", "worker")
    keys = {f"tls_{role}_key": str(key) for role in roles}
    certificates = {f"tls_{role}_cert": str(certificate) for role in roles}
    return Security(require_encryption=True, tls_ca_file=str(certificate), **keys, **certificates)
