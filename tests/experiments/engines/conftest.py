import dask
import pytest
from loopback import machines


@pytest.fixture(autouse=True, scope="session")
def patience():
    """However busy the machine is, a scheduler that was started will answer."""
    with pytest.MonkeyPatch.context() as patch, dask.config.set({"distributed.comm.timeouts.connect": "600s"}):
        patch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "600s")  # of commands that tests start
        yield


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A scheduler and two workers for tests that leave them as they were. Idle ones cost a second every fifteen."""
    with machines(tmp_path_factory.mktemp("machines"), n_workers=2) as running:
        yield running
