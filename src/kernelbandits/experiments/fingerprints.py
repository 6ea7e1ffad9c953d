"""Content fingerprints: a cell is recomputed exactly when what it computes has changed, code included."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from kernelbandits.errors import InvalidArgument
from kernelbandits.specs import Spec, to_table
from kernelbandits.tables.digests import content_digest


def fingerprint(environment: Spec, policy: Spec, horizon: int, seed: int) -> str:
    """What a cell computes, in 32 hexadecimal digits."""
    content = {
        "environment": to_table(environment, of_file=content_digest),
        "policy": to_table(policy, of_file=content_digest),
        "horizon": horizon,
        "seed": seed,
        "code": [own_code(), *(_source_of(spec) for spec in _foreign_types(environment, policy))],
    }
    return _digest(json.dumps(content, sort_keys=True, default=_refuse).encode())


def _refuse(value: object) -> NoReturn:
    raise InvalidArgument(
        f"an experiment's specs must be frozen dataclasses whose fields are numbers, texts, tuples or such specs, so "
        f"that a result is known by what was computed; got {value!r:.200} of type {type(value).__name__}"
    )


def files_in(specs: Any) -> dict[str, str]:
    """The data files that specs name, each with the digest of its content."""
    found: dict[str, str] = {}
    to_table(specs, of_file=lambda path: found.setdefault(path, content_digest(path)))
    return found


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


@cache
def own_code() -> str:
    """Digest of all of the library's code: whatever was edited, results are computed again."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return _digest(b"".join(path.read_bytes() for path in files))


def _foreign_types(*specs: Any) -> Iterator[type]:
    """Classes from elsewhere (a user's own policy) anywhere in these specs."""
    for spec in specs:
        if isinstance(spec, tuple):
            yield from _foreign_types(*spec)
        elif dataclasses.is_dataclass(spec):
            if not type(spec).__module__.startswith("kernelbandits."):
                yield type(spec)
            yield from _foreign_types(*(getattr(spec, field.name) for field in dataclasses.fields(spec)))


@cache
def _source_of(foreign: type) -> str:
    """Digest of the file that defines the class, so that an edited policy is run again."""
    path = inspect.getsourcefile(foreign)
    source = Path(path).read_bytes() if path and Path(path).is_file() else inspect.getsource(foreign).encode()
    return _digest(source)
