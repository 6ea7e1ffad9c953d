import numpy as np
import pytest

from kernelbandits.linalg.arrays import LINE, aligned_zeros, whole_lines


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (112, 104), (40, 3)])
def test_zeros_begin_with_a_line_of_the_cache(shape):
    for _ in range(20):  # wherever the memory happens to be
        zeros = aligned_zeros(shape)
        assert zeros.shape == shape
        assert zeros.flags.c_contiguous
        assert zeros.ctypes.data % 64 == 0
        assert not zeros.any()
        zeros += 1.0


def test_whole_lines_are_the_next_multiple():
    assert [whole_lines(n) for n in (0, 1, 7, 8, 9, 102)] == [0, 8, 8, 8, 16, 104]
    assert LINE * np.dtype(np.float64).itemsize == 64
