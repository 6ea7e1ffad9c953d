"""Speed against other libraries and against bare BLAS, all measured in turns within one run."""
