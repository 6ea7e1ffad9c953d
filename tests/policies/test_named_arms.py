"""Arms have names: agents, masks, logs and replays take them wherever they take numbers."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument

NAMES = ("none", "5pct", "10pct", "free ship")


def started(policy=None):
    return (policy or kb.LinearUCB()).start(kb.Problem(arms=NAMES, dim=3), rng=0)


def test_the_number_of_arms_follows_from_their_names():
    assert kb.Problem(arms=NAMES, dim=3).n_arms == 4
    assert kb.Problem(4, 3, arms=list(NAMES)).arms == NAMES
    assert kb.Problem(n_arms=2, dim=3).arms == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"arms": NAMES, "n_arms": 3}, "arms must be 3 names, as n_arms says; got 4"),
        ({"arms": ("a", "a")}, "'a' appears twice"),
        ({"arms": ("a", "")}, "not empty"),
        ({"arms": ("a", 3)}, r"arms\[1\] must be a text of .*; got 3"),
        ({"arms": "abc"}, "a list of names"),
        ({"arms": 7}, "a list of names"),
        ({"arms": ("a", "b\nc")}, "printable"),
        ({"arms": ()}, "n_arms must be a whole number of at least 1"),
    ],
)
def test_names_are_checked(given, words):
    with pytest.raises(InvalidArgument, match=words):
        kb.Problem(dim=3, **given)


def test_names_and_numbers_do_the_same():
    rng, named, numbered = np.random.default_rng(0), started(), kb.LinearUCB().start(kb.Problem(4, 3), rng=0)
    for t in range(40):
        contexts, allowed = rng.standard_normal((4, 3)), [i for i in range(4) if i != t % 4]
        mask = np.isin(np.arange(4), allowed)
        first = named.choose(contexts, eligible=[set, list, np.array][t % 3]([NAMES[i] for i in allowed]))
        second = numbered.choose(contexts, eligible=mask)
        assert first.arm == second.arm
        assert (first.name, second.name) == (NAMES[first.arm], None)
        assert np.array_equal(first.scores, second.scores)
        named.observe(contexts[first.arm], first.name, 1.0 + t % 3)
        numbered.observe(contexts[first.arm], first.arm, 1.0 + t % 3)
    together = named.choose_batch(np.zeros((5, 4, 3)), eligible=["5pct"])
    assert together.names == ["5pct"] * 5
    assert numbered.choose_batch(np.zeros((5, 4, 3))).names == []


def test_arms_come_and_go_by_name():
    agent = started()
    agent.remove_arm("none")
    assert agent.add_arm("20pct") == 4
    assert agent.problem.arms == (*NAMES, "20pct")
    assert agent.choose(np.zeros(3), eligible=["none", "20pct"]).name == "20pct"
    agent.observe(np.zeros(3), "none", 1.0)  # a late reward
    with pytest.raises(InvalidArgument, match="arm none was removed before"):
        agent.remove_arm("none")
    with pytest.raises(InvalidArgument, match="not removed; left are 5pct, 10pct, free ship, 20pct"):
        agent.choose(np.zeros(3), eligible=["none"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda agent: agent.observe(np.zeros(3), "5 pct", 1.0), "no arm is called '5 pct'; did you mean '5pct'?"),
        (lambda agent: agent.observe(np.zeros(3), None, 1.0), "or one of the names .*; got None"),
        (lambda agent: agent.choose(np.zeros(3), eligible=["none", "freeship"]), "did you mean 'free ship'?"),
        (lambda agent: agent.choose(np.zeros(3), eligible=[]), "it names none"),
        (lambda agent: agent.choose(np.zeros(3), eligible="none"), "collection of names"),
        (lambda agent: agent.choose(np.zeros(3), eligible=["none", 1]), "collection of names"),
        (lambda agent: agent.choose_batch(np.zeros((2, 4, 3)), eligible=["x"]), "no arm is called 'x'"),
        (lambda agent: agent.remove_arm("x"), "no arm is called 'x'; known: none"),
        (lambda agent: agent.add_arm("none"), "'none' appears twice"),
        (lambda agent: agent.add_arm(), "name the new one; got None"),
    ],
)
def test_unknown_names_are_refused_and_explained(call, words):
    agent = started()
    with pytest.raises(InvalidArgument, match=words):
        call(agent)
    assert agent.problem.arms == NAMES


def test_an_arm_without_a_name_cannot_be_given_one():
    with pytest.raises(InvalidArgument, match="the arms have numbers: give no name; got 'x'"):
        kb.Uniform().start(kb.Problem(2, 3), rng=0).add_arm("x")


def test_a_log_and_its_replay_have_names():
    rng = np.random.default_rng(1)
    played = np.array(NAMES)[rng.integers(4, size=80)]
    X, half = rng.standard_normal((80, 3)), np.full(80, 0.25)
    log = kb.Log(X, played, rng.random(80), half, n_arms=4, names=NAMES)
    assert log.arms.tolist() == [NAMES.index(name) for name in played]
    replayed = kb.replay_log(kb.Uniform(), log, rng=0, n_resamples=0)
    assert replayed.names == [str(name) for name in played[replayed.rows]]
    with pytest.raises(InvalidArgument, match="entry 1: no arm is called '5 pct'; did you mean '5pct'"):
        kb.Log(X[:2], ["none", "5 pct"], np.ones(2), half[:2], n_arms=4, names=NAMES)
