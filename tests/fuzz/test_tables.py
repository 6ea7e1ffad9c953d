"""Tables changed at random: each is read, or refused with one line, without warnings and without much memory."""

import gzip
import io
import random
import resource
import warnings
import zipfile

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import KernelBanditsError
from kernelbandits.linalg import machine
from kernelbandits.tables import read_frame

MEMORY = 2 * 10**8
ENDINGS = {".csv": 40, ".csv.gz": 10, ".npz": 35, ".parquet": 15}  # parquet files cost a process each
CELLS = [
    *("", " ", "NA", "?", "nan", "NaN", "inf", "-inf", "1e999", "1e-999", "0x10", "1_000", "1,5", "1;5", "-0", "true"),
    *("x", "'", '"', '""', '"a', "a\nb", "\r", "\0", "\x1b[31m", "é", "日本", "\ufeff", "=1+1", "9" * 400, "z" * 10**5),
    *("2024-01-01", "1e160", "-1e200", "9223372036854775808", "[/red]", "$\\frac$", "<b>", "arm", "y"),
]
BYTES = [b"", b"\0", b"\xff", b"\n", b"\r\n", b",", b'"', b"PK", b"\x1f\x8b", b"PAR1", b"\x93NUMPY", b"\xef\xbb\xbf"]


def cells(chance):
    """A header and rows; most columns are numbers."""
    n, d = chance.choice([0, 1, 2, 12, 40]), chance.choice([1, 2, 3, 5])
    names = [f"x{j}" for j in range(d)] + ["arm", "y"]
    rows = [[f"{chance.gauss(0, 1):.3f}" for _ in range(d)] + [str(i % 2), str(i % 3)] for i in range(n)]
    table = [names, *rows]
    for _ in range(chance.choice([0, 0, 1, 2, 6])):
        row = chance.choice(table)
        if row:
            row[chance.randrange(len(row))] = chance.choice(CELLS)
    if chance.random() < 0.2:
        row = chance.choice(table)
        row[:] = row * 2 if chance.random() < 0.5 else row[:-1]
    return table


def csv_bytes(chance):
    comma, line = chance.choices([",", ";", "\t"], [12, 1, 1])[0], chance.choice(["\n", "\n", "\r\n"])
    return line.join(comma.join(row) for row in cells(chance)).encode("utf-8", "surrogatepass")


def arrays(chance):
    """X and y of many shapes and types."""
    shapes = [(12, 3), (12, 3), (40, 2), (0, 3), (3, 0), (12,), (), (2, 3, 4), (1, 1), (12, 1)]
    kinds = ["f8", "f8", "f4", "i8", "u1", "?", "U3", "S3", "c16", "M8[s]", "f2", ">f8", "U0"]
    X = np.arange(1000)[: int(np.prod(shape := chance.choice(shapes)))].reshape(shape).astype(chance.choice(kinds))
    y = (np.arange(chance.choice([len(X) if X.ndim else 1] * 5 + [3])) % 3).astype(chance.choice(kinds))
    if X.dtype.kind == "f" and X.size and chance.random() < 0.3:
        X.flat[0] = chance.choice([np.nan, np.inf, -0.0, 6e4])
    return X, y


