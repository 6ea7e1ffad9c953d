"""What values show of themselves: short in a terminal, small and safe tables in a notebook, pictures on request."""

import re
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import kernelbandits as kb
from kernelbandits.experiments import InProcess
from kernelbandits.theory.diagnosis import diagnose

HOSTILE = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """One of every kind that is often the last line of a cell."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 30)), rng.standard_normal(40)
    arms, names = rng.integers(0, 2, 40), ["a", HOSTILE]
    policy = kb.LinearUCB()
    panel = kb.Panel("low-rank", kb.Synthetic(kb.LowRank(), n_arms=3, dim=20), {"UCB": policy, HOSTILE: kb.Uniform()})
    experiment = kb.Experiment("tiny", (panel,), horizon=30, seeds=(0, 1))
    instance = panel.environment.draw(rng)
    log = {"age": y, "town": rng.choice(["x", HOSTILE], 40), "offer": rng.choice(names, 40), "paid": y + 1.0}
    bandit = kb.Bandit(names, policy=policy)
    bandit.fit(log, arm="offer", reward="paid")
    agent = policy.start(kb.Problem(n_arms=20, dim=5), 0)
    written = kb.Log(X, arms, y, np.full(40, 0.5), 2, ("a", HOSTILE))
    rows = rng.standard_normal((8, 20, 5))
    return {
        "results": kb.run(experiment, tmp_path_factory.mktemp("runs"), InProcess()),
        "trace": kb.play(policy, instance, 200, rng=0),
        "decision": agent.choose(rows[0]),
        "decisions": agent.choose_batch(rows),
        "scores": agent.score(rows),
        "bandit": bandit,
        "summary": bandit.summary(),
        "bandit decision": bandit.choose({"age": 1.0, "town": "x"}),
        "encoder": bandit.encoder,
        "diagnosis": diagnose(X, arms=arms, rewards=y),
        "posterior": kb.GaussianProcess(kb.Gaussian(), 0.1).fit(X, y),
        "interpolator": kb.MinNormInterpolator(kb.Gaussian()).fit(X, y),
        "nystrom": kb.Nystrom(kb.Gaussian(), 0.1, 10).fit(X, y),
        "instance": instance,
        "rounds": instance.rounds(50, rng),
        "log": written,
        "experiment": experiment,
        "evaluation": kb.evaluate(written, {"always a": kb.AlwaysArm("a"), HOSTILE: kb.AlwaysArm(HOSTILE)}),
    }


KINDS = (
    *("results", "trace", "decision", "decisions", "scores", "bandit", "summary", "bandit decision", "encoder"),
    *("diagnosis", "posterior", "interpolator", "nystrom", "instance", "rounds", "log", "evaluation"),
)


class Tags(HTMLParser):
    """The tags of a page, refusing those that are not closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen = [], set()
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") for name, _ in attrs)
        self.seen.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_is_short_in_a_terminal_and_a_small_safe_table_in_a_notebook(kind, values):
    text, page = repr(values[kind]), values[kind]._repr_html_()
    assert len(text.splitlines()) == 1
    assert len(text) < 700, text
    assert len(page) < 20_000
    tags = Tags(page)
    assert "table" in tags.seen
    assert not tags.seen & {"script", "iframe", "object", "link", "style"}
    assert HOSTILE not in page


def test_nothing_is_told_of_a_value_that_it_does_not_hold(values):
    trace = values["trace"]
    assert f"regret {trace.regrets.sum():.4g}" in repr(trace)
    assert "200" in trace._repr_html_()
    assert 'aria-label="cumulative regret"' in trace._repr_html_()
    assert repr(values["results"]) == "Results(tiny, 30 rounds, 2 seeds, 1 panel, 2 methods)"
    assert "n=40, d=30" in repr(values["posterior"])


PLOTTED = {
    **{"results": 1, "trace": 1, "diagnosis": 2, "evaluation": 2, "decision": 1, "decisions": 1, "bandit": 1},
    **{"summary": 1, "bandit decision": 1, "encoder": 1, "posterior": 1},
}


@pytest.mark.parametrize(("kind", "n_axes"), PLOTTED.items())
def test_plot_returns_axes_of_the_current_backend(kind, n_axes, values):
    with mpl.rc_context({"backend": "agg"}):
        drawn = values[kind].plot()
        axes = [drawn] if n_axes == 1 else drawn
        assert len(axes) == n_axes
        assert all(isinstance(each, Axes) and each.lines for each in axes)
        assert pyplot.get_fignums(), "pyplot knows it, so a notebook shows it"
        pyplot.close("all")


