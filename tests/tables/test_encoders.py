"""Fitted encoders: the same points from every kind of table, from single rows, and after JSON."""

import datetime as dt
from collections import namedtuple
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError

pytestmark = pytest.mark.usefixtures("sound_parquet")


def shop(n=400, seed=0):
    """A table in raw units, with texts, dates, truth values, gaps and an identifier."""
    rng = np.random.default_rng(seed)
    gaps = rng.random((3, n)) < 0.1
    return pl.DataFrame(
        {
            "user_id": np.arange(n) + 5000,
            "income": np.round(rng.lognormal(10, 1, n), 2),
            "age": pl.Series(rng.integers(18, 80, n)).set(pl.Series(gaps[0]), None),
            "city": pl.Series(rng.choice(["Rome", "Oslo", "Zürich", "?"], n)).set(pl.Series(gaps[1]), None),
            "member": pl.Series(rng.random(n) < 0.3).set(pl.Series(gaps[2]), None),
            "since": [dt.datetime(2020, 1, 1) + dt.timedelta(hours=int(h)) for h in rng.integers(0, 9999, n)],
            "shop": rng.integers(1, 4, n),
            "currency": ["EUR"] * n,
        }
    )


FRAME = shop()
ENCODING = kb.Encoding(categorical=("shop",))
ENCODER = ENCODING.fit(FRAME)
POINTS = ENCODER.transform(FRAME)


def kinds(frame, folder):
    frame.write_parquet(folder / "shop.parquet")
    return {
        "pandas": frame.to_pandas(),
        "arrow": frame.to_arrow(),
        "lazy": frame.lazy(),
        "columns": frame.to_dict(as_series=False),
        "arrays": {column.name: column.to_list() if column.null_count() else column.to_numpy() for column in frame},
        "parquet": folder / "shop.parquet",
    }


def test_every_kind_of_table_gives_the_same_encoder_and_points(tmp_path):
    for kind, table in kinds(FRAME, tmp_path).items():
        assert ENCODING.fit(table).to_json() == ENCODER.to_json(), kind
        assert np.array_equal(ENCODER.transform(table), POINTS), kind


def test_a_csv_file_gives_the_same_points_but_for_dates_which_it_has_as_texts(tmp_path):
    frame = FRAME.drop("since")
    frame.write_csv(tmp_path / "shop.csv")
    encoder = ENCODING.fit(frame)
    assert ENCODING.fit(tmp_path / "shop.csv").to_json() == encoder.to_json()
    assert np.array_equal(encoder.transform(tmp_path / "shop.csv"), encoder.transform(frame))


def test_a_row_is_encoded_as_in_its_table():
    frame = FRAME.to_pandas()
    Row = namedtuple("Row", FRAME.columns)
    for i in range(0, FRAME.height, 7):
        row = FRAME.row(i, named=True)
        for same in (row, Row(**row), frame.iloc[i].to_dict(), dict(reversed(row.items())) | {"more": 1}):
            assert np.array_equal(ENCODER.transform(same), POINTS[i])
        assert np.array_equal(ENCODER.transform(FRAME[i]), POINTS[i : i + 1])


def test_kinds_of_numbers_do_not_matter():
    row = FRAME.row(3, named=True)
    wanted = ENCODER.transform(row | {"shop": 2, "income": 1000, "age": 44, "member": True})
    for shop_, income, age, member in (
        (2.0, 1000.0, np.int8(44), np.True_),
        ("2", Decimal(1000), 44.0, 1),
        (np.float32(2), np.float32(1000), np.float64(44), 1.0),
    ):
        same = row | {"shop": shop_, "income": income, "age": age, "member": member}
        assert np.array_equal(ENCODER.transform(same), wanted)
        frame = FRAME[3].with_columns(shop=pl.lit(float(shop_)), age=pl.lit(float(age)), income=pl.lit(1000))
        assert np.array_equal(ENCODER.transform(frame.with_columns(member=pl.lit(True)))[0], wanted)


