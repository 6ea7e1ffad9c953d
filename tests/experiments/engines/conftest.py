import dask
import pytest


@pytest.fixture(autouse=True, scope="session")
def patience():
    """However busy the machine is, a scheduler that was started will answer."""
    with pytest.MonkeyPatch.context() as patch, dask.config.set({"distributed.comm.timeouts.connect": "600s"}):
        patch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "600s")  # of commands that tests start
        yield
