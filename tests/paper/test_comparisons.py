"""The best of several methods, chosen on other seeds than those on which it is scored."""

import numpy as np
import pytest

from kernelbandits.paper.real_world import Contender, best_of


def test_each_seed_is_scored_by_the_choice_of_the_others():
    regrets = {"a": np.array([1.0, 5.0, 5.0]), "b": np.array([9.0, 4.0, 4.0])}
    best = best_of(regrets)  # without seed 0, b has 8 and a 10; without seed 1 or 2, a has 6 and b 13
    assert best.regrets.tolist() == [9.0, 5.0, 5.0]
    assert best.name == "a or b", "the most frequent choice first"


def test_a_clear_winner_is_chosen_for_every_seed():
    regrets = {"a": np.array([3.0, 4.0, 5.0]), "b": np.array([1.0, 2.0, 3.0])}
    assert best_of(regrets).name == "b"
    assert best_of(regrets).regrets.tolist() == [1.0, 2.0, 3.0]
    assert best_of({"a": regrets["a"]}).regrets.tolist() == [3.0, 4.0, 5.0]


def test_the_choice_flatters_nobody():
    """Eight methods of mean 10 and no difference: the smallest of their means is well below 10, the choice is not."""
    rng = np.random.default_rng(0)
    naive, fair = [], []
    for _ in range(400):
        regrets = {str(i): 10.0 + rng.standard_normal(10) for i in range(8)}
        naive.append(min(values.mean() for values in regrets.values()))
        fair.append(best_of(regrets).regrets.mean())
    assert np.mean(naive) < 9.6
    assert np.mean(fair) == pytest.approx(10.0, abs=0.1)


def test_a_single_seed_chooses_for_itself():
    best = best_of({"a": np.array([3.0]), "b": np.array([2.0])})
    assert (best.name, best.regrets.tolist()) == ("b", [2.0])
    assert str(best) == "b 2.0"


def test_beating_takes_two_standard_errors():
    low, noise = Contender("low", np.full(4, 10.0)), np.array([-1.0, 1.0, -1.0, 1.0])  # standard error 0.577
    assert str(Contender("x", 10.0 + noise)) == "x 10.0 ± 0.6"
    assert low.beats(Contender("high", 11.2 + noise))
    assert not low.beats(Contender("near", 11.1 + noise))
    assert not Contender("high", 11.2 + noise).beats(low)
    assert Contender("one", np.array([1.0])).beats(Contender("other", np.array([2.0])))