def test_results_and_traces_become_frames(values):
    results, trace = values["results"], values["trace"]
    assert results.to_polars().shape == (120, 8)
    assert pl.from_pandas(results.to_pandas()).equals(results.to_polars())
    frame = trace.to_polars()
    assert frame["round"].to_list() == list(range(1, 201))
    assert np.array_equal(frame["cumulative_regret"].to_numpy(), trace.cumulative_regret)


def test_an_empty_trace_has_words_too():
    empty = kb.Trace(np.empty(0, dtype=np.int64), *(np.empty(0) for _ in range(3)))
    assert re.search("rounds 0", repr(empty))
    Tags(empty._repr_html_())


def test_an_experiment_is_told_in_one_short_line(values):
    assert repr(values["experiment"]) == "Experiment(tiny, 30 rounds, 2 seeds, 1 panel, 2 methods)"


def names_shown(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def stars(axes):
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "*"]


@pytest.fixture
def drawn():
    """What is drawn with a backend without windows, and forgotten afterwards."""
    with mpl.rc_context({"backend": "agg"}):
        yield lambda value: value.plot()
        pyplot.close("all")


def test_a_decision_shows_the_scores_of_eligible_arms_and_its_own_with_a_star(drawn):
    agent = kb.LinearUCB().start(kb.Problem(arms=("none", "5pct", "10pct"), dim=2), 0)
    decision = agent.choose(np.array([[1.0, 0.0], [2.0, 0.0], [9.0, 9.0]]), eligible=["none", "5pct"])
    axes = drawn(decision)
    assert names_shown(axes) == ["arm 0", "arm 1: 5pct"]
    assert stars(axes) == [(decision.scores[1], 1)]


def test_of_very_many_arms_the_best_are_shown(drawn):
    scores = np.random.default_rng(0).random(500)
    chosen = int(scores.argmin())
    axes = drawn(kb.policies.Decision(0, chosen, 1.0, scores, True))
    assert len(names_shown(axes)) == 40
    assert [x for x, _ in stars(axes)] == [scores[chosen]]
    assert f"arm {scores.argmax()}" in names_shown(axes)


def test_an_arm_without_rewards_has_a_row_without_a_dot(drawn):
    bandit = kb.Bandit(["short", "long"]).fit({"age": [1.0, 2.0], "arm": ["short"] * 2, "paid": [1, 3]}, "arm", "paid")
    axes = drawn(bandit)
    assert names_shown(axes) == ["short (2)", "long (0)"]
    assert [line.get_xdata()[0] for line in axes.lines if np.isfinite(line.get_xdata()).all()] == [1.0, 2.0]


def test_an_encoder_counts_the_columns_that_it_makes(drawn):
    encoder = kb.Encoding(rare=1).fit({"age": [20.0, 30.0, 60.0], "town": ["a", "b", "a"], "same": [1.0, 1.0, 1.0]})
    axes = drawn(encoder)
    counted = dict(zip(names_shown(axes), (line.get_xdata()[0] for line in axes.lines), strict=True))
    assert counted["age"] == 1
    assert counted["town"] == 2


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.ones((1, 3)), np.ones((4, 1)), np.arange(12.0).reshape(4, 3)])
def test_a_posterior_is_drawn_along_the_line_of_its_points(points, drawn):
    process = kb.GaussianProcess(kb.Gaussian(), 0.1)
    posterior = process.fit(points, np.arange(len(points))) if len(points) else process.without_data(3)
    axes = drawn(posterior)
    mean, dots = axes.lines
    assert np.isfinite(mean.get_ydata()).all()
    assert np.allclose(dots.get_ydata(), posterior.mean(points) if len(points) else [])
    if len(points) == 4:  # all on one line, so that the curve goes through every dot
        at = np.interp(dots.get_xdata(), mean.get_xdata(), mean.get_ydata())
        assert np.allclose(at, dots.get_ydata(), atol=0.02)


def test_a_posterior_of_one_feature_is_drawn_over_that_feature(drawn):
    axes = drawn(kb.GaussianProcess(kb.Gaussian(), 0.1).fit([[5.0], [7.0]], [1.0, 2.0]))
    assert np.allclose(axes.lines[1].get_xdata(), [5.0, 7.0])
