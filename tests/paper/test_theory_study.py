"""The study of the theory at tiny sizes: rows against direct computation, tables, pictures, findings, options."""

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import InProcess, Processes, Runner, RunOptions, local, seed_sequence, world
from kernelbandits.paper.parts import resized
from kernelbandits.paper.theory import (
    PICTURES,
    Exploration,
    Information,
    InterpolationError,
    Lenient,
    LinearizationError,
    Rate,
)
from kernelbandits.paper.theory.errors import one_error
from kernelbandits.reporting import Picture, draw

TINY = {
    "linearization": LinearizationError(dims=(20, 40), seeds=2),
    "error": InterpolationError(dims=(12, 24), seeds=2),
    "rate": Rate(horizon=160, n_horizons=3, n_arms=2, seeds=2),
    "exploration": Exploration(horizon=120, budgets=(5, 20, 60), n_arms=5, dim=20, seeds=2),
    "information": Information(horizon=80, n_horizons=3, dims=(1, 3, 10), n_arms=2, seeds=2),
    "lenient": Lenient(horizon=80, deltas=(0.0, 0.1, 5.0), n_arms=3, dim=20, seeds=2),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("study"), InProcess())
    return {name: part.rows(runner) for name, part in TINY.items()}


def only(frame, **values):
    return frame.filter(*(pl.col(key) == value for key, value in values.items()))


def test_the_study_has_every_part_once():
    assert [part.name for parts in PICTURES.values() for part in parts] == list(TINY)


@pytest.mark.parametrize("name", TINY)
def test_rows_are_complete_and_printable(rows, name):
    part, frame = TINY[name], rows[name]
    assert frame.null_count().sum_horizontal().item() == 0
    numbers = frame.select(pl.selectors.float())
    assert np.isfinite(numbers.to_numpy()).all()
    assert len(part.table(frame)) > 0
    assert part.title
    assert all(any(ch.isdigit() for ch in line) for line in part.findings(frame))


def test_linearization_rows(rows):
    """Both forms of a kernel differ, and equal the library's own on the same draws."""
    draws = [np.random.default_rng((seed, 40, 40)).standard_normal((40, 40)) * np.sqrt(0.5) for seed in range(2)]
    for form, as_printed in (("corrected", False), ("as printed", True)):
        errors = [theory.linearize(kb.Exponential(), X, np.full(40, 0.5), as_printed=as_printed).error for X in draws]
        [row] = only(rows["linearization"], kernel="exponential", form=form, d=40).iter_rows(named=True)
        assert row["error"] == pytest.approx(np.mean(errors))
        assert row["error_se"] == pytest.approx(np.std(errors, ddof=1) / np.sqrt(2))
        assert row["half_gamma"] == pytest.approx((np.exp(0.5) - 1.5) / 2)


def test_error_rows(rows):
    """The bound is the sum of its parts and above what was measured; the fourth design's level falls with d."""
    frame = rows["error"]
    np.testing.assert_allclose(frame["V+B"], frame["V"] + frame["B"])
    assert (frame["V+B"] > frame["measured"]).all()
    assert (frame["plain_B"] <= 1.0 + 1e-12).all()
    levels = only(frame, design="low-rank, √d active")["level"].to_numpy()
    assert levels[1] < levels[0]


def test_error_rows_by_hand():
    """V̄, B̄ and the plain 𝒱 and ℬ of one instance are means over its arms; B̄ is with each arm's exact norm."""
    environment = kb.Synthetic(kb.SpectralDecay(), n_arms=2, dim=12, noise_std=0.5)
    streams = np.random.default_rng(seed_sequence(environment, 3)).spawn(3)
    instance = environment.draw(streams[0])
    kernel, contexts = kb.Gaussian(4.0), instance.rounds(12, streams[2]).contexts
    arms = [(contexts[:, i], instance.context_std[i] ** 2, instance.rewards[i].norm) for i in range(2)]
    found = one_error(("spectral decay", 12, 0.5, 3))
    assert found["V"] == pytest.approx(np.mean([theory.detailed_variance(kernel, X, 0.5, v) for X, v, _ in arms]))
    assert found["B"] == pytest.approx(np.mean([theory.detailed_bias(kernel, X, norm) for X, _, norm in arms]))
    assert found["plain_V"] == pytest.approx(np.mean([theory.effective_variance(kernel, X, v) for X, v, _ in arms]))
    assert found["plain_B"] == pytest.approx(np.mean([theory.effective_bias(kernel, X) for X, _, _ in arms]))
    estimator = kb.MinNormInterpolator(kernel)
    measured = theory.measured_error(estimator, instance, 12, streams[1], n_test=500)
    assert found["measured"] == pytest.approx(measured.mean)
    assert found["level"] == pytest.approx(np.mean([v.mean() for _, v, _ in arms]))


