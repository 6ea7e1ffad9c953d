"""The file: a zip archive, not compressed, of one JSON text and one `.npy` array per type of numbers.

Memory of one type is stored one piece after the other in one array. A reader believes nothing: sizes are compared with
those of the file before memory is taken, and digests with what was read.
"""

import hashlib
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

import kernelbandits
from kernelbandits.errors import InvalidFile, KernelBanditsError, TooLarge, shown
from kernelbandits.linalg import require_memory
from kernelbandits.reporting import replacing
from kernelbandits.saving.kinds import Json, plain_dtype
from kernelbandits.saving.shared_memory import LINE, AnyArray, Piece

FORMAT = 1  # version of the format; a reader knows all versions up to its own
_MANIFEST = "manifest.json"
_AT_ONCE = 2**20
_ANY_TIME = (1980, 1, 1, 0, 0, 0)  # the same bytes at any time


def write(path: Path, about: dict[str, Json], pieces: Sequence[AnyArray]) -> None:
    """Write a bundle, whole or not at all."""
    by_type: dict[np.dtype[Any], list[AnyArray]] = {}
    for piece in pieces:
        by_type.setdefault(piece.dtype, []).append(piece)
    manifest: dict[str, Json] = {"format": FORMAT, "kernelbandits": kernelbandits.__version__, **about, "arrays": {}}
    with replacing(path) as part, ZipFile(part, "w", ZIP_STORED) as archive:
        for dtype, alike in by_type.items():
            manifest["arrays"][_entry(dtype)] = {
                "dtype": dtype.str,
                "length": sum(map(len, alike)),
                "sha256": _write_array(archive, dtype, alike),
            }
        manifest["memory"] = [[each.dtype.str, len(each), each.ctypes.data % LINE] for each in pieces]
        text = json.dumps(manifest, allow_nan=False, separators=(",", ":"))
        archive.writestr(ZipInfo(_MANIFEST, _ANY_TIME), text)


def _entry(dtype: np.dtype[Any]) -> str:
    byte_order = "" if dtype.isnative else "swapped-"
    return f"arrays/{byte_order}{dtype.name.translate(str.maketrans('[]', '--'))}.npy"


def _write_array(archive: ZipFile, dtype: np.dtype[Any], pieces: Sequence[AnyArray]) -> str:
    """Write pieces of one type as one array; returns the digest of the entry."""
    length, digest, header = sum(map(len, pieces)), hashlib.sha256(), io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(header, described)
    with archive.open(ZipInfo(_entry(dtype), _ANY_TIME), "w", force_zip64=length * dtype.itemsize > 2**30) as file:
        for data in (header.getbuffer(), *(piece.view(np.uint8).data for piece in pieces)):
            digest.update(data)
            file.write(data)
    return digest.hexdigest()


