"""Prefetched rounds are recognised, one after the other, and nothing else is."""

import copy
import pickle

import numpy as np
import pytest

import kernelbandits as kb

CONTEXTS = np.random.default_rng(0).standard_normal((3, 2, 4))


def test_rounds_are_taken_in_order_and_recognised_by_identity():
    block = kb.Prefetched(CONTEXTS)
    for row, shown in enumerate(block):
        assert np.array_equal(shown, CONTEXTS[row])
        assert block.shown is shown
        assert block.row == row
    assert block.take(CONTEXTS[2]) is None


def test_before_the_first_round_nothing_is_recognised():
    block = kb.Prefetched(CONTEXTS)
    assert block.row_with(CONTEXTS[0, 0], 0) is None
    assert block.take(CONTEXTS[1]) is None
    assert block.shown is None
    assert block.take(CONTEXTS[0].copy()) is block.shown


def test_the_context_of_an_arm_is_recognised_by_value_in_the_last_round_only():
    block = kb.Prefetched(CONTEXTS)
    for contexts in CONTEXTS[:2]:
        block.take(contexts)
    assert block.row_with(CONTEXTS[1, 0].copy(), 0) == 1
    assert block.row_with(CONTEXTS[1, 0], 1) is None
    assert block.row_with(CONTEXTS[0, 0], 0) is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda block: pickle.loads(pickle.dumps(block))])
def test_a_copy_goes_on_where_the_original_was(copied):
    block = kb.Prefetched(CONTEXTS)
    block.take(CONTEXTS[0])
    twin = copied(block)
    assert np.array_equal(twin.take(CONTEXTS[1]), CONTEXTS[1])
    assert twin.row == 1
    assert block.row == 0
