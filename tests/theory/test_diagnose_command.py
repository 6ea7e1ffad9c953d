"""`kernelbandits diagnose` and `budget` on real files."""

import gzip
import json
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import BUDGET, run, run_process
from kernelbandits.cli import main
from kernelbandits.theory.diagnosis import read_sample

LOG = ["--arm-column", "arm", "--reward-column", "reward", "--drop", "user"]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A pilot of 12 rounds for each of 5 arms, named; d = 40."""
    instance = kb.Synthetic(kb.LowRank(), n_arms=5, dim=40, noise_std=0.05).draw(np.random.default_rng(0))
    rounds = instance.rounds(60, np.random.default_rng(1))
    t = np.arange(60)
    X, y = rounds.contexts[t, t % 5], rounds.means[t, t % 5] + rounds.noise
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(40)]).with_columns(
        arm=pl.Series([f"ad {k}" for k in t % 5]), reward=pl.Series(y), user=pl.Series([f"u{k}" for k in t])
    )
    folder = tmp_path_factory.mktemp("log")
    frame.write_csv(folder / "log.csv")
    frame.write_parquet(folder / "log.parquet")
    with gzip.open(folder / "log.csv.gz", "wb") as file:
        file.write((folder / "log.csv").read_bytes())
    return folder


def test_report_picture_and_record(log, tmp_path):
    done = run("diagnose", str(log / "log.csv"), *LOG, "--horizon", "2000", "--theory", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for part in (
        "60 rows of 40 features",
        "Tr(Σ̂)/d",
        "effective rank",
        "‖K − K_lin‖",
        "effective bias",
        "information gain",
        "c_L ≤ d/N ≤ c_U",
        "‖f‖ ≤ B",
        "1 − 2δ_d − d⁻² − η_d: the guarantee is empty",
        "the guarantee is empty at d = 40",
        "ad 3",
        "all arms together",
        "(T − T₀) ρ(T₀/K)",
        "no budget meets Δ = 0.5 here",
        "5 B² |min h'| ε = 5 ·",
        "Explore ",
    ):
        assert part in done.stdout
    assert not any(line != line.rstrip() for line in done.stdout.splitlines())
    folder = tmp_path / "results" / "diagnose"
    assert (folder / "diagnosis.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(folder / "diagnosis.svg").getroot().tag.endswith("svg")
    record = json.loads((folder / "diagnosis.json").read_text(encoding="utf-8"))
    assert f"Explore {record['recommendation']['n_explore']:,} of 2,000 rounds" in done.stdout
    promised, gamma = record["guarantee"], record["linearisation"]["gamma"]
    assert promised["delta"] == pytest.approx(16 / (40 * gamma**2))
    assert promised["probability"] == pytest.approx(1 - 2 * promised["delta"] - 40**-2 - promised["eta"])
    assert promised["empty"]


def test_theory_is_printed_where_it_is_asked_for(log, tmp_path):
    short = run("diagnose", str(log / "log.csv"), *LOG, "--horizon", "2000", cwd=tmp_path)
    lines = short.stdout.splitlines()
    whole = run("diagnose", str(log / "log.csv"), *LOG, "--horizon", "2000", "--theory", cwd=tmp_path).stdout
    assert (short.returncode, short.stderr) == (0, "")
    assert lines[0] == whole.splitlines()[0]
    assert len(lines) < 35
    assert len(whole.splitlines()) > 60
    assert {line for line in whole.splitlines() if line.startswith("Note: ")} <= {*lines}
    assert "‖K − K_lin‖" not in short.stdout
    assert "Spectrum, hypotheses and formulas of the paper: again with --theory, or in diagnosis.json." in lines
    contexts = run("diagnose", str(log / "log.csv"), "--drop", "arm", "--drop", "reward", cwd=tmp_path).stdout
    assert "‖K − K_lin‖" in contexts


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.parquet"])
def test_every_format_holds_the_same(log, name):
    sample = read_sample(log / name, arm_column="arm", reward_column="reward", drop=["user"])
    frame = pl.read_parquet(log / "log.parquet")
    assert sample.columns == tuple(f"x{j}" for j in range(40))
    np.testing.assert_array_equal(sample.contexts, frame.select(sample.columns).to_numpy())
    np.testing.assert_array_equal(sample.rewards, frame["reward"].to_numpy())
    assert sample.arms.tolist() == frame["arm"].to_list()


def test_json_is_all_that_is_printed(log, tmp_path):
    done = run("diagnose", str(log / "log.parquet"), *LOG, "--json", "--out", str(tmp_path / "here"))
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["n"], record["dim"], record["n_arms"]) == (60, 40, 5)
    assert [fit["arm"] for fit in record["leave_one_out"]["arms"]] == [f"ad {k}" for k in range(5)]
    assert record["files"] == [str(tmp_path / "here" / f"diagnosis.{kind}") for kind in ("png", "svg", "json")]


def test_budget_shows_formula_and_numbers():
    done = run(*BUDGET, "--kernel", "Gaussian(gamma=1.0)")
    assert done.returncode == 0, done.stderr
    for part in ("3,380", "1,690", "(3 · 0.5 / (8 · 2))²", "32 · 0.1² · 0.1", "0.1758", "Feasible: Case I"):
        assert part in done.stdout
    printed = json.loads(run(*BUDGET, "--kernel", "Gaussian(1.0)", "--as-printed", "--json").stdout)
    assert (printed["n_explore"], printed["feasible"], printed["as_printed"]) == (600, True, True)


def test_budget_says_plainly_when_there_is_none():
    numbers = [
        "--delta",
        "0.01",
        "--arms",
        "2",
        "--noise-std",
        "0.1",
        "--norm",
        "1",
        "--epsilon",
        "0.1",
        "--dim",
        "200",
        "--case",
        "II",
    ]
    done = run("budget", *numbers)
    assert done.returncode == 0
    assert "Not feasible: no budget meets Δ = 0.01 here: the bias alone is 2" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diagnose", "nowhere.csv"], "no such file: nowhere.csv"),
        (["diagnose", "empty.csv"], "empty.csv is empty"),
        (["diagnose", "header.csv"], "header.csv has a header but no rows"),
        (["diagnose", "inf.csv"], "row 2 (the first below the header is 1), column 'b' is inf"),
        (
            ["diagnose", "hole.csv", "--reward-column", "a"],
            "row 3 (the first below the header is 1), column 'a' is empty",
        ),
        (["diagnose", "word.csv"], "row 2 (the first below the header is 1), column 'b' is 'oops', not a number"),
        (
            ["diagnose", "text.csv", "--columns", "city"],
            "no usable feature (left out, because they have one level",
        ),
        (["diagnose", "text.csv", "--drop", "ctiy"], "has no column 'ctiy'; did you mean 'city'?"),
        (["diagnose", "text.csv", "--columns", "a,c"], "has no column 'c'"),
        (["diagnose", "text.csv", "--drop", "city", "--arm-column", "arms"], "has no column 'arms'"),
        (["diagnose", "text.csv", "--drop", "city", "--reward-column", "city"], "column 'city' is not numeric"),
        (["diagnose", "text.csv", "--kernel", "Gausian(4)"], "no kernel is called 'Gausian'; did you mean 'Gaussian'?"),
        (["diagnose", "bare.csv"], "bare.csv has no header"),
        (["diagnose", "blank.csv", "--columns", "b"], "blank.csv has no usable feature"),
        (["diagnose", "broken.parquet"], "broken.parquet cannot be read"),
        (["diagnose", "notes.txt"], "expected a file that ends in .csv, .csv.gz, .parquet or .npz"),
        (["budget", "--arms", "2"], "Missing option '--delta'"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, arguments, message, monkeypatch, capsys):
    files = {
        "empty.csv": "",
        "header.csv": "a,b\n",
        "inf.csv": "a,b\n1,2\n3,inf\n5,6\n",
        "hole.csv": "a,b\n1,2\n3,4\n,6\n",
        "word.csv": "a,b\n1,2\n3,oops\n5,6\n",
        "text.csv": "a,city\n1,Rome\n2,Oslo\n",
        "bare.csv": "1,2\n3,4\n",
        "blank.csv": "a,b\n1,\n3,\n",
        "broken.parquet": "not parquet",
        "notes.txt": "a\n1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert end.value.code == 2, err
    assert message in err
    assert len(err.strip().splitlines()) == 1, err
    assert out == ""
    assert not (tmp_path / "results").exists()


def test_texts_and_missing_values_are_encoded_as_in_an_experiment(tmp_path, monkeypatch, capsys):
    rows = [f"{'' if i == 4 else i},{['Rome', 'Oslo', ''][i % 3]},user {i},," for i in range(36)]
    (tmp_path / "mixed.csv").write_text("a,city,user,blank,none\n" + "\n".join(rows) + "\n", encoding="utf-8")
    names = ("a", "a is missing", "city = Oslo", "city = Rome", "city is missing")
    raw = read_sample(tmp_path / "mixed.csv", scaled=False)
    assert raw.columns == names
    mean = np.mean([i for i in range(36) if i != 4])
    expected = [[mean if i == 4 else i, i == 4, i % 3 == 1, i % 3 == 0, i % 3 == 2] for i in range(36)]
    np.testing.assert_allclose(raw.contexts, expected)
    encoder = kb.Encoding().fit(tmp_path / "mixed.csv")
    sample = read_sample(tmp_path / "mixed.csv")
    assert sample.columns == encoder.names == names
    np.testing.assert_array_equal(sample.contexts, encoder.transform(tmp_path / "mixed.csv"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["diagnose", "mixed.csv"])
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (0, "")
    for note in (
        "1 numerical column, each to mean 0 and variance 1",
        "missing numbers in 'a' (1): filled with the mean, with a 0/1 column that marks them",
        "1 categorical column as 3 columns of 0 and 1",
        "missing categories are a separate level: 'city' (12)",
        "left out, because they have one level, or none with 10 rows: 'user', 'blank', 'none'",
    ):
        assert f"Note: {note}" in out.splitlines()
    record = json.loads((tmp_path / "results/diagnose/diagnosis.json").read_text(encoding="utf-8"))
    again = kb.Encoder.from_json(json.dumps(record["encoder"]))
    np.testing.assert_array_equal(again.transform(tmp_path / "mixed.csv"), sample.contexts)


def test_a_mistake_as_a_process(tmp_path):
    (tmp_path / "inf.csv").write_text("a,b\n1,2\n3,inf\n", encoding="utf-8")
    done = run_process("diagnose", "inf.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kernelbandits: inf.csv: row 2 ")
    assert "Traceback" in run("diagnose", "inf.csv", "--debug", cwd=tmp_path).stderr


@pytest.mark.parametrize("command", ["diagnose", "budget"])
def test_help_teaches(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"kernelbandits {command} " in capsys.readouterr().out


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a,b\n" + "3,3\n" * 20, "a,b\n" + "0,0\n" * 20], ids=["1", "3", "0"])
@pytest.mark.parametrize("options", [[], ["--standardise"]], ids=["raw", "standardised"])
def test_tiny_and_constant_files_are_reported(tmp_path, text, options, monkeypatch, capsys):
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["diagnose", "odd.csv", *options])
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (0, "")
    assert "cannot tell" in out
    assert "do not show a spectrum" in out
    record = json.loads((tmp_path / "results/diagnose/diagnosis.json").read_text(encoding="utf-8"))
    assert record["encoder"] is None
    assert "no feature varies, so none is scaled" in record["notes"]
