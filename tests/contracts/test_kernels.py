import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_kernel


@pytest.mark.parametrize("kernel", examples.KERNELS, ids=repr)
@pytest.mark.parametrize("dim", [1, 7, 40])
def test_kernel_keeps_the_contract(kernel, dim):
    check_kernel(kernel, dim=dim, seed=dim)


def test_every_exported_kernel_has_an_example():
    assert examples.exported(kb.Kernel) == examples.types_of(examples.KERNELS)


@pytest.mark.parametrize("kernel", [kernel for kernel in examples.KERNELS if kernel.geometry is not None], ids=repr)
def test_profile_does_not_write_into_its_argument(kernel):
    t = np.linspace(0.1, 0.9, 5)
    for order in (0, 1, 2):
        before = t.copy()
        kernel.profile(t, order)
        assert np.array_equal(t, before)


@pytest.mark.parametrize("kernel", examples.KERNELS, ids=repr)
def test_the_answer_is_the_callers_own(kernel):
    """Overwriting a Gram block must not reach the points, nor the next block."""
    X = np.random.default_rng(0).standard_normal((6, 5))
    before, points = kernel(X), X.copy()
    for block in (kernel(X), kernel(X, X[:2])):
        block[:] = -7.0
    assert np.array_equal(kernel(X), before)
    assert np.array_equal(X, points)
