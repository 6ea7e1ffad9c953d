import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile

FRAME = pl.DataFrame(
    {
        "age": [20.0, 30.0, None, 50.0, 60.0, 20.0],
        "same": [3, 3, 3, 3, 3, 3],
        "city": ["rome", "oslo", "rome", None, "bonn", "rome"],
        "code": [1, 2, 1, 1, 2, 2],
        "fits": [True, False, True, True, False, False],
    }
)


def by_hand(level=0.5):
    """The encoding of FRAME with rare = 2 and `code` categorical, entry by entry."""
    mean = (20 + 30 + 50 + 60 + 20) / 5
    ages = [20, 30, mean, 50, 60, 20]
    spread = np.sqrt(sum((age - mean) ** 2 for age in ages) / 6)
    rows = [
        [(age - mean) / spread, 2.0 * fits - 1.0, gap, rome, lost, rare, one, two]
        for age, fits, gap, rome, lost, rare, one, two in zip(
            ages,
            [1, 0, 1, 1, 0, 0],
            [0, 0, 1, 0, 0, 0],
            [1, 0, 1, 0, 0, 1],
            [0, 0, 0, 1, 0, 0],
            [0, 1, 0, 0, 1, 0],
            [1, 0, 1, 1, 0, 0],
            [0, 1, 0, 0, 1, 1],
            strict=True,
        )
    ]
    X = np.array(rows) - np.mean(rows, axis=0)
    return X * np.sqrt(level / (np.sum(X**2) / 6 / 8))


def test_columns_as_worked_out_by_hand():
    encoder, points = kb.Encoding(categorical=("code",), rare=2).encode(FRAME, "t.csv")
    names = ("age", "fits", "age is missing", "city = rome", "city is missing", "city is rare", "code = 1", "code = 2")
    assert encoder.names == names
    assert np.allclose(points, by_hand())


def test_everything_is_said():
    notes = "\n".join(kb.Encoding(categorical=("code",), rare=2).fit(FRAME).notes)
    for words in (
        "2 numerical columns, each to mean 0 and variance 1",
        "missing numbers in 'age' (1): filled with the mean",
        "left out, because they do not vary: 'same'",
        "2 categorical columns as 5 columns of 0 and 1",
        "fewer than 2 rows share one column: 'city' (2)",
        "missing categories are a separate level: 'city' (1)",
        "8 features, scaled so that ‖x‖²/d averages 0.5",
    ):
        assert words in notes


@pytest.mark.parametrize("fields", [{}, {"dim": 2}, {"scaling": kb.CommonUnit()}], ids=repr)
def test_a_fitted_encoder_encodes_a_row_as_it_did_when_fitted(fields):
    encoding = kb.Encoding(categorical=("code",), rare=2, **fields)
    encoder, points = encoding.encode(FRAME, "t.csv")
    assert np.array_equal(encoder.transform_frame(FRAME, "t.csv"), points)
    assert np.allclose(encoder.transform(FRAME[3:5]), points[3:5])


def test_a_fitted_encoder_takes_values_that_it_has_not_seen():
    encoder = kb.Encoding(categorical=("code",), rare=2).fit(FRAME)
    later = FRAME[:1].with_columns(city=pl.lit("lima"), code=pl.lit(None, pl.Int64), age=pl.lit(None, pl.Float64))
    [found] = encoder.transform(later) / encoder.scale + encoder.center
    assert np.allclose(found, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]), "a new city is rare, a missing code no level"


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (FRAME.drop("age"), "later.csv has no column 'age'"),
        (FRAME.rename({"city": "City"}), "later.csv has no column 'city'; did you mean 'City'"),
        (FRAME.with_columns(age=pl.lit("old")), "column 'age' is not numeric .*it was numeric when"),
        (FRAME.with_columns(age=pl.lit(float("inf"))), r"later.csv: row 1 .*column 'age' is inf"),
    ],
)
def test_a_table_that_does_not_fit_the_encoder_is_refused(frame, words):
    encoder = kb.Encoding(categorical=("code",), rare=2).fit(FRAME)
    with pytest.raises(InvalidFile, match=words):
        encoder.transform_frame(frame, "later.csv")


@given(
    st.integers(3, 40),
    st.integers(1, 6),
    st.floats(0.01, 100.0),
    st.sampled_from([kb.UnitVariance(), kb.CommonUnit()]),
    st.integers(0, 1000),
)
def test_points_are_centred_and_at_the_level(n, p, level, scaling, seed):
    rng = np.random.default_rng(seed)
    columns = {f"x{j}": rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4) for j in range(p)}
    _, points = kb.Encoding(level=level, scaling=scaling).encode(pl.DataFrame(columns), "t")
    assert points.shape == (n, p)
    assert np.allclose(points.mean(axis=0), 0.0, atol=1e-9 * np.sqrt(level * p))
    assert np.isclose(np.mean(np.sum(points**2, axis=1)) / p, level)


