"""The Avazu pipeline against slow, obvious versions, on a made file of the stand-in."""

import gzip

import numpy as np
import polars as pl
import pytest

import examples
import kernelbandits as kb
from kernelbandits.environments.avazu import COLUMNS, FEATURES, priorities
from kernelbandits.environments.impressions import principal_components, sample_rows
from kernelbandits.errors import InvalidArgument
from kernelbandits.tables import read_blocks

ROWS = examples.IMPRESSIONS.read_text(encoding="utf-8").splitlines()
SMALL = kb.AvazuDesign(dim=5, n_oracle=20, n_contexts=30)


def splitmix64(i):
    mask = 2**64 - 1
    z = (i + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def sampled(path=examples.IMPRESSIONS, per_arm=30, column="id", block_bytes=1 << 24):
    return sample_rows(read_blocks(path, COLUMNS, block_bytes), "file", column, FEATURES, per_arm)


@pytest.mark.parametrize("column", ["id", "C14"])
def test_the_sample_is_the_rows_of_lowest_priority_of_each_arm(column):
    frame = pl.read_csv(examples.IMPRESSIONS, infer_schema_length=0)
    digits = [int(text[-1]) for text in frame[column]]
    wanted = sorted(
        i for arm in range(10) for i in sorted((i for i, d in enumerate(digits) if d == arm), key=splitmix64)[:30]
    )
    sample = sampled(column=column)
    assert sample.features.equals(frame[wanted].select(FEATURES))
    assert sample.clicks.tolist() == [float(frame["click"][i]) for i in wanted]
    assert sample.arms.tolist() == [digits[i] for i in wanted]
    assert sample.n_seen == frame.height == len(ROWS) - 1


@pytest.mark.parametrize("block_bytes", [50, 10_000])
def test_blocks_of_any_size_give_the_same_sample(block_bytes):
    whole, pieces = sampled(), sampled(block_bytes=block_bytes)
    assert pieces.features.equals(whole.features)
    assert np.array_equal(pieces.clicks, whole.clicks)
    assert np.array_equal(pieces.arms, whole.arms)


def test_priorities_are_those_of_a_plain_splitmix64():
    assert priorities(7, 20).tolist() == [splitmix64(i) for i in range(7, 27)]


def write(path, text, encoding="utf-8"):
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crlf.csv", "\r\n".join(ROWS) + "\r\n"),
        ("bom.csv", "\ufeff" + "\n".join(ROWS) + "\n"),
        ("both.csv.gz", "\ufeff" + "\r\n".join(ROWS) + "\r\n"),
        ("no-last-newline.csv", "\n".join(ROWS)),
        ("blank-lines-at-the-end.csv", "\n".join(ROWS) + "\n\n\n"),
        ("gzip-by-content.csv.gz", "\n".join(ROWS) + "\n"),
        ("quoted.csv", "\n".join(",".join(f'"{field}"' for field in row.split(",")) for row in ROWS) + "\n"),
        ("one-more-column.csv", "\n".join(f"{i if i else 'index'},{row}" for i, row in enumerate(ROWS)) + "\n"),
    ],
)
def test_files_of_other_habits_hold_the_same_rows(tmp_path, name, text):
    sample, wanted = sampled(write(tmp_path / name, text)), sampled()
    assert sample.features.equals(wanted.features)
    assert np.array_equal(sample.clicks, wanted.clicks)


def test_an_empty_field_is_a_value_of_its_own(tmp_path):
    fields = ROWS[5].split(",")
    fields[COLUMNS.index("site_id")] = fields[COLUMNS.index("C21")] = ""
    path = write(tmp_path / "gap.csv", "\n".join([*ROWS[:5], ",".join(fields), *ROWS[6:]]))
    frame = pl.concat([block.rows for block in read_blocks(path, COLUMNS)])
    assert frame["site_id"][4] == frame["C21"][4] == ""


def one_hot(frame):
    return kb.Encoding(categorical=tuple(frame.columns), missing=(), rare=1).number(frame, "rows").one_hot(frame)


def test_one_hot_has_a_column_for_each_value_of_each_feature():
    frame = pl.DataFrame({"a": ["x", "y", "x", ""], "b": ["x", "x", "x", "z"], "c": ["10", "9", "9", "010"]})
    dense = one_hot(frame).toarray()
    values = [(name, value) for name in frame.columns for value in sorted(set(frame[name]))]
    wanted = {tuple(float(v == value) for v in frame[name]) for name, value in values}
    assert dense.shape == (4, len(values))
    assert {tuple(column) for column in dense.T} == wanted
    assert (dense.sum(axis=1) == 3).all()