@final
class Bundle:
    """A bundle that is open for reading; `manifest` is what it says of itself."""

    def __init__(self, archive: ZipFile, size: int) -> None:
        self._archive = archive
        self._entries = _entries(archive, size)
        if _MANIFEST not in self._entries:
            raise InvalidFile(f"it has no {_MANIFEST}, so it was not written by kernelbandits.save")
        text = archive.read(self._entries.pop(_MANIFEST))
        self.manifest: dict[str, Json] = json.loads(text, parse_constant=_refuse_constant)
        if not isinstance(self.manifest, dict):
            raise InvalidFile(f"its {_MANIFEST} is not a table")
        version, writer = self.manifest.get("format"), self.manifest.get("kernelbandits")
        if version != FORMAT:
            raise InvalidFile(
                f"it has format {shown(version)} and was written by kernelbandits {shown(writer)}; this is version "
                f"{kernelbandits.__version__}, which reads format {FORMAT}: install the version that wrote it, or newer"
            )

    def memory(self) -> list[AnyArray]:
        """All pieces of memory, checked against sizes, types and digests."""
        pieces = [Piece.from_json(each) for each in self.manifest["memory"]]
        memory: list[AnyArray | None] = [None] * len(pieces)
        arrays: dict[str, Json] = self.manifest["arrays"]
        if {*arrays} != {*self._entries}:
            raise InvalidFile(f"it should hold {sorted(arrays)}; it holds {shown(sorted(self._entries))}")
        if {piece.dtype.str for piece in pieces} != {said["dtype"] for said in arrays.values()}:
            raise InvalidFile("the types of its arrays are not those of its memory")
        for entry, said in arrays.items():
            own = [number for number, piece in enumerate(pieces) if piece.dtype.str == said["dtype"]]
            for number, piece in zip(own, self._array(entry, said, [pieces[i] for i in own]), strict=True):
                memory[number] = piece
        return [piece for piece in memory if piece is not None]

    def _array(self, entry: str, said: dict[str, Json], pieces: list[Piece]) -> list[AnyArray]:
        """The pieces of one array."""
        dtype, length, size = plain_dtype(said["dtype"]), said["length"], self._entries[entry].file_size
        if length != sum(piece.length for piece in pieces) or length * dtype.itemsize > size:
            raise InvalidFile(f"the sizes of {entry} do not agree")
        require_memory(size, f"loading {entry}", "load it on a larger machine")
        digest = hashlib.sha256()
        with self._archive.open(self._entries[entry]) as raw:
            file = io.BufferedReader(_Digested(raw, digest), _AT_ONCE)
            if np.lib.format.read_magic(file) != (1, 0):
                raise InvalidFile(f"{entry} is not an array of version 1.0")
            if np.lib.format.read_array_header_1_0(file) != ((length,), False, dtype):
                raise InvalidFile(f"{entry} has another shape or type than {_MANIFEST} says")
            read = [piece.allocate() for piece in pieces]
            for piece in read:
                if file.readinto(piece.view(np.uint8).data) != piece.nbytes:
                    raise InvalidFile(f"{entry} is shorter than it says")
            if file.read(1):
                raise InvalidFile(f"{entry} is longer than it says")
        if digest.hexdigest() != said["sha256"]:
            raise InvalidFile(f"{entry} was changed after it was written: its SHA-256 differs")
        return read


@final
class _Digested(io.RawIOBase):
    """A file whose digest is taken while it is read."""

    def __init__(self, file: Any, digest: Any) -> None:
        self._file = file
        self._digest = digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._digest.update(data)
        return len(data)


@contextmanager
def opened(path: Path) -> Iterator[Bundle]:
    """Open a bundle. Whatever is wrong with it is one line that begins with its name."""
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}")
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            yield Bundle(archive, os.fstat(file.fileno()).st_size)
    except TooLarge:
        raise
    except KernelBanditsError as error:
        raise InvalidFile(f"{path}: {error}") from error
    except OSError as error:
        raise InvalidFile(f"{path} cannot be read: {error.strerror or error}") from error
    except BadZipFile as error:
        raise InvalidFile(f"{path} is damaged, or not a file of kernelbandits.save ({error})") from error
    except Exception as error:  # hostile files find every way to fail
        raise InvalidFile(f"{path} is damaged ({type(error).__name__}: {shown(str(error))})") from error


def _entries(archive: ZipFile, size: int) -> dict[str, ZipInfo]:
    """The entries by name, none of which may be compressed, encrypted, twice there, or larger than the file."""
    entries: dict[str, ZipInfo] = {}
    for info in archive.infolist():
        if info.filename in entries:
            raise InvalidFile(f"it holds {shown(info.filename)} twice")
        if info.compress_type != ZIP_STORED or info.flag_bits & 1 or info.compress_size != info.file_size:
            raise InvalidFile(f"{shown(info.filename)} is compressed or encrypted, which this library never does")
        entries[info.filename] = info
    if sum(info.file_size for info in entries.values()) > size:
        raise InvalidFile("its entries are larger than the file")
    return entries


def _refuse_constant(name: str) -> Json:
    raise InvalidFile(f"{_MANIFEST} has {name}, which is not JSON")