def test_unit_variance_weighs_columns_equally_and_a_common_unit_does_not():
    frame = pl.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [0.0, 10.0, 10.0, 0.0]})
    each = kb.Encoding().encode(frame, "t")[1].std(axis=0)
    common = kb.Encoding(scaling=kb.CommonUnit()).encode(frame, "t")[1].std(axis=0)
    assert np.isclose(each[0], each[1])
    assert np.isclose(common[1] / common[0], frame["b"].std(ddof=0) / frame["a"].std(ddof=0))


def test_principal_components_are_those_of_the_singular_value_decomposition():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5))
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(5)})
    encoder, points = kb.Encoding(dim=2, scaling=kb.CommonUnit()).encode(frame, "t")
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    wanted = U[:, :2] * s[:2]
    wanted *= np.sqrt(0.5 * 2 * 60 / np.sum(wanted**2))
    assert np.allclose(np.abs(points), np.abs(wanted))
    share = np.sum(s[:2] ** 2) / np.sum(s**2)
    assert f"5 columns reduced to 2 principal components, which hold {share:.1%} of the variance" in encoder.notes


@pytest.mark.parametrize("seed", range(3))
def test_the_largest_entry_of_a_principal_axis_is_positive(seed):
    """An eigenvector is known up to its sign only: without a rule, it is up to the library that computes it."""
    X = np.random.default_rng(seed).standard_normal((60, 5))
    encoder, points = kb.Encoding(dim=4).encode(pl.DataFrame({f"x{j}": X[:, j] for j in range(5)}), "t")
    largest = encoder.axes[np.abs(encoder.axes).argmax(axis=0), np.arange(4)]
    assert (largest > 0.0).all()
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert np.allclose(points, encoder.scale * standard @ encoder.axes)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([1.0, float("nan"), 2.0, 2.0], r"t\.csv: row 2 .*column 'x' is nan \(1 such\)"),
        ([1.0, 2.0, float("inf"), 2.0], r"t\.csv: row 3 .*column 'x' is inf"),
        ([1.0, 2.0, 1e200, 2.0], r"t\.csv: row 3 .*column 'x' is 1e\+200"),
        (["1", "2", "many", "4"], r"row 3 .*column 'x' is 'many', not a number, though most of the column are"),
        ([[1], [2], [3], [4]], r"column 'x' is of type List\(Int64\), neither a number nor a text"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(column, words):
    with pytest.raises(InvalidFile, match=words):
        kb.Encoding().encode(pl.DataFrame({"good": [1, 2, 3, 5], "x": column}), "t.csv")


def test_texts_that_look_like_numbers_are_categories_if_that_is_said():
    frame = pl.DataFrame({"x": ["1", "2", "many", "1"]})
    assert len(kb.Encoding(categorical=("x",), rare=1).fit(frame).names) == 3


@pytest.mark.parametrize("frame", [pl.DataFrame({"x": [1, 1, 1]}), pl.DataFrame({"x": ["a", "b", "c"]})])
def test_a_table_without_variation_is_refused(frame):
    with pytest.raises(InvalidFile, match=r"t: no feature varies \(left out"):
        kb.Encoding().encode(frame, "t")


def test_more_components_than_columns_are_refused():
    with pytest.raises(InvalidFile, match="dim must be at most 2 for 4 rows of 2 encoded columns; got 3"):
        kb.Encoding(dim=3).encode(pl.DataFrame({"a": [1, 2, 3, 5], "b": [1, 0, 1, 1]}), "t")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"columns": ("a", "b", "a")}, "columns names 'a' twice"),
        ({"drop": ("a", "a")}, "drop names 'a' twice"),
        ({"columns": ("a",), "drop": ("a",)}, "'a' is named as a feature and in drop"),
        ({"columns": ("zone", "b"), "categorical": ("zoen",)}, "'zoen', which is not in columns; did you mean 'zone'"),
    ],
)
def test_names_that_contradict_each_other_are_refused(fields, words):
    with pytest.raises(InvalidArgument, match=words):
        kb.Encoding(**fields)


def test_unknown_and_doubly_used_columns():
    encoding = kb.Encoding(columns=("age", "city"))
    assert encoding.features(("age", "city", "y"), ["y"], "t") == ["age", "city"]
    assert kb.Encoding(drop=("age",)).features(("age", "city", "y"), ["y"], "t") == ["city"]
    with pytest.raises(InvalidFile, match="t has no column 'city'; did you mean 'City'"):
        encoding.features(("age", "City"), [], "t")
    with pytest.raises(InvalidFile, match="t: column 'age' has another use"):
        encoding.features(("age", "city"), ["age"], "t")
    with pytest.raises(InvalidFile, match="no column left as a feature"):
        kb.Encoding().features(("y",), ["y"], "t")


def test_a_common_unit_gives_numbers_a_variance_of_1_on_average():
    std = np.array([1.0, 7.0, 0.5])
    factors = kb.CommonUnit().factors(std)
    assert np.ptp(factors) == 0.0
    assert np.mean((factors * std) ** 2) == pytest.approx(1.0)
