from itertools import count

import postgres
import pytest
from serving import serving

_numbers = count()


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """A shop for all tests that leave it as it was; starting one costs three seconds of processor time."""
    with serving(tmp_path_factory.mktemp("shop"), control=0.0) as service:
        yield service


@pytest.fixture(scope="session")
def postgres_server():
    if postgres.BINARIES is None:
        pytest.skip(postgres.MISSING)
    with postgres.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def address(request, tmp_path):
    """A new database."""
    if request.param == "sqlite":
        return str(tmp_path / "shop.db")
    server = request.getfixturevalue("postgres_server")
    return server.database(f"shop{next(_numbers)}")
