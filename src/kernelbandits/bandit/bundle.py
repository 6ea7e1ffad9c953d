"""Bandits in files."""

from __future__ import annotations

import os

from kernelbandits.bandit.bandit import Bandit
from kernelbandits.errors import InvalidFile
from kernelbandits.saving import load


def load_bandit(path: str | os.PathLike[str]) -> Bandit:
    """Return the bandit in a file; raise if it holds something else."""
    found = load(path)
    if not isinstance(found, Bandit):
        raise InvalidFile(
            f"{path} holds something else than a Bandit, of type {type(found).__name__}; kernelbandits.load reads it"
        )
    return found
