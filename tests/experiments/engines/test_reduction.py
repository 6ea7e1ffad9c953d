"""Sums over a tree: the order of the tasks decides, not the order in which they are done."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments.engines import InProcess, Processes
from kernelbandits.experiments.engines.engine import LocalEngine, in_order, reduce_tree, reduce_unordered


@given(st.permutations(range(13)), st.integers(1, 13))
def test_any_order_gives_the_same_tree(order, n):
    def pair(left, right):
        return f"({left} {right})"

    come = [(i, str(i)) for i in order if i < n]
    assert reduce_unordered(come, n, pair) == reduce_tree([str(i) for i in range(n)], pair)


def test_the_tree_of_five():
    assert reduce_tree(["0", "1", "2", "3", "4"], lambda a, b: f"({a}{b})") == "(((01)(23))4)"


def test_answers_in_order_are_combined_as_soon_as_possible():
    held, most = 0, 0

    def come():
        nonlocal held, most
        for i in range(64):
            held += 1
            most = max(most, held)
            yield i, 1

    def add(a, b):
        nonlocal held
        held -= 1
        return a + b

    assert reduce_unordered(come(), 64, add) == 64
    assert most == 7  # log₂ 64, and the one that has just come


def block_sum(seed):
    return np.random.default_rng(seed).standard_normal((50, 3)).sum(axis=0)


@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_processes_sum_to_the_same_bits(n):
    one = InProcess().reduce(block_sum, np.add, range(n))
    assert np.array_equal(one, Processes(2).reduce(block_sum, np.add, range(n)))
    assert np.allclose(one, sum(block_sum(i) for i in range(n)))


def test_nothing_has_no_sum():
    with pytest.raises(InvalidArgument, match="tasks must not be empty"):
        InProcess().reduce(block_sum, np.add, [])


@pytest.mark.parametrize("engine", [InProcess(), Processes(2)], ids=repr)
def test_how_far_a_sum_is_can_be_followed(engine):
    heard = []
    engine.reduce(block_sum, np.add, range(5), heard.append)
    assert heard == [1, 2, 3, 4, 5]


class Backwards(LocalEngine):
    """Does the last task first."""

    __slots__ = ()

    def map(self, function, tasks):
        yield from map(function, list(tasks)[::-1])


def test_answers_stand_in_the_order_of_the_tasks():
    told = []
    assert in_order(Backwards(), abs, [-3, 1, -2], told.append) == [3, 1, 2]
    assert told == [1, 2, 3]
    assert Backwards().reduce(str, str.__add__, range(5)) == "01234"