def test_components_are_those_of_the_centred_dense_matrix():
    rows, dim, fitted = one_hot(sampled().features), 12, np.arange(200)
    points = principal_components(rows, fitted, dim, level=0.5, rng=np.random.default_rng(0))
    dense = rows.toarray()
    centred = dense - dense[fitted].mean(axis=0)
    _, _, axes = np.linalg.svd(centred[fitted], full_matrices=False)
    unseen = dense[fitted].sum(axis=0) == 0
    assert unseen.sum() > 20
    centred[:, unseen] = 0.0  # values that no fitted row had add nothing
    exact = centred @ axes[:dim].T
    exact *= np.sqrt(0.5 * dim * 200 / (exact[fitted] ** 2).sum())
    assert (points[fitted] ** 2).sum() / (dim * 200) == pytest.approx(0.5, rel=1e-12)
    assert np.allclose(points @ points[fitted].T, exact @ exact[fitted].T, atol=1e-8), "up to the signs of the axes"


def test_no_row_is_both_oracle_and_context_and_all_are_used():
    impressions = kb.Avazu(examples.IMPRESSIONS, SMALL).impressions()
    instance = impressions.draw(0)
    assert [len(rows) for rows in instance.groups] == [len(group) - 20 for group in impressions.groups]
    assert [len(oracle.centers) for oracle in instance.oracles] == [20] * 10
    everything = np.concatenate(list(impressions.groups))
    assert sorted(everything) == list(range(len(impressions.clicks))), "each row in one group"
    # Rows of the stand-in differ in their address, so equal contexts would be the same row.
    for oracle, rows in zip(instance.oracles, instance.groups, strict=True):
        assert not {x.tobytes() for x in oracle.centers} & {x.tobytes() for x in rows}


def test_the_oracle_is_kernel_ridge_on_the_clicks():
    instance = kb.Avazu(examples.IMPRESSIONS, SMALL).draw(0)
    for oracle in instance.oracles:
        K = np.exp(-((oracle.centers[:, None] - oracle.centers) ** 2).sum(axis=2) / 5)
        clicks = (K + 0.1 * np.eye(20)) @ oracle.coefficients
        assert np.allclose(clicks, clicks.round(), atol=1e-9)
        assert set(clicks.round()) <= {0.0, 1.0}


def test_learners_are_told_the_norms_by_the_papers_formula_in_their_own_kernel():
    instance = kb.Avazu(examples.IMPRESSIONS, SMALL).draw(0)
    for oracle, norm in zip(instance.oracles, instance.problem().reward_norms, strict=True):
        F = np.exp(-((oracle.centers[:, None] - oracle.centers) ** 2).sum(axis=2) / (0.25 * 5))
        squared = sum(
            a * b * F[j, k] for j, a in enumerate(oracle.coefficients) for k, b in enumerate(oracle.coefficients)
        )
        assert norm == pytest.approx(np.sqrt(squared), rel=1e-9)
        assert norm > oracle.norm


def test_by_default_learners_are_told_the_oracles_own_norms():
    drawn = kb.Avazu(examples.IMPRESSIONS, SMALL).draw(0)
    instance = kb.SurrogateInstance(drawn.oracles, drawn.groups, drawn.contexts, drawn.noise_std)
    assert instance.problem().reward_norms.tolist() == [oracle.norm for oracle in drawn.oracles]


def test_the_level_is_that_of_the_fitted_rows():
    instance = kb.Avazu(examples.IMPRESSIONS, kb.AvazuDesign(dim=5, n_oracle=20, n_contexts=30, level=2.0)).draw(0)
    points = np.concatenate([oracle.centers for oracle in instance.oracles])
    assert (points**2).sum(axis=1).mean() / 5 == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"arm_column": "c14"}, "did you mean 'C14'"),
        ({"arm_column": "click"}, "arm_column must be"),
        ({"drop": ("device_ipp",)}, "did you mean 'device_ip'"),
        ({"drop": FEATURES}, "leaves no feature"),
    ],
)
def test_a_wrong_design_is_refused(fields, words):
    with pytest.raises(InvalidArgument, match=words):
        kb.AvazuDesign(**fields)


def test_more_components_than_rows_are_refused():
    with pytest.raises(InvalidArgument, match="dim must be below 200"):
        kb.Avazu(examples.IMPRESSIONS, kb.AvazuDesign(dim=200, n_oracle=20, n_contexts=30)).draw(0)
