"""Which rewards an estimation looks at, and which arms it may look at separately."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.hierarchical_bayes import related, sample


def data_with(counts):
    data = ArmData(len(counts), dim=1)
    for arm, count in enumerate(counts):
        for i in range(count):
            data.add(np.array([float(i)]), arm, 10.0 * arm + i)
    return data


def test_few_rewards_are_all_taken():
    data = data_with([3, 0, 4])
    pairs, rewards = sample(data, np.array([1.0, 2.0, 3.0]), data.played, 100)
    assert pairs.tolist() == [[i, 0] for i in range(3)] + [[i, 2] for i in range(4)]
    assert np.allclose(rewards, 10.0 * pairs[:, 1] + pairs[:, 0] - (1.0 + pairs[:, 1]))


@pytest.mark.parametrize(("counts", "most", "taken"), [([500, 3, 40], 83, [40, 3, 40]), ([90, 90], 50, [25, 25])])
def test_of_many_rewards_arms_get_equal_parts_of_what_is_left(counts, most, taken):
    pairs, _ = sample(data_with(counts), np.zeros(len(counts)), list(range(len(counts))), most)
    assert np.bincount(pairs[:, 1].astype(int)).tolist() == taken
    assert pairs[: taken[0], 0].max() == counts[0] - 1, "the newest is among them"


def test_every_arm_gives_two_rewards_however_many_arms_there_are():
    assert len(sample(data_with([9] * 8), np.zeros(8), list(range(8)), 10)[1]) == 16


def test_arms_that_are_tied_through_others_are_one_group():
    B = np.eye(6)
    for i, j in ((0, 3), (3, 5), (1, 2)):
        B[i, j] = B[j, i] = 0.1
    assert related(B, list(range(6))) == [[0, 3, 5], [1, 2], [4]]
    assert related(B, [2, 5]) == [[5], [2]]
    assert related(kb.Exchangeable(0.0).matrix(3), [0, 1, 2]) == [[0], [1], [2]]
    assert related(kb.CommonFunction().matrix(3), [0, 2]) == [[0, 2]]
