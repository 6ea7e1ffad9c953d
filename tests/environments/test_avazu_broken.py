"""Broken Avazu files: one clear line that names file, column and row; nothing is left behind."""

import gzip
import re

import pytest

import examples
import kernelbandits as kb
from command import run
from kernelbandits.environments.avazu import COLUMNS
from kernelbandits.errors import InvalidFile

ROWS = examples.IMPRESSIONS.read_text(encoding="utf-8").splitlines()
DESIGN = kb.AvazuDesign(dim=5, n_oracle=20, n_contexts=30)


def changed(row, column, value):
    """The rows with one field replaced; row 1 is the first below the header."""
    fields = ROWS[row].split(",")
    fields[COLUMNS.index(column)] = value
    return [*ROWS[:row], ",".join(fields), *ROWS[row + 1 :]]


def all_clicks(value, where=lambda fields: True):
    rows = [row.split(",") for row in ROWS[1:]]
    return [ROWS[0], *(",".join([r[0], value if where(r) else r[1], *r[2:]]) for r in rows)]


def without(column):
    place = COLUMNS.index(column)
    return [",".join(field for i, field in enumerate(row.split(",")) if i != place) for row in ROWS]


def text(rows):
    return ("\n".join(rows) + "\n").encode()


ARM_3 = [row for row in ROWS[1:] if row.split(",")[0].endswith("3")]
COMPRESSED = gzip.compress(text(ROWS), mtime=0)
BROKEN = {
    "missing-column": (text(without("C17")), "has no column 'C17'"),
    "missing-click": (text(without("click")), "has no column 'click'"),
    "missing-id": (text(without("id")), "has no column 'id'"),
    "misspelt-column": (text([ROWS[0].replace("site_id", "site_idd"), *ROWS[1:]]), "did you mean 'site_idd'"),
    "column-twice": (text([ROWS[0].replace("C20", "C21"), *ROWS[1:]]), "has two columns called 'C21'"),
    "empty": (b"", "is empty; expected a header"),
    "header-only": (text(ROWS[:1]), "has a header but no rows"),
    "truncated-gzip": (COMPRESSED[: len(COMPRESSED) // 2], "the gzip data end too early"),
    "garbled-gzip": (COMPRESSED[:3000] + b"\xff" * 3000 + COMPRESSED[6000:], "the gzip data are broken"),
    "semicolons": (text(ROWS).replace(b",", b";"), "seems to be separated by semicolons"),
    "tabs": (text(ROWS).replace(b",", b"\t"), "seems to be separated by tabs"),
    "click-is-a-word": (text(changed(7, "click", "yes")), r"row 7 \(.*\), column 'click' is 'yes'; expected 0 or 1"),
    "click-is-two": (text(changed(30, "click", "2")), r"row 30 \(.*\), column 'click' is '2'; expected 0 or 1"),
    "click-is-empty": (text(changed(9, "click", "")), r"row 9 \(.*\), column 'click' is ''; expected 0 or 1"),
    "click-is-nan": (text(changed(9, "click", "nan")), r"row 9 \(.*\), column 'click' is 'nan'; expected 0 or 1"),
    "no-digit": (text(changed(11, "id", "12ab")), r"row 11 \(.*\), column 'id' is '12ab'; its last character"),
    "few-rows": (
        text([row for row in ROWS if row not in ARM_3[20:]]),
        r"arm 3 \('id' ends in 3\) has 20 rows; it needs 20",
    ),
    "no-rows-of-an-arm": (text([row for row in ROWS if row not in ARM_3]), r"arm 3 .* has 0 rows"),
    "all-clicks": (text(all_clicks("1")), "column 'click' is 1 in all .* nothing to learn"),
    "no-clicks": (text(all_clicks("0")), "column 'click' is 0 in all .* nothing to learn"),
    "an-arm-without-clicks": (
        text(all_clicks("0", lambda fields: fields[0].endswith("4"))),
        r"arm 4 .* has 'click' = 0 in all its rows",
    ),
    "short-row": (text([*ROWS[:12], ROWS[12].rsplit(",", 2)[0], *ROWS[13:]]), r"row 12 \(.*\) has 22 fields"),
    "long-row": (text([*ROWS[:12], ROWS[12] + ",1", *ROWS[13:]]), r"row 12 \(.*\) has 25 fields; the header has 24"),
    "blank-row": (text([*ROWS[:12], "", *ROWS[12:]]), r"row 12 \(.*\) has 0 fields"),
    "cut-off": (text(ROWS)[:-40], r"row 800 \(.*\) has \d+ fields; the header has 24"),
    "no-text": (
        text(ROWS).replace(ROWS[8].split(",")[5].encode(), b"\xff\xfe", 1),
        r"row \d+ \(.*\), column 'site_id' is not UTF-8 text",
    ),
    "zip": (b"PK\x03\x04" + bytes(50), "is a zip archive; unpack it"),
    "parquet": (b"PAR1" + bytes(50), "is a parquet file"),
    "binary": (bytes(range(128, 256)) * 9, "the header is not UTF-8 text"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_clear_line(tmp_path, name):
    content, words = BROKEN[name]
    path = tmp_path / f"{name}.csv"
    path.write_bytes(content)
    environment = kb.Avazu(path, DESIGN)
    with pytest.raises(InvalidFile, match=words) as refusal:
        environment.notes(100)
    message = str(refusal.value)
    assert f"{name}.csv" in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["truncated-gzip", "click-is-a-word", "semicolons"])
def test_the_command_says_so_and_writes_nothing(tmp_path, name):
    content, words = BROKEN[name]
    path = tmp_path / f"{name}.csv"
    path.write_bytes(content)
    done = run("reproduce", "table-1", "--data", str(path), cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(words, done.stderr), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path):
    done = run("reproduce", "table-1", "--data", "nowhere.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_dropped_feature_need_not_be_in_the_file(tmp_path):
    path = tmp_path / "less.csv"
    path.write_bytes(text(without("device_ip")))
    design = kb.AvazuDesign(dim=5, n_oracle=20, n_contexts=30, drop=("device_ip",))
    assert "21 features" in kb.Avazu(path, design).notes(100)[1]
