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
        assert block.row_of(shown) == row
        assert block.row_of(shown.copy()) is None
    assert block.row_of(CONTEXTS[0]) is None
    assert not block.next_is(CONTEXTS[2])
    assert list(block) == []


def test_before_the_first_round_nothing_is_recognised():
    block = kb.Prefetched(CONTEXTS)
    assert block.row_with(CONTEXTS[0, 0], 0) is None
    assert block.next_is(CONTEXTS[0].copy())
    assert not block.next_is(CONTEXTS[1])


def test_the_context_of_an_arm_is_recognised_by_value_in_the_last_round_only():
    block = kb.Prefetched(CONTEXTS)
    next(block)
    next(block)
    assert block.row_with(CONTEXTS[1, 0].copy(), 0) == 1
    assert block.row_with(CONTEXTS[1, 0], 1) is None
    assert block.row_with(CONTEXTS[0, 0], 0) is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda block: pickle.loads(pickle.dumps(block))])
def test_a_copy_goes_on_where_the_original_was(copied):
    block = kb.Prefetched(CONTEXTS)
    next(block)
    twin = copied(block)
    shown = next(twin)
    assert np.array_equal(shown, CONTEXTS[1])
    assert twin.row_of(shown) == 1
    assert block.row == 0
