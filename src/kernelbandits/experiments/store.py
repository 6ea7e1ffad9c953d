"""What identifies a run, and the store of finished ones: one file per cell, with a digest of what is in it."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import platform
import secrets
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.reporting import replacing
from kernelbandits.specs import Spec, path_of, to_table
from kernelbandits.tables.digests import content_digest

if TYPE_CHECKING:
    from kernelbandits.experiments.grid import Cell

Rows = NDArray[np.void]
"""What is kept of a run: (arm, regret) of every round."""

ROW = np.dtype([("arm", "<i4"), ("regret", "<f8")])
_HEADER, _DIGEST = 128, 32  # bytes before and after the rows

logger = logging.getLogger("kernelbandits.experiments")


@final
@dataclass(frozen=True, slots=True)
class Store:
    """An absolute folder with one file per finished cell, named by the cell's fingerprint.

    A file is an array as `numpy.save` writes it, followed by the SHA-256 of fingerprint and array. A cell is there
    whole or not at all, whatever kills the process; one that was damaged later is computed again.
    """

    cells: Path

    def save(self, fingerprint: str, rows: Rows) -> None:
        """Write a cell so that no reader ever sees half of it."""
        path = self.cells / f"{fingerprint}.npy"
        if path.is_dir():  # a file can replace anything else
            path.rename(path.with_suffix(f".{secrets.token_hex(4)}.damaged"))
        file = BytesIO()
        np.save(file, rows)
        array = file.getvalue()
        with replacing(path) as part:
            part.write_bytes(array + hashlib.sha256(fingerprint.encode() + array).digest())

    def load(self, cell: Cell) -> Rows:
        """The rows of a cell; raises FileNotFoundError if there is none, `InvalidFile` if its file is damaged."""
        path = self.cells / f"{cell.fingerprint}.npy"
        size = _HEADER + cell.horizon * ROW.itemsize
        try:
            facts = path.stat()
            if not stat.S_ISREG(facts.st_mode):  # a pipe would have to be waited for
                raise InvalidFile(f"{path.name} is not a file")
            if facts.st_size != size + _DIGEST:
                raise InvalidFile(f"{path.name} has {facts.st_size} bytes instead of {size + _DIGEST}")
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise FileNotFoundError(f"{path.name} is not in {self.cells}") from error
        except OSError as error:
            raise InvalidFile(f"{path.name} cannot be read: {error.strerror}") from error
        array = content[:size]
        if content[size:] != hashlib.sha256(cell.fingerprint.encode() + array).digest():
            raise InvalidFile(f"{path.name} does not match its digest")
        return np.frombuffer(array, ROW, offset=_HEADER)

    def unfinished(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells that must be computed. Warns of damaged ones, and of those that other arithmetic has computed."""
        found, damage = [], []
        for cell in cells:
            try:
                self.load(cell)
            except FileNotFoundError:
                found.append(cell)
            except InvalidFile as error:
                found.append(cell)
                damage.append(str(error))
        if damage:
            logger.warning(
                "%d of the runs kept in %s are damaged and are computed again: %s%s",
                *(len(damage), self.cells, damage[0], ", …" * (len(damage) > 1)),
            )
        own = dict(cell.fingerprint.split("-", 1) for cell in found)  # content → arithmetic
        kept = [path.stem.split("-", 1) for path in self.cells.glob("*-*.npy")]
        elsewhere = [content for content, arithmetic in kept if own.get(content, arithmetic) != arithmetic]
        if elsewhere:
            logger.warning(
                "%d of the runs kept in %s come from another kind of processor, or another numpy, scipy or BLAS, and "
                "may differ in their last bits; these are computed again, and both are kept",
                *(len(set(elsewhere)), self.cells),
            )
        return found