@pytest.mark.parametrize("nothing", [None, float("nan"), "", "NA", "?", pd.NA, pd.NaT, np.nan], ids=repr)
def test_all_that_means_missing_is_missing(nothing):
    row = FRAME.row(3, named=True)
    for name in ("age", "city", "income"):
        assert np.array_equal(ENCODER.transform(row | {name: nothing}), ENCODER.transform(row | {name: None})), name
    assert ENCODER.transform(row | {"income": None})[ENCODER.names.index("income")] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "moment",
    [
        dt.datetime(2021, 5, 6, 7, 8, 9, 123456),
        dt.datetime(2021, 5, 6, 7, 8, 9, tzinfo=dt.timezone(dt.timedelta(hours=5))),
        dt.datetime(1950, 5, 6, 7, 8, 9, 7),
        dt.date(2021, 5, 6),
        pd.Timestamp("2021-05-06 07:08:09.5"),
        np.datetime64("2021-05-06T07:08"),
    ],
    ids=repr,
)
def test_a_moment_in_a_row_is_that_of_a_table(moment):
    row = FRAME.row(3, named=True)
    table = FRAME[3].with_columns(
        since=pl.Series(np.array([moment], dtype="M8[us]") if isinstance(moment, np.generic) else [moment])
    )
    assert np.array_equal(ENCODER.transform(row | {"since": moment}), ENCODER.transform(table)[0])


def test_what_is_left_out_is_named():
    notes = "\n".join(ENCODER.notes)
    assert "all different look like identifiers: 'user_id'" in notes
    assert "one level, or none with 10 rows: 'currency'" in notes
    assert "user_id" in kb.Encoding(columns=("user_id", "age")).fit(FRAME).names, "named as a feature, it is one"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"age": "old"}, "column 'age' is 'old'; expected a number"),
        ({"age": float("inf")}, "column 'age' is inf; expected a finite number"),
        ({"age": 10**400}, "column 'age' is 1000.*; expected a number"),
        ({"age": dt.date(2020, 1, 1)}, "column 'age' is .*; expected a number, as when"),
        ({"since": 5}, "column 'since' is 5; expected a date or time"),
        ({"city": b"Rome"}, "column 'city' is b'Rome'; expected a text or a number"),
        ({"age": 1j}, "column 'age' is 1j; expected a number"),
        ({"city": ["Rome"]}, r"column 'city' is \['Rome'\]; expected a single entry, as column '.*' has"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused_by_name(change, words):
    with pytest.raises(InvalidFile, match=f"the row: {words}"):
        ENCODER.transform(FRAME.row(0, named=True) | change)


def test_a_row_without_a_column_is_refused():
    row = FRAME.row(0, named=True)
    row["Age"] = row.pop("age")
    with pytest.raises(InvalidFile, match="the row has no column 'age'; did you mean 'Age'"):
        ENCODER.transform(row)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": [1, 2, "x"]}, r"row 3 .*column 'a' is 'x', of type str; the entries before are of type int"),
        (pd.DataFrame({"a": [1, "x", None]}), "row 2 .*column 'a' is 'x', of type str"),
        ({"a": [1, 2], "b": [1]}, "columns of different lengths: 'a' has 2 entries, 'b' has 1"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a'"),
        ({"a": [1, 2], "b": 5}, "column 'b' is 5; expected a list of entries, as column 'a' has"),
        ({"a": 1, "b": 5}, "column 'a' is 1; expected a list of entries$"),
        ({}, "no columns"),
        (pl.DataFrame({"a": []}), "no rows"),
        ({"a": [object(), object()]}, "column 'a' is of type Object"),
        ({"a": [1.0, float("inf")]}, "row 2 .*column 'a' is inf"),
        (5, "table must be a data frame"),
        ([1, 2], "table must be a data frame"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(table, words):
    with pytest.raises((InvalidFile, InvalidArgument), match=words) as refusal:
        kb.Encoding(rare=1).fit(table)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("fields", [{}, {"dim": 3}, {"scaling": kb.CommonUnit()}], ids=repr)
def test_json_gives_the_same_encoder_to_the_last_bit(fields):
    encoder = kb.Encoding(categorical=("shop",), **fields).fit(FRAME)
    again = kb.Encoder.from_json(encoder.to_json())
    assert again.to_json() == encoder.to_json()
    assert np.array_equal(again.transform(FRAME), encoder.transform(FRAME))
    assert np.array_equal(again.transform(FRAME.row(0, named=True)), encoder.transform(FRAME.row(0, named=True)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"format": 1', '"format": 2', "expected format 1; got 2"),
        ('"scale": ', '"scale": "x", "s": ', "could not convert"),
        ('"kept": [0', '"kept": [99', "kept must be positions among"),
        ('"means": [', '"means": [1.0, ', "means must be finite numbers of shape"),
        ('"times": ["since"]', '"times": ["city"]', "times and gaps must be numerical columns"),
        ('"notes"', '"note"', "'notes' is missing"),
        ("{", "", "not JSON"),
    ],
)
def test_broken_json_is_refused_in_one_line(old, new, words):
    text = ENCODER.to_json()
    assert old in text
    with pytest.raises(InvalidFile, match=words):
        kb.Encoder.from_json(text.replace(old, new, 1))


ENTRIES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=5),
    st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
)
COLUMNS = st.one_of(
    st.lists(ENTRIES, min_size=12, max_size=12),
    *(
        st.lists(kind, min_size=12, max_size=12)
        for kind in (
            st.one_of(st.none(), st.integers(-5, 5)),
            st.one_of(st.none(), st.floats(-1e6, 1e6)),
            st.one_of(st.none(), st.sampled_from(["a", "b", "ü", "?", "1"])),
            st.one_of(st.none(), st.booleans()),
            st.one_of(st.none(), st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))),
            st.none(),
        )
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=4), COLUMNS, min_size=1, max_size=4), st.sampled_from([None, 1]))
def test_any_table_is_encoded_consistently_or_refused(columns, dim):
    try:
        encoder = kb.Encoding(rare=2, dim=dim).fit(columns)
        points = encoder.transform(columns)
    except KernelBanditsError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017 (it may be encoded, too)
        return
    assert points.shape == (12, encoder.dim)
    assert np.isfinite(points).all()
    again = kb.Encoder.from_json(encoder.to_json())
    assert np.array_equal(again.transform(columns), points)
    for i in range(12):
        row = encoder.transform({name: entries[i] for name, entries in columns.items()})
        assert np.array_equal(row, points[i]) if dim is None else np.allclose(row, points[i], rtol=1e-12, atol=1e-12)


