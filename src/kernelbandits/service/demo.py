"""`kernelbandits serve --demo`: a made-up shop with simulated customers."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from itertools import product
from math import exp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from kernelbandits.service.client import AsyncClient, ServiceError
from kernelbandits.service.supervisor import Supervisor, supervise

OFFERS = ("no offer", "5 % off", "free shipping", "gift wrap")
_DEVICES, _SEASONS, _VISITS = ("phone", "laptop", "tablet"), ("spring", "summer", "christmas"), (1, 2, 4, 8, 16)
_PER_SECOND = 40.0
_REPORTED = 0.7  # of the customers who do not buy; the others go without a word

TABLE: dict[str, Any] = {
    "arms": list(OFFERS),
    "reward_wait": 3.0,
    "control": 0.1,
    "exploration": 0.1,
    "features": {
        "device": {"levels": list(_DEVICES)},
        "season": {"levels": list(_SEASONS)},
        "visits": {"mean": 6.0, "std": 5.5},
    },
    "server": {"publish_every": 0.5},
}

Customer = dict[str, Any]


def customers() -> Iterator[Customer]:
    """All kinds of customers; each is as frequent as any other."""
    for device, season, visits in product(_DEVICES, _SEASONS, _VISITS):
        yield {"device": device, "season": season, "visits": visits}


def chance(customer: Customer, offer: str) -> float:
    """The probability that a customer buys after an offer."""
    new, faithful = customer["visits"] <= 2, customer["visits"] >= 8
    pull = {
        "no offer": 0.3 * faithful,
        "5 % off": 1.6 * new - 0.3 * faithful,
        "free shipping": 1.2 * (customer["device"] == "phone") + 0.2,
        "gift wrap": 2.4 * (customer["season"] == "christmas") - 0.6,
    }[offer]
    return 1.0 / (1.0 + exp(1.5 - pull))


async def simulate(address: str, stopped: Callable[[], bool], rng: np.random.Generator) -> None:
    """Send customers to the service; what most of them do is reported some time later."""
    everyone, pending = list(customers()), set[asyncio.Task[None]]()
    async with AsyncClient(address) as client:
        while not stopped():
            task = asyncio.create_task(_visit(client, everyone[rng.integers(len(everyone))], rng))
            pending.add(task)
            task.add_done_callback(pending.discard)
            await asyncio.sleep(rng.exponential(1.0 / _PER_SECOND))
        for task in pending:
            task.cancel()


async def _visit(client: AsyncClient, customer: Customer, rng: np.random.Generator) -> None:
    try:
        decision = await client.rank(customer)
        bought = rng.random() < chance(customer, decision.arm)
        if bought or rng.random() < _REPORTED:
            await asyncio.sleep(min(rng.exponential(0.5), 2.5))
            await client.reward(decision.event_id, float(bought))
    except ServiceError:
        return  # a customer who leaves; the service says why in its log


def run_demo(changes: dict[str, Any], say: Callable[[str], None]) -> None:
    """Serve the made-up shop from a folder that is removed afterwards."""
    with TemporaryDirectory(prefix="kernelbandits-demo-") as folder:
        server = {**TABLE["server"], **changes}
        supervisor = Supervisor({**TABLE, "server": server}, Path(folder) / "demo.toml")
        threads: list[threading.Thread] = []

        def ready(text: str) -> None:
            say(f"{text}; open it in a browser. Ctrl-C ends it")
            visits = simulate(text.rpartition(" ")[2], supervisor.is_stopped, np.random.default_rng())
            threads.append(threading.Thread(target=asyncio.run, args=(visits,), daemon=True))
            threads[0].start()

        supervise(supervisor, ready)
        for thread in threads:
            thread.join(5.0)
