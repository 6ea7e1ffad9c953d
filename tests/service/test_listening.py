"""Sockets of several workers on one address."""

import select
import socket

import pytest

from kernelbandits.errors import NotWritten
from kernelbandits.service.supervisor import listening


@pytest.mark.parametrize("n", [1, 2, 4])
def test_connections_are_divided_between_workers(n):
    sockets = listening("127.0.0.1", 0, n)
    address = sockets[0].getsockname()
    assert {each.getsockname() for each in sockets} == {address}
    assert len({each.fileno() for each in sockets}) == len(sockets) == n
    clients = [socket.create_connection(address) for _ in range(200)]
    taken = []
    for each in sockets:
        each.setblocking(False)
        taken.append(0)
        while select.select([each], [], [], 0)[0]:
            each.accept()[0].close()
            taken[-1] += 1
    assert sum(taken) == 200
    assert min(taken) > 200 / n / 5, "each has about its share; the kernel divides by a hash of the addresses"
    for each in clients + sockets:
        each.close()


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("second", [1, 2])
def test_an_address_that_others_listen_on_is_refused(first, second):
    sockets = listening("127.0.0.1", 0, first)
    port = sockets[0].getsockname()[1]
    with pytest.raises(NotWritten, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"):
        listening("127.0.0.1", port, second)
    for each in sockets:
        each.close()
    for each in listening("127.0.0.1", port, second):
        each.close()
