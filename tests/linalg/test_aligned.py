import pytest

from kernelbandits.linalg.arrays import aligned_zeros


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (112, 104), (40, 3)])
def test_zeros_begin_with_a_line_of_the_cache(shape):
    for _ in range(20):  # wherever the memory happens to be
        zeros = aligned_zeros(shape)
        assert zeros.shape == shape
        assert zeros.flags.c_contiguous
        assert zeros.ctypes.data % 64 == 0
        assert not zeros.any()
        zeros += 1.0
