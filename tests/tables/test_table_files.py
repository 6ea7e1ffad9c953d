"""Broken files are refused in one clear line that names file, column and row where it can."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kernelbandits.errors import InvalidFile
from kernelbandits.tables import read_frame, row_blocks


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def compressed(text):
    return gzip.compress(text.encode())


LONG = "a,b\n" + "".join(f"{i},{i * 7919 % 1013}\n" for i in range(5000))

BROKEN = {
    "empty.csv": ("", "empty.csv is empty"),
    "empty.csv.gz": (compressed(""), "empty.csv.gz is empty"),
    "cut.csv.gz": (compressed(LONG)[:2000], "cut.csv.gz cannot be read: .*is it complete"),
    "semicolons.csv": ("a;b\n1;2\n", "semicolons.csv seems to be separated by semicolons .*'a;b'"),
    "tabs.csv": ("a\tb\n1\t2\n", "tabs.csv seems to be separated by tabs"),
    "ragged.csv": ("a,b\n1,2\n1,2,3\n", r"ragged.csv: row 2 .* has 3 fields; the header has 2"),
    "twice.csv": ("a,b,a\n1,2,3\n", "twice.csv has two columns called 'a'"),
    "bare.csv": ("1,2\n3,4\n", "bare.csv has no header: its first row is 1, 2"),
    "latin.csv": ("a,b\n1,é\n".encode("latin-1"), r"latin.csv: row 1 .*column 'b' is not UTF-8 text"),
    "archive.csv": (b"PK\x03\x04 and no more", "archive.csv is a zip archive; unpack it"),
    "cut.parquet": (b"PAR1 and no more", "cut.parquet cannot be read"),
    "cut.npz": (b"PK\x03\x04 and no more", "cut.npz cannot be read"),
    "notes.txt": ("a,b\n1,2\n", r"expected a file that ends in \.csv"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_one_line(name, tmp_path):
    content, words = BROKEN[name]
    with pytest.raises(InvalidFile, match=words) as refusal:
        read_frame(write(tmp_path / name, content))
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(InvalidFile, match=r"no such file: nowhere\.csv"):
        read_frame(Path("nowhere.csv"))


@pytest.mark.parametrize("missing", ["X", "y"])
def test_an_npz_file_needs_both_arrays(missing, tmp_path):
    arrays = {"X": np.eye(3), "y": np.arange(3)}
    del arrays[missing]
    np.savez(tmp_path / "half.npz", **arrays)
    with pytest.raises(InvalidFile, match=f"half.npz has no array '{missing}'; it has"):
        read_frame(tmp_path / "half.npz")


def test_shapes_of_an_npz_file_must_fit(tmp_path):
    np.savez(tmp_path / "odd.npz", X=np.eye(3), y=np.arange(4))
    with pytest.raises(InvalidFile, match=r"odd.npz: X must be numbers of shape \(rows, features\)"):
        read_frame(tmp_path / "odd.npz")


PLAIN = "name,size\nada,1\nbob,2\n"


@pytest.mark.parametrize(
    "content",
    [PLAIN, "\ufeff" + PLAIN, PLAIN.replace("\n", "\r\n"), "\ufeff" + PLAIN.replace("\n", "\r\n")],
    ids=["plain", "BOM", "CRLF", "both"],
)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_marks_and_line_ends_of_other_systems_simply_work(content, ending, tmp_path):
    path = write(tmp_path / f"people{ending}", compressed(content) if ending.endswith("gz") else content)
    assert read_frame(path).to_dict(as_series=False) == {"name": ["ada", "bob"], "size": [1, 2]}


def test_the_first_bytes_say_whether_a_file_is_compressed(tmp_path):
    path = write(tmp_path / "people.csv.gz", PLAIN)
    assert read_frame(path).height == 2


def test_blanks_and_missing_texts(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,c\n 1, x ,NA\n?,y,\n3,?,2.5\n")
    read = read_frame(path, missing=("?", "NA"))
    assert read.to_dict(as_series=False) == {"a": [1, None, 3], "b": ["x", "y", None], "c": [None, None, 2.5]}


def test_missing_texts_of_an_npz_file(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(3), y=np.array(["a", "?", "b"]))
    assert read_frame(tmp_path / "t.npz", missing=("?",))["y"].to_list() == ["a", None, "b"]


def test_nan_is_missing_only_if_that_is_said(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1.0, float("nan")], "b": ["?", "x"]}).write_parquet(path)
    assert read_frame(path, missing=("?",)).null_count().row(0) == (0, 1)
    assert read_frame(path, missing=("NaN",)).null_count().row(0) == (1, 0)


def test_a_late_text_makes_no_error(tmp_path):
    path = write(tmp_path / "late.csv", "a\n" + "1\n" * 1500 + "NA\n")
    column = read_frame(path, missing=("NA",))["a"]
    assert column.dtype == pl.Int64
    assert column.null_count() == 1


def test_blocks_of_a_file_are_those_of_the_whole_table(tmp_path):
    """Numbers among blanks, texts for missing ones, and NaN among them: the same in memory and by blocks."""
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c\n 1,x ,2\n?,?,nan\nnan, y,?\n", encoding="utf-8")
    whole = read_frame(path, ("?", "NaN"))
    assert whole.to_dict(as_series=False) == {"a": [1.0, None, None], "b": ["x", None, "y"], "c": [2.0, None, None]}
    with row_blocks(path, ("?", "NaN")) as rows:
        assert rows.block(0, 3).equals(whole)
        assert rows.schema == whole.schema


@pytest.mark.parametrize(
    ("most", "rows"), [(3, [0, 4, 8]), (5, [0, 2, 4, 6, 8]), (6, [0, 2, 4, 6, 8]), (20, [*range(10)])]
)
def test_rows_that_are_spread_over_a_file_are_at_most_so_many(most, rows, tmp_path):
    path = write(tmp_path / "t.csv", "a\n" + "".join(f"{i}\n" for i in range(10)))
    with row_blocks(path) as table:
        assert table.spread(most, ["a"])["a"].to_list() == rows
