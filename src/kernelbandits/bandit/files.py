"""Bandits from their files, and policies by name or from a TOML file."""

import os
import tomllib
from pathlib import Path

from kernelbandits.bandit.bandit import Bandit
from kernelbandits.errors import InvalidFile
from kernelbandits.policies import Policy, default_policy
from kernelbandits.saving import load
from kernelbandits.specs import from_table


def policy_from(text: str | None) -> Policy:
    """Return the policy of a name, such as LinearUCB, or of a .toml file with its type and fields; None: the default.

    >>> policy_from("LinearUCB")
    LinearUCB(alpha=1.0, ridge=1.0, intercept=True, rewards=Standardized())
    """
    if text is None:
        return default_policy()
    if not text.endswith(".toml"):
        return from_table({"type": text}, Policy, "policy")  # type: ignore[type-abstract]
    path = Path(text)
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; give a .toml file, or the name of a policy")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path.name}: not valid TOML: {error}") from error
    return from_table(table, Policy, path.name)  # type: ignore[type-abstract]


def load_bandit(path: str | os.PathLike[str]) -> Bandit:
    """Return the bandit in a file; raise if it holds something else."""
    found = load(path)
    if not isinstance(found, Bandit):
        kind = type(found).__name__
        raise InvalidFile(f"{path} holds something of type {kind}, not a Bandit; kernelbandits.load reads it")
    return found