def npz_bytes(chance):
    file, (X, y) = io.BytesIO(), arrays(chance)
    save = chance.choice([np.savez, np.savez_compressed])
    save(
        file,
        **dict(zip(chance.choice([("X", "y"), ("X", "y"), ("X", "y"), ("x", "y"), ("X", "z")]), (X, y), strict=True)),
    )
    if chance.random() < 0.3:  # a header that promises something else
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("X", "y"):
                head = io.BytesIO()
                shape = chance.choice([(10**6, 10**6), (12, 3), (12,), (-1, 3), (2**63, 2), (10**12,), (True, 2)])
                form = {"descr": chance.choice(["<f8", "|O", "<U9", "V8"]), "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(head, form)
                archive.writestr(f"{name}.npy", head.getvalue() + bytes(96))
        return packed.getvalue()
    if chance.random() < 0.1:
        plain = io.BytesIO()
        np.save(plain, X)
        return plain.getvalue()
    return file.getvalue()


def parquet_bytes(chance):
    n = chance.choice([0, 1, 12, 60])
    columns = {
        "x0": np.arange(n) * 0.5,
        "x1": chance.choice(
            [["a", "b"] * (n // 2) + ["c"] * (n % 2), [None] * n, [True] * n, [[1, 2]] * n, [b"x"] * n]
        ),
        "arm": np.arange(n) % 2,
        "y": np.arange(n) % 3,
    }
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file, compression=chance.choice(["zstd", "snappy", "gzip", "uncompressed"]))
    return file.getvalue()


WRITERS = {".csv": csv_bytes, ".npz": npz_bytes, ".parquet": parquet_bytes}
WRITERS[".csv.gz"] = lambda chance: gzip.compress(csv_bytes(chance), mtime=0)


def damaged(content, chance):
    """Some bytes replaced, put in or cut off."""
    content = bytearray(content)
    for _ in range(chance.choice([0, 1, 1, 2, 5])):
        i = chance.randrange(len(content) + 1)
        put = chance.choice([*BYTES, bytes([chance.randrange(256)]), bytes([chance.randrange(256)])])
        content[i : i + chance.choice([0, 1, len(put)])] = put
    return bytes(content[: chance.randrange(len(content) + 1)] if chance.random() < 0.1 else content)


def one_line(message):
    return 0 < len(message) <= 1100 and "\n" not in message.strip()


def examine(seed, folder):
    """Read the table, as a whole or by a command or an environment; return what is wrong, or how it went."""
    chance = random.Random(seed)
    [ending] = chance.choices(list(ENDINGS), list(ENDINGS.values()))
    content = WRITERS[ending](chance)
    if chance.random() < 0.6:
        content = damaged(content, chance)
    path = folder / f"table{ending if chance.random() < 0.97 else chance.choice([*ENDINGS, '.txt'])}"
    path.write_bytes(content)
    if seed % 10 == 0:
        named = chance.choice([[], ["--arm-column", "arm", "--reward-column", "y"], ["--standardise"]])
        done = run("diagnose", str(path), *named, "--json", "--out", str(folder / "out"))
        if done.returncode not in (0, 2) or (done.returncode and not one_line(done.stderr)):
            return f"{seed}: exit {done.returncode}: {done.stderr[-3000:]}"
        return "refused" if done.returncode else "diagnosed"
    try:
        if seed % 2:
            read_frame(path, ("", "NA", "NaN"))
        elif seed % 3:
            kb.Classification(path, label=chance.choice(["y", "x0"]), min_rows=1).draw(0)
        else:
            kb.Surrogate(path, min_rows=2, reward="y", n_fit=1).data()
    except KernelBanditsError as error:
        return "refused" if one_line(str(error)) else f"{seed}: message: {error}"
    return "read"


@pytest.fixture
def limits(monkeypatch):
    """Little memory, so that what is too large is refused rather than read."""
    for module in ("linalg.machine", "tables.csv_files", "tables.files"):
        monkeypatch.setattr(f"kernelbandits.{module}.available_memory", lambda: MEMORY)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 4 * MEMORY / 1024
    assert machine.available_memory() == MEMORY


@pytest.mark.parametrize("n", [60, pytest.param(5000, marks=pytest.mark.slow)])
def test_any_table_is_read_or_refused_with_one_line(tmp_path, limits, n, capfd):
    outcomes = []
    for seed in range(n):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                outcomes.append(examine(seed, tmp_path))
        except (Exception, pl.exceptions.PanicException) as error:  # all of them are told at the end
            outcomes.append(f"{seed}: {type(error).__name__}: {error}"[:2000])
    said = capfd.readouterr()
    wrong = [outcome for outcome in outcomes if ":" in outcome]
    counts = {kind: outcomes.count(kind) for kind in ("refused", "read", "diagnosed")}
    print(counts)  # noqa: T201 (shown by pytest -rP)
    assert wrong == [], f"{len(wrong)} of {n}"
    assert said == ("", "")  # polars reports panics past Python
    assert min(counts.values()) > 0
    assert {path.name for path in tmp_path.iterdir()} <= {"out", "table.txt", *(f"table{ending}" for ending in ENDINGS)}