def test_ten_thousand_levels_take_no_more_memory_than_their_columns():
    levels = pl.DataFrame({"level": [f"l{i % 10_000}" for i in range(20_000)], "x": np.arange(20_000) % 7})
    encoder = kb.Encoding(rare=10).fit(levels)
    assert encoder.names == ("x",), "no level has ten rows"
    assert kb.Encoding(rare=2).fit(levels.filter(pl.col("level") < "l2")).dim > 1000


def test_a_row_that_pandas_takes_from_a_frame_is_that_row():
    frame = pd.DataFrame({7: [1.0, 2.5, 4.0], "zone": ["a", "b", "a"], "big": [10**30, 10**31, 5]})
    encoder = kb.Encoding(rare=1).fit(frame)
    points = encoder.transform(frame)
    for number, point in enumerate(points):
        assert encoder.transform(frame.iloc[number]).tobytes() == point.tobytes()
        assert encoder.transform(frame.iloc[number].to_dict()).tobytes() == point.tobytes()
    with pytest.raises(InvalidFile, match=r"the row has no column 'zone'; known: 7, big"):
        encoder.transform(frame.iloc[0].drop("zone"))


def test_columns_that_arrow_does_not_know_are_named():
    with pytest.raises(InvalidFile, match="column 'wave' is of type Object, neither a number nor a text"):
        kb.Encoding().fit(pd.DataFrame({"x": [1.0, 2.0], "wave": [1j, 2j]}))
