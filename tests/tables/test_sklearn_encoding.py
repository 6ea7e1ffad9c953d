"""scikit-learn transformers and pipelines in the place of an encoding."""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile

pytestmark = pytest.mark.usefixtures("sound_parquet")


def table(n=60):
    rng = np.random.default_rng(0)
    age = rng.normal(45.0, 12.0, n)
    age[3] = np.nan
    return pl.DataFrame(
        {"age": age, "income": 4e4 * np.exp(rng.normal(size=n)), "city": ["Rome", "Oslo", "Bern"] * (n // 3)}
    )


NUMBERS = kb.SklearnEncoding(make_pipeline(SimpleImputer(), StandardScaler()), columns=("age", "income"))
MIXED = kb.SklearnEncoding(
    make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income"]),
        (OneHotEncoder(handle_unknown="ignore"), ["city"]),
    )
)


@pytest.mark.parametrize("encoding", [NUMBERS, MIXED], ids=["numbers", "mixed"])
def test_rows_tables_and_kinds_agree(encoding, tmp_path):
    frame = table()
    encoder = encoding.fit(frame)
    points = encoder.transform(frame)
    assert points.shape == (60, encoder.dim)
    np.testing.assert_array_equal(encoder.transform(frame.to_pandas()), points)
    frame.write_parquet(tmp_path / "t.parquet")
    np.testing.assert_array_equal(encoder.transform(tmp_path / "t.parquet"), points)
    np.testing.assert_array_equal(encoder.transform(frame.select("city", "income", "age")), points)
    for i in (0, 3, 59):
        np.testing.assert_allclose(encoder.transform(frame.row(i, named=True)), points[i], rtol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(encoder)).transform(frame), points)


def test_names_notes_and_the_transformer_itself():
    encoder = MIXED.fit(table())
    assert encoder.names[-3:] == ("onehotencoder__city_Bern", "onehotencoder__city_Oslo", "onehotencoder__city_Rome")
    assert encoder.notes[0].startswith("5 features made by ColumnTransformer; ‖x‖²/d averages ")
    assert not hasattr(MIXED.transformer, "transformers_")  # a copy was fitted
    assert encoder.transform({"age": 40, "income": 1, "city": "Paris"})[-3:].tolist() == [0.0, 0.0, 0.0]
    nameless = kb.SklearnEncoding(
        FunctionTransformer(lambda frame: frame.select("age", "income").fill_nan(0.0).to_numpy())
    )
    assert nameless.fit(table().fill_nan(0.0)).names == ("feature 0", "feature 1")


def test_bandits_and_logs_take_it(tmp_path):
    rng = np.random.default_rng(0)
    frame = table(300).with_columns(
        arm=pl.Series(rng.integers(2, size=300)), reward=rng.random(300), propensity=pl.Series(np.full(300, 0.5))
    )
    frame.write_parquet(tmp_path / "log.parquet")
    taken = ("arm", "reward", "propensity")
    expected = MIXED.fit(frame, others=taken).transform(frame)
    log = kb.LogFile(tmp_path / "log.parquet", encoding=MIXED).read()
    np.testing.assert_array_equal(log.contexts, expected)
    classes = kb.Classification(tmp_path / "log.parquet", "city", encoding=NUMBERS)
    np.testing.assert_array_equal(classes.data().points, NUMBERS.fit(frame).transform(frame))
    assert kb.play(kb.Uniform(), classes.draw(0), 20, rng=1).regrets.shape == (20,)


@pytest.mark.parametrize(
    ("transformer", "words"),
    [
        (StandardScaler(), "StandardScaler cannot be fitted to it: "),
        (make_pipeline(FunctionTransformer(lambda frame: frame["age"].to_numpy())), r"made shape \(60,\); expected"),
        (FunctionTransformer(lambda frame: frame.select("age").to_numpy()), r"nan of row 4 .*; put an imputer first"),
        (make_pipeline(SimpleImputer(), PCA(5)), "Pipeline cannot be fitted to it: "),
    ],
)
def test_what_a_transformer_refuses_is_one_line(transformer, words):
    with pytest.raises(InvalidFile, match=words) as refusal:
        kb.SklearnEncoding(transformer).fit(table().with_columns(pl.col("age").fill_nan(None)))
    assert "\n" not in str(refusal.value)


def test_misuse_is_refused():
    with pytest.raises(InvalidArgument, match="an object with the methods fit and transform"):
        kb.SklearnEncoding(StandardScaler)
    with pytest.raises(InvalidArgument, match=r"Encoding: .*transformer must be"):
        kb.SklearnEncoding(None)
    encoder = NUMBERS.fit(table())
    with pytest.raises(InvalidFile, match="no column 'age'"):
        encoder.transform(table().drop("age"))
    with pytest.raises(InvalidFile, match="another type than when fitted"):
        encoder.transform(table().with_columns(age=pl.lit("old")))
    with pytest.raises(InvalidArgument, match="cannot be saved without code; it needs that transformer"):
        encoder.to_json()


def test_a_table_of_toml_without_a_type_is_an_encoding(tmp_path):
    from kernelbandits.specs import from_table

    table().write_parquet(tmp_path / "t.parquet")
    given = {"type": "Classification", "path": str(tmp_path / "t.parquet"), "label": "city", "encoding": {"rare": 3}}
    assert from_table(given, kb.Environment, "here").encoding == kb.Encoding(rare=3)
