"""A function in the RKHS is its own: what its maker does later to the arrays does not change it."""

import numpy as np
import pytest

import examples
import kernelbandits as kb


@pytest.mark.parametrize("kernel", examples.KERNELS, ids=repr)
def test_the_centres_may_change_later(kernel):
    rng = np.random.default_rng(0)
    centers, Z = rng.standard_normal((6, 5)), rng.standard_normal((3, 5))
    function = kb.KernelExpansion(kernel, centers, rng.standard_normal(6))
    before = function(Z)
    centers *= 2.0
    assert np.array_equal(function(Z), before)
