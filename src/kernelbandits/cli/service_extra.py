"""The rooms of the service, which are an extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

_NEEDED = ("msgspec", "uvicorn", "httptools", "psycopg", "httpx")


def service(module: str) -> Any:
    """A module of the service; says how to install what it needs."""
    try:
        return import_module(f"kernelbandits.service.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in _NEEDED:
            raise
        raise click.ClickException(
            f"the service needs {error.name}, which is not installed: pip install 'kernelbandits[service]'"
        ) from error
