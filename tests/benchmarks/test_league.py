from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.league.__main__ import chosen, entries, league, others, read_runs
from benchmarks.league.contenders import DEFAULT, contenders
from benchmarks.league.near_repeats import NearRepeats
from benchmarks.league.peers import is_due
from benchmarks.league.peers.forest_greedy import ForestGreedy
from benchmarks.league.places import Drawn, Logged, open_bandit, tables, worlds
from benchmarks.league.standings import KINDS, Ratio, geometric_mean, markdown, picture, standings
from benchmarks.league.worlds import LinearRewards, SparsePurchases, StarRatings, UselessContexts

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.experiments import local
from kernelbandits.reporting import draw


def rows(**regrets):
    """Runs of a made-up problem: a list of regrets by seed for every contender, of families named likewise."""
    return pl.DataFrame(
        [
            ("p", "worlds", name, name.partition("_")[0], seed, float(regret), 0.5, "w")
            for name, values in regrets.items()
            for seed, regret in enumerate(values)
        ],
        schema=["problem", "kind", "contender", "family", "seed", "regret", "seconds", "world"],
        orient="row",
    )


def test_the_best_setting_of_a_family_counts_and_the_default_is_no_competitor():
    [standing] = standings(rows(default=[1, 3], linear_a=[8, 8], linear_b=[4, 4], other=[5, 5]))
    assert (standing.best, standing.best_regret) == ("linear_b", 4.0)
    assert standing.settings["linear"] == "linear_b"
    assert standing.ratios["linear"] == Ratio(1.0, 0.0)
    assert standing.ratios["default"] == Ratio(0.5, 0.25)  # the yardstick does not vary: (√2/√2)/4


def test_errors_of_ratios_are_paired_by_seed():
    [standing] = standings(rows(default=[2, 4, 6], other=[1, 2, 3]))
    assert standing.ratios["default"].value == pytest.approx(2.0)
    assert standing.ratios["default"].error == pytest.approx(0.0, abs=1e-12)


def test_geometric_means():
    mean = geometric_mean([Ratio(0.5, 0.05), Ratio(2.0, 0.2)])
    assert mean.value == pytest.approx(1.0)
    assert mean.error == pytest.approx(0.1 * np.sqrt(2) / 2)
    assert str(mean) == "1.00 ± 0.07"
    assert str(Ratio(1.234, float("nan"))) == "1.23"


def test_the_table_and_the_picture_have_every_problem():
    runs = pl.concat(
        [rows(default=[1, 2], other=[2, 2]), rows(default=[9, 9], other=[1, 1]).with_columns(problem=pl.lit("q"))]
    )
    found = standings(runs)
    lines = markdown(found).splitlines()
    assert lines[0] == "| problem | best competitor | its regret | default | other |"
    assert lines[2] == "| p | other | 2.0 | 0.75 ± 0.25 | 1.00 ± 0.00 |"
    assert lines[4].startswith("| **worlds: geometric mean** | | | **2.60")
    kinds = [standings(rows(default=[1, 2], other=[2, 2]).with_columns(kind=pl.lit(kind))) for kind in KINDS]
    assert [len(draw(picture(part)).axes) for part in kinds] == [1, 1, 1]
    [axes] = draw(picture(found)).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["p", "q"]


def test_worlds_have_the_rewards_that_they_are_named_for():
    def rewards(environment):
        rounds = environment.draw(0).rounds(4000, np.random.default_rng(1))
        return rounds.means, rounds.means + np.broadcast_to(rounds.noise.reshape(4000, -1), rounds.means.shape)

    _, paid = rewards(SparsePurchases())
    assert 0.75 < np.mean(np.abs(paid) < 1e-9) < 0.92
    means, paid = rewards(UselessContexts())
    assert np.array_equal(np.unique(paid.round(12)), [0.0, 1.0])
    assert paid.mean(axis=0) == pytest.approx([0.5, 0.6, 0.7], abs=0.03)
    means, stars = rewards(StarRatings())
    assert set(np.unique(stars.round(9))) == {1.0, 2.0, 3.0, 4.0, 5.0}
    assert stars.mean(axis=0) == pytest.approx(means.mean(axis=0), abs=0.06)
    means, paid = rewards(NearRepeats())
    assert np.array_equal(np.unique(means), [0.02, 0.98])
    assert np.array_equal((means > 0.5).sum(axis=1), np.ones(4000))
    assert set(np.unique(paid.round(12))) == {0.0, 1.0}


def test_names_are_unique_and_every_world_can_be_played_by_all():
    places = worlds()
    assert len({place.name for place in places}) == len(places) > 30
    for place in (Drawn("a", "worlds", UselessContexts(), 40), Drawn("b", "worlds", LinearRewards(dim=2), 40)):
        problem = place.environment.draw(0).problem(40)
        for contender in contenders(problem, 40):
            contender.policy.start(problem, 0)  # none asks for what the world does not state


def test_tables_are_standardised(tmp_path):
    [digits] = tables(None, tmp_path)
    points = digits.environment.data().points
    assert np.mean(points**2) == pytest.approx(1.0)
    assert np.abs(points.mean(axis=0)).max() < 1e-12