def test_rate_rows(rows):
    """Sizes follow T, the slope is that of the regrets, the exponent is the theorem's."""
    part, frame = TINY["rate"], rows["rate"]
    assert part.horizons == [40, 80, 160]
    own = only(frame, kernel="Gaussian")
    assert own["d"].to_list() == [6, 9, 13]
    assert own["active"].to_list() == [round(d * T ** (-1 / 6)) for d, T in zip([6, 9, 13], part.horizons, strict=True)]
    assert own["exponent"][0] == pytest.approx(theory.radial_exponent(0.5, 1 / 6, 1.0).value)
    assert only(frame, kernel="exponential")["exponent"][0] == pytest.approx(0.95)
    assert (own["after_exploration"] < own["regret"]).all()


def test_rate_slope_by_hand():
    """Regrets that are T^0.7 for one seed and T^0.9 for the other."""
    part = TINY["rate"]
    T = np.array(part.horizons, dtype=float)
    regrets = np.stack([T**0.7, 3.0 * T**0.9], axis=1)
    frame = pl.DataFrame({"kernel": ["Gaussian"] * 6, "regret": regrets.ravel()})
    [found] = part._slopes(frame, "Gaussian").iter_rows(named=True)
    assert found["slope"] == pytest.approx(0.8)
    assert found["slope_se"] == pytest.approx(0.1)


def test_exploration_rows(rows):
    """A fixed budget's regret is that of playing it; the recommendation comes from the pilot of the same rounds."""
    part = TINY["exploration"]
    played, planned = [], []
    for seed in range(2):
        problem, rounds, new_rng = world(part.environment("spectral decay"), 120, seed)
        policy = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), 60, kb.AsGiven())
        played.append(kb.replay(policy, problem, rounds, new_rng()).regrets.sum())
        t = np.arange(20)
        data = rounds.contexts[t, t % 5], t % 5, rounds.means[t, t % 5] + rounds.noise[t]
        plan = theory.recommend_exploration(*data, horizon=120, kernel=kb.Gaussian(4.0))
        planned.append(max(plan.n_explore, 20))
    fixed = only(rows["exploration"], design="spectral decay", budget="fixed", n_explore=60.0)
    assert fixed["regret"].item() == pytest.approx(np.mean(played))
    assert only(rows["exploration"], design="spectral decay", budget="recommended")["n_explore"].item() == np.mean(
        planned
    )
    row = only(part.table(rows["exploration"]), design="low-rank").row(0, named=True)
    assert row["to the best"] == pytest.approx(row["its regret"] / min(row["5"], row["20"], row["60"]))


def test_information_rows(rows):
    """The gain grows with d and T, at most ½ T ln 2; bounds are the classical ones; regret is in its unit."""
    frame = rows["information"]
    assert (frame["gain"] <= 0.5 * frame["T"] * np.log(2.0) + 1e-9).all()
    assert only(frame, T=80).sort("d")["gain"].is_sorted()
    assert only(frame, d=3).sort("T")["gain"].is_sorted()
    for row in frame.iter_rows(named=True):
        bounds = theory.classical_bounds(row["gain"], row["T"])
        assert (row["cgp_ucb"], row["sup_kernel_ucb"]) == (bounds.cgp_ucb, bounds.sup_kernel_ucb)
        assert row["vacuous"] == bounds.vacuous
        assert row["log10_rate"] == pytest.approx((row["d"] + 1) * np.log10(np.log(row["T"])))
        assert 0 < row["regret"] <= row["T"]


