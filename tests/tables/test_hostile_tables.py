"""Files that are damaged, far larger than they look, or something else: one line, before memory is used."""

import gzip
import io
import zipfile

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import InvalidFile, TooLarge
from kernelbandits.linalg import machine
from kernelbandits.tables import read_frame


def refused(path, kind=InvalidFile):
    with pytest.raises(kind) as caught:
        read_frame(path)
    assert len(str(caught.value)) <= 1000
    assert "\n" not in str(caught.value)
    return str(caught.value)


def archive(path, **shapes):
    """An npz file whose arrays claim these shapes; only X has data, zeros that pack to a thousandth."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, shape in shapes.items():
            header = io.BytesIO()
            form = {"descr": "<f8", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(header, form)
            file.writestr(f"{name}.npy", header.getvalue() + bytes(8 * min(10**6, int(np.prod(shape)))))
    return path


def test_an_npz_of_gigabytes_is_refused_by_its_headers(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 4 * 10**9)
    path = archive(tmp_path / "bomb.npz", X=(10**6, 1000), y=(10**6,))
    assert path.stat().st_size < 10**5
    assert refused(path, TooLarge).startswith(
        "array 'X' of bomb.npz needs 24 GB of memory, of which 4 GB are available"
    )


def test_an_npz_that_claims_more_than_it_has_is_one_line(tmp_path):
    assert "cannot be read: " in refused(archive(tmp_path / "short.npz", X=(2 * 10**6, 1), y=(4,)))


def test_an_array_that_is_no_archive_is_one_line(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "x.npy").rename(tmp_path / "x.npz")
    assert refused(tmp_path / "x.npz") == "x.npz cannot be read: File is not a zip file; is it complete?"


def test_gzip_of_gigabytes_is_noticed_while_reading(tmp_path, monkeypatch):
    for module in ("linalg.machine", "tables.csv_files"):
        monkeypatch.setattr(f"kernelbandits.{module}.available_memory", lambda: 7 * 10**7)
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        file.write(b"x,y\n" + b"1,2\n" * 2 * 10**7)
    assert "bomb.csv.gz, unpacked, needs " in refused(tmp_path / "bomb.csv.gz", TooLarge)


def test_parquet_of_gigabytes_is_refused_by_its_rows(tmp_path, monkeypatch):
    for module in ("linalg.machine", "tables.files"):
        monkeypatch.setattr(f"kernelbandits.{module}.available_memory", lambda: 7 * 10**7)
    path = tmp_path / "bomb.parquet"
    pl.select(pl.repeat(1, 5 * 10**6).alias("x"), pl.repeat(2, 5 * 10**6).alias("y")).write_parquet(path)
    assert refused(path, TooLarge).startswith("bomb.parquet needs 160 MB of memory")


@pytest.mark.parametrize("place", [14, 438], ids=["aborts", "panics"])
def test_parquet_on_which_polars_aborts_or_panics_is_one_line(tmp_path, capfd, place):
    path = tmp_path / "damaged.parquet"
    pl.DataFrame({"x": np.arange(200.0), "b": ["x", "y"] * 100}).write_parquet(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
    assert refused(path).startswith("damaged.parquet cannot be read")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["a" * 10**6 + ",b\n1,2\n", "a" * 10**5 + ",b\n1,2\n", "a" * 10**7 + "\n1\n"])
def test_a_header_of_a_million_characters_is_one_line(tmp_path, text):
    (tmp_path / "long.csv").write_text(text, encoding="utf-8")
    assert refused(tmp_path / "long.csv").startswith("long.csv")


def test_a_cell_of_a_million_characters_is_not_echoed(tmp_path):
    (tmp_path / "long.csv").write_text("x,y\n1,2\n2,3\n" + "z" * 10**6 + ",4\n", encoding="utf-8")
    done = run("diagnose", "long.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "row 3 (the first below the header is 1), column 'x' is 'zzz" in done.stderr
    assert len(done.stderr) < 1000


def test_names_with_stars_are_not_taken_for_several_files(tmp_path):
    for name in ("a.parquet", "b.parquet", "?.parquet"):
        pl.DataFrame({name: [1.0]}).write_parquet(tmp_path / name)
    assert read_frame(tmp_path / "?.parquet").columns == ["?.parquet"]
    (tmp_path / "[a].csv").write_text("x,y\n1,2\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("z\n1\n", encoding="utf-8")
    assert read_frame(tmp_path / "[a].csv").columns == ["x", "y"]


def test_pandas_frames_with_numbers_as_names_and_gaps_in_texts():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({0: np.arange(40.0) % 7, "kind": (["a", "b", "b", None] * 10)})
    encoder = kb.Encoding(rare=1).fit(frame)
    assert encoder.names == ("0", "kind = a", "kind = b", "kind is missing")
    frame["odd"] = [object() for _ in range(40)]
    with pytest.raises(InvalidFile, match="'odd' is of type Object, neither a number nor a text"):
        kb.Encoding().fit(frame)
    frame["odd"] = [1, "x"] * 20
    with pytest.raises(InvalidFile, match=r"row 2 .*'odd' is 'x'"):
        kb.Encoding().fit(frame)