def test_any_table_with_a_column_class_plays_each_row_once(tmp_path):
    rows = "\n".join(f"{i % 7},{i % 3}" for i in range(40))
    (tmp_path / "mine.csv").write_text(f"x,class\n{rows}\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    _, mine = tables(tmp_path, tmp_path)
    assert (mine.name, mine.horizon, mine.environment.draw(0).problem().n_arms) == ("mine", 40, 3)


def test_runs_are_kept_and_all_contenders_meet_the_same_rounds(tmp_path, monkeypatch):
    place = Drawn("coins", "worlds", UselessContexts(), 30, coins=True)
    entrants = [each for each in place.contenders() if each.family in (DEFAULT, "LinearUCB", "Uniform")]
    first = place.runs(entrants, range(2), tmp_path, local(1))
    monkeypatch.setattr("benchmarks.league.places.replay", None)  # playing anything again would fail
    assert place.runs(entrants, range(2), tmp_path, local(1)).equals(first)
    assert first["family"].to_list() == [each.family for each in entrants for _ in range(2)]
    assert first["world"].n_unique() == 1
    assert (first["regret"] >= 0.0).all()


def test_earlier_runs_stand_in_for_contenders_that_are_not_played():
    now, earlier = rows(default=[1, 2]), rows(default=[7, 7, 7], other=[3, 3, 3])
    assert others(earlier, now)["regret"].to_list() == [3.0, 3.0]
    assert others(earlier.filter(pl.col("seed") > 0), now).is_empty()  # a seed is missing, so nothing can be paired
    assert others(earlier.with_columns(world=pl.lit("another")), now).is_empty()


def test_earlier_runs_must_be_of_a_league(tmp_path):
    path = tmp_path / "runs.csv"
    for frame in (rows(default=[1]).drop("regret"), pl.DataFrame()):
        frame.write_csv(path)
        with pytest.raises(InvalidFile, match=r"runs\.csv is no regrets\.csv of a league"):
            read_runs(path)


def test_places_and_contenders_are_chosen_by_name_or_kind():
    places = [Drawn("coins", "worlds", UselessContexts(), 30), Drawn("rows", "tables", UselessContexts(), 30)]
    assert [place.name for place in chosen(places, ("tables",))] == ["rows"]
    [(_, entrants)] = entries(places[:1], ("linearucb",), peers=False)
    assert {each.family for each in entrants} == {"LinearUCB"}
    with pytest.raises(InvalidArgument, match="the league has no contender 'LinearUBC'; did you mean 'LinearUCB'"):
        entries(places, ("LinearUBC",), peers=False)


def test_a_log_is_replayed_in_the_same_order_for_everyone(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "log.csv"
    pl.DataFrame(
        {
            "": np.arange(300),
            "timestamp": ["2019-11-24"] * 300,
            "item_id": rng.integers(3, size=300),
            "position": rng.integers(1, 4, size=300),
            "click": rng.integers(2, size=300),
            "propensity_score": np.full(300, 1 / 3),
            "user_feature_0": rng.choice(["a", "b"], 300),
        }
    ).write_csv(path)
    place = Logged("shop", open_bandit(path))
    entrants = [each for each in place.contenders() if each.name in ("EtC", "Uniform")]
    runs = place.runs(entrants, range(2), tmp_path, local(1))
    assert runs["regret"].is_between(0.0, 1000.0).all()
    assert runs.height == 4
    assert place.runs(entrants, range(2), tmp_path, local(1)).equals(runs)  # kept, seconds included


def test_forests_learn_and_decide_alike_with_and_without_prefetching():
    instance = Drawn("linear", "worlds", LinearRewards(n_arms=2, dim=1, noise_std=0.01), 60).environment.draw(0)
    rounds = instance.rounds(60, np.random.default_rng(1))
    policy = ForestGreedy(epsilon=0.01, turns=1.0, n_trees=3)
    announced, surprised = (policy.start(instance.problem(), 5) for _ in range(2))
    announced.prefetch(rounds.contexts)
    regret = []
    for contexts, means in zip(rounds.contexts, rounds.means, strict=True):
        decision = announced.choose(contexts)
        assert decision.arm == surprised.choose(contexts).arm
        for agent in (announced, surprised):
            agent.observe(contexts[decision.arm], decision.arm, float(means[decision.arm]))
        regret.append(means.max() - means[decision.arm])
    assert np.mean(regret[30:]) < np.mean(rounds.means.max(axis=1) - rounds.means.mean(axis=1)) / 2


def test_batch_learners_fit_again_after_a_fifth_more_rewards():
    assert [n for n in range(40) if is_due(n, 20)] == list(range(24, 40))
    assert not is_due(19, 0, least=20)
    assert is_due(20, 0, least=20)


def test_peers_play_where_they_are_installed():
    pytest.importorskip("vowpalwabbit")
    pytest.importorskip("contextualbandits")
    place = Drawn("coins", "worlds", UselessContexts(), 40, coins=True)
    instance = place.environment.draw(0)
    for each in place.peers():
        assert len(kb.play(each.policy, instance, 40, rng=1).arms) == 40


def test_the_command_writes_table_and_picture(tmp_path, capsys):
    out = tmp_path / "out"
    given = ["--only", "useless contexts", "--seeds", "1", "--jobs", "1", "--out", str(out)]
    league.main([*given, "--contenders", "EtC", "--contenders", "Uniform"], standalone_mode=False)
    assert "useless contexts" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} > {"regrets.csv", "league.md", "league.png", "league.svg"}
    against = ["--contenders", "Uniform", "--against", str(out / "regrets.csv")]
    league.main([*given, *against], standalone_mode=False)
    assert set(pl.read_csv(out / "regrets.csv")["contender"]) == {"EtC", "Uniform"}
    assert Path(out / "league.md").read_text(encoding="utf-8").count("useless contexts") == 1
