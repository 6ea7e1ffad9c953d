"""Benchmarks: ratios against peers and against bare BLAS, interleaved in one run."""
