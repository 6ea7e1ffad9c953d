"""What is recommended, with which cautions; and that it keeps its promise where that is cheap to see."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument


def test_the_recommended_policy_is_the_default_one():
    recommendation = kb.recommend(kb.Problem(n_arms=5, dim=20))
    assert recommendation.policy == kb.default_policy()
    assert recommendation.cautions == ()
    assert str(recommendation).startswith("CalibratedUCB(")


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (kb.Problem(n_arms=1, dim=3), "nothing to decide"),
        (kb.Problem(n_arms=500, dim=3, horizon=1499), "1499 rounds are fewer than 3 for each of 500 arms"),
    ],
)
def test_cautions(problem, words):
    [caution] = kb.recommend(problem).cautions
    assert words in caution


def test_what_is_no_problem_is_refused():
    with pytest.raises(InvalidArgument, match=r"problem must be a Problem, such as Problem\(n_arms=3, dim=50\); got 3"):
        kb.recommend(3)


def test_the_default_policy_beats_etc_told_less():
    """Seeds from 1000 on: those of the study are not looked at here."""
    environment = kb.Synthetic(kb.LowRank(), n_arms=10, dim=50)
    etc = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)), n_explore=50)
    regrets = np.array(
        [
            [kb.play(policy, environment.draw(seed), 500, seed).regrets.sum() for policy in (kb.default_policy(), etc)]
            for seed in range(1000, 1004)
        ]
    )
    ratio, error = kb.ratio_and_standard_error(*regrets.T)
    assert ratio + 2.0 * error < 0.7
