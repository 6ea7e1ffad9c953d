import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

settings.register_profile("same-every-time", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("same-every-time")


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread():
    """The workers share the cores already, and sums must not depend on how many there are."""
    with threadpool_limits(limits=1):
        yield