def fingerprint(environment: Spec, policy: Spec, horizon: int, seed: int) -> str:
    """32 hexadecimal digits that change when anything changes that a cell computes, code and data files included.

    After a dash follow eight for the processor and its arithmetic: the same run on another kind differs there alone.
    """
    own = installation()
    specs = to_table([environment, policy], of_file=content_digest, of_foreign=_source_of)
    content = json.dumps([specs, horizon, seed, own.code], sort_keys=True, default=_refuse)
    return f"{hashlib.sha256(content.encode()).hexdigest()[:32]}-{own.arithmetic}"


def files_in(specs: Any) -> dict[str, tuple[str, str]]:
    """The data files that specs name: by path, a name for readers on other machines, and the digest of the content.

    The name is as much of the end of the path as tells the files apart.
    """
    found: dict[str, str] = {}
    to_table(specs, of_file=lambda path: found.setdefault(path, content_digest(path)))
    parts = [Path(path).parts[1:] for path in found]
    names, n = [part[-1] for part in parts], 1
    while len(set(names)) < len(names):
        n += 1
        names = ["/".join(part[-n:]) for part in parts]
    return dict(zip(found, zip(names, found.values(), strict=True), strict=True))


class Installation(NamedTuple):
    """Digest of the library's code; the machine in words; digest of what, beside the code, last bits depend on."""

    code: str
    machine: Mapping[str, str]
    arithmetic: str


@cache
def installation() -> Installation:
    """After an edit of the code results are computed again; those of another kind of processor are kept apart.

    numpy and BLAS choose their code by the processor, and a sum in another order has another last bit. `simd` are the
    instruction sets that numpy has chosen.
    """
    import scipy.linalg  # noqa: F401 (its BLAS must be loaded to be seen)
    from threadpoolctl import threadpool_info

    functions = np.lib.introspect.opt_func_info().values()
    simd = [str(chosen["current"]) for kinds in functions for chosen in kinds.values()]
    keys = ("internal_api", "version", "architecture")
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    blas = [" ".join(str(pool[key]) for key in keys if pool.get(key)) for pool in pools]
    machine = {
        "processor": platform.machine(),
        "simd": ", ".join(sorted(set(simd))),
        "blas": ", ".join(sorted(set(blas))),
    }
    content = json.dumps([machine, version("numpy"), version("scipy")], sort_keys=True)
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parents[1].rglob("*.py")))
    return Installation(
        hashlib.sha256(sources).hexdigest()[:32], machine, hashlib.sha256(content.encode()).hexdigest()[:8]
    )


def _refuse(value: object) -> NoReturn:
    raise InvalidArgument(
        "an experiment's specs must be frozen dataclasses whose fields are numbers, texts, tuples or other specs, so "
        f"that a result can be identified by what was computed; got {value!r:.200} of type {type(value).__name__}"
    )


@cache
def _source_of(foreign: type) -> str:
    """Name of the class and digest of the file that defines it, so that an edited policy of the user is run again."""
    try:
        path = inspect.getsourcefile(foreign)
        source = Path(path).read_bytes() if path and Path(path).is_file() else inspect.getsource(foreign).encode()
    except (OSError, TypeError):  # typed in a notebook, where there is no file
        source = repr(_code_in(sys.modules[foreign.__module__], foreign.__module__)).encode()
    return f"{path_of(foreign)} {hashlib.sha256(source).hexdigest()}"


def _code_in(owner: object, module: str) -> list[Any]:
    """The code of all functions and classes that a module or class holds and that were defined in this module."""
    found: list[Any] = []
    for name, value in sorted(vars(owner).items()):
        inner = getattr(value, "__func__", getattr(value, "fget", value))  # of class methods and properties
        if isinstance(inner, type) and inner.__module__ == module:
            found.append((name, _code_in(inner, module)))
        elif isinstance(inner, FunctionType) and inner.__module__ == module:
            found.append((name, inner.__defaults__, _instructions(inner.__code__)))
    return found


def _instructions(code: CodeType) -> tuple[Any, ...]:
    """What the code does, without where it stands."""
    constants = [_instructions(each) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.co_code, code.co_names, constants
