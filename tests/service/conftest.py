from itertools import count

import postgres
import pytest

_numbers = count()


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
