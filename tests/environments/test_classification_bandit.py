import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile

pytestmark = pytest.mark.usefixtures("sound_parquet")

VISITS = kb.Classification(examples.TABLE, "offer")


@pytest.fixture
def blobs(tmp_path):
    """Two classes far apart, 40 rows each."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3.0, 1.0, (40, 4)), rng.normal(3.0, 1.0, (40, 4))])
    np.savez(tmp_path / "blobs.npz", X=X, y=np.repeat(["left", "right"], 40))
    return kb.Classification(tmp_path / "blobs.npz")


def test_the_right_class_pays_one_and_the_others_nothing():
    data, rounds = VISITS.data(), VISITS.draw(0).rounds(100, np.random.default_rng(1))
    assert data.names == ("cake", "coffee", "tea")
    for t in range(100):
        [row] = np.flatnonzero((data.points == rounds.contexts[t, 0]).all(axis=1))
        assert rounds.means[t].tolist() == [float(data.codes[row] == arm) for arm in range(3)]
    assert not rounds.noise.any()


def test_all_arms_share_the_context_without_copies():
    contexts = VISITS.draw(0).rounds(20, np.random.default_rng(1)).contexts
    assert contexts.strides[1] == 0
    assert np.array_equal(contexts[:, 0], contexts[:, 2])


def test_every_row_is_served_once():
    rounds = VISITS.draw(0).rounds(150, np.random.default_rng(1))
    assert len(np.unique(rounds.contexts[:, 0], axis=0)) == len(np.unique(VISITS.data().points, axis=0))
    with pytest.raises(InvalidArgument, match="horizon must be at most 150, as each row is served once; got 151"):
        VISITS.draw(0).rounds(151, np.random.default_rng(1))
    with pytest.raises(InvalidArgument, match="at most 150"):
        VISITS.notes(151)


def test_a_kernel_method_learns_what_uniform_does_not(blobs):
    instance = blobs.draw(0)
    learnt = kb.play(kb.ExploreThenCommit(kb.KernelRidge(kb.Gaussian(1.0), 0.1), 20), instance, 80, rng=1)
    assert learnt.regrets[20:].sum() == 0.0
    assert kb.play(kb.Uniform(), instance, 80, rng=1).regrets.sum() > 20


def test_what_learners_are_told(blobs):
    problem = replace(blobs, reward_norm=3.0).draw(0).problem(50)
    assert (problem.n_arms, problem.dim, problem.horizon, problem.noise_std) == (2, 4, 50, 0.0)
    assert problem.reward_norms.tolist() == [3.0, 3.0]


def test_the_oracle_of_rows_that_contradict_each_other_knows_the_shares(tmp_path):
    pl.DataFrame({"x": [0, 0, 0, 1], "y": ["a", "a", "b", "b"]}).write_csv(tmp_path / "t.csv")
    instance = kb.Classification(tmp_path / "t.csv", min_rows=1).draw(0)
    context = instance.data.points[:1]
    assert np.allclose(instance.means(np.repeat(context, 2, axis=0)), [2 / 3, 1 / 3])
    with pytest.raises(InvalidArgument, match="that of arm 0 is no row of the table"):
        instance.means(np.full((2, 1), 9.0))


def test_arrays_are_as_good_as_a_file(blobs):
    with np.load(blobs.path) as arrays:
        instance = kb.ClassificationInstance.of(arrays["X"], arrays["y"], rng=5)
    assert np.array_equal(instance.data.points, blobs.data().points)
    ours, theirs = (i.rounds(30, np.random.default_rng(2)) for i in (instance, blobs.draw(5)))
    assert np.array_equal(ours.contexts, theirs.contexts)
    with pytest.raises(InvalidFile, match="X must be numbers of shape"):
        kb.ClassificationInstance.of(np.eye(3), [1, 2], rng=0)


def test_formats_agree(tmp_path):
    frame = pl.read_csv(examples.TABLE)
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(examples.TABLE.read_bytes()))
    for name in ("t.parquet", "t.csv.gz"):
        other = kb.Classification(tmp_path / name, "offer").data()
        assert np.array_equal(other.points, VISITS.data().points)
        assert np.array_equal(other.codes, VISITS.data().codes)


def test_cuts_make_classes_of_a_number(tmp_path):
    pl.DataFrame({"dose": [1.0, 2.0, 2.5, 3.0, 9.0, None], "x": range(6)}).write_csv(tmp_path / "t.csv")
    data = kb.Classification(tmp_path / "t.csv", "dose", cuts=(2, 3), min_rows=1).data()
    assert data.names == ("below 2", "2 to 3", "from 3")
    assert data.codes.tolist() == [0, 1, 1, 2, 2]
    assert "1 row without 'dose' left out" in data.notes
    with pytest.raises(InvalidArgument, match="cuts must increase"):
        kb.Classification(tmp_path / "t.csv", "dose", cuts=(3, 2))


def test_numbers_are_classes_in_the_order_of_their_size(tmp_path):
    pl.DataFrame({"y": [10, 9, 10, 9], "x": [1, 2, 3, 4]}).write_csv(tmp_path / "t.csv")
    assert kb.Classification(tmp_path / "t.csv", min_rows=2).data().names == ("9", "10")


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([True, False] * 2, ("False", "True")),
        ([1.0, 2.5] * 2, ("1", "2.5")),
        (pl.Series(["b", "a"] * 2, dtype=pl.Categorical), ("a", "b")),
        (pl.Series(["b", "a"] * 2, dtype=pl.Enum(["b", "a"])), ("a", "b")),
    ],
)
def test_labels_of_any_plain_type(labels, names, tmp_path):
    pl.DataFrame({"y": labels, "x": [1, 2, 3, 4]}).write_parquet(tmp_path / "t.parquet")
    data = kb.Classification(tmp_path / "t.parquet", min_rows=2).data()
    assert data.names == names
    assert data.codes.tolist() == [names.index(f"{y:g}" if isinstance(y, float) else str(y)) for y in labels]


def test_a_list_is_no_label(tmp_path):
    pl.DataFrame({"y": [[1], [2]], "x": [1, 2]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InvalidFile, match=r"column 'y' is of type List\(Int64\); expected a number or a text"):
        kb.Classification(tmp_path / "t.parquet").data()


def test_a_cap_on_the_rows_is_the_same_for_every_seed():
    capped = kb.Classification(examples.TABLE, "offer", max_rows=90)
    assert len(capped.data().codes) == 90
    read_again = kb.Classification(examples.TABLE, "offer", max_rows=90, min_rows=9)
    assert np.array_equal(read_again.data().points, capped.data().points)
    assert "90 of 150 rows of the file used, the same in every run" in capped.data().notes


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n" * 10, encoding="utf-8")
    environment = kb.Classification(path)
    assert environment.data() is environment.data()
    path.write_text("x,y\n" + "1,a\n2,b\n3,c\n" * 10, encoding="utf-8")
    assert environment.data().names == ("a", "b", "c")


ROWS = "1,a\n2,b\n" * 10
REFUSED = {
    "header.csv": ("x,y\n", {}, "header.csv has a header but no rows"),
    "label.csv": ("x,label\n" + ROWS, {"label": "labels"}, "label.csv has no column 'labels'; did you mean 'label'"),
    "one.csv": ("x,y\n" + "1,a\n2,a\n" * 9, {}, "one.csv: every row of column 'y' has the class 'a'"),
    "few.csv": ("x,y\n" + ROWS + "3,c\n", {}, r"few.csv: column 'y' has 3 classes, of which 1 .* 'c' \(1\)"),
    "blank.csv": ("x,y\n" + "1,\n2,\n" * 9, {}, "blank.csv: column 'y' is empty in every row"),
    "text.csv": ("x,y\n" + "1,2\n2,3\n" * 9 + "3,no\n", {"cuts": (2.5,)}, r"text.csv: row 19 .*'y' is 'no', not a num"),
    "inf.csv": ("x,y\n" + "1,2\n2,3\n" * 9 + "3,inf\n", {}, r"inf.csv: row 19 .*column 'y' is inf"),
    "bad.csv": ("x,y\n" + ROWS + "inf,\n", {}, r"bad.csv: row 21 .*column 'x' is inf"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_table_that_is_no_bandit_is_refused(name, tmp_path):
    content, fields, words = REFUSED[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidFile, match=words) as refusal:
        kb.Classification(tmp_path / name, **fields).notes(5)
    assert "\n" not in str(refusal.value)


def test_a_row_is_named_by_its_place_in_the_file_even_if_only_some_rows_are_used(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n,\n2,b\n" * 30 + "inf,a\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"row 91 .*column 'x' is inf"):
        kb.Classification(tmp_path / "t.csv", max_rows=20).notes(5)


@pytest.mark.parametrize("path", ["nowhere.parquet", Path("no/where.csv")])
def test_a_missing_file_is_refused_when_the_spec_is_built(path):
    with pytest.raises(InvalidArgument, match=r"Classification: path: no such file: .*where"):
        kb.Classification(path)


@pytest.mark.parametrize(("path", "words"), [("", "path of a file"), (3, "path of a file"), (".", "is a folder")])
def test_what_is_no_file_is_refused(path, words):
    with pytest.raises(InvalidArgument, match=words):
        kb.Classification(path)