def test_lenient_rows(rows):
    """R_0 is the regret, R_Δ falls with Δ to 0; what comes after the exploration is a part of it."""
    frame = rows["lenient"]
    part = TINY["lenient"]
    regrets = [
        kb.replay(kb.paper.methods(20)["EtC"], p, r, c()).regrets.sum()
        for p, r, c in (world(kb.Synthetic(kb.LowRank(), n_arms=3, dim=20), 80, seed) for seed in range(2))
    ]
    own = only(frame, design="low-rank", method="EtC")
    assert own["lenient_regret"][0] == pytest.approx(np.mean(regrets))
    assert own["lenient_regret"].is_sorted(descending=True)
    assert own["lenient_regret"][-1] == 0
    assert (frame["after_exploration"] <= frame["lenient_regret"]).all()
    assert part.table(frame).columns[2:] == ["Δ = 0.0", "Δ = 0.1", "Δ = 5.0"]


def test_pictures_show_every_part(rows):
    for name, parts in PICTURES.items():
        charts = tuple(TINY[part.name].charts(rows[part.name]) for part in parts)
        figure = draw(Picture(name, charts, "description"))
        assert len(figure.subfigs) == len(parts)
        assert all(axes.lines and axes.get_title() for axes in figure.axes)


def _square(n):
    return n * n


def test_answers_keep_the_order_of_the_tasks(tmp_path):
    for engine in (InProcess(), Processes(2)):
        assert Runner(tmp_path, engine).map("squares", _square, [3, 1, 2]) == [9, 1, 4]


def asked(tmp_path, seeds=None, horizon=None, only=()):
    return RunOptions(tmp_path, InProcess(), seeds, horizon, only)


def test_sizes_from_options(tmp_path):
    changed = {part.name: part for parts in resized(PICTURES, asked(tmp_path, 3, 1000)).values() for part in parts}
    assert {part.seeds for part in changed.values()} == {3}
    assert changed["rate"].horizon == changed["lenient"].horizon == 1000
    [(name, parts)] = resized(PICTURES, asked(tmp_path, only=("rate",))).items()
    assert name == "c-regret"
    assert [part.name for part in parts] == ["rate"]


@pytest.mark.parametrize(
    ("part", "sizes"),
    [
        (Lenient, {"seeds": -3}),
        (Lenient, {"n_arms": "many"}),
        (Lenient, {"deltas": ("small",)}),
        (Rate, {"horizon": 2.5}),
        (Rate, {"tau_1": -1.0}),
        (LinearizationError, {"dims": (100, 0)}),
        (InterpolationError, {"noise_std": float("nan")}),
        (Exploration, {"budgets": 20}),
        (Information, {"seeds": True}),
    ],
)
def test_sizes_that_are_no_sizes_are_refused(part, sizes):
    with pytest.raises(InvalidArgument, match=rf"{part.__name__}: {next(iter(sizes))}.* must be"):
        part(**sizes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((None, None, ("rates",)), "no part 'rates'; did you mean 'rate'"),
        ((None, 500, ("linearization",)), "--horizon has no meaning for linearization"),
        ((None, 100, ("rate",)), "rate: the horizon must be larger"),
        ((None, 79, ("exploration",)), "exploration: the horizon must cover the pilot, 80 rounds"),
        ((None, 100, ("lenient",)), "lenient: the horizon must be above 100"),
        ((None, 2, ("Information",)), "information: the horizon must be at least 3"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path, options, message):
    with pytest.raises(InvalidArgument, match=message):
        resized(PICTURES, asked(tmp_path, *options))


@pytest.mark.slow
def test_done_figures(tmp_path):
    """Corrected at most 0.4 ×, printed at least 0.7 ×; the recommended budget within 1.5 × on each design."""
    runner = Runner(tmp_path, local())
    part = LinearizationError()
    frame = part.rows(runner)
    for kernel in ("Gaussian", "exponential"):
        for form, low, high in (("corrected", 0.0, 0.4), ("as printed", 0.7, 2.0)):
            own = only(frame, kernel=kernel, form=form)
            assert low <= only(own, d=1600)["error"].item() / only(own, d=100)["error"].item() <= high
    exploration = Exploration()
    assert exploration.table(exploration.rows(runner))["to the best"].max() <= 1.5
