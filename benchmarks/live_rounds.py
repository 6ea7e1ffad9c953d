"""A million live rounds of the default policy: what a decision and a reward cost, and how much memory is held."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import in_new_process
from kernelbandits import Problem, default_policy
from kernelbandits.reporting import Axis, Chart, Charts, Line, Picture, Rule, looks
from kernelbandits.types import Array

ROUNDS, N_ARMS, DIM = 1_000_000, 4, 115
RECENT = 1000
MARKS = tuple(step * 10**power for power in range(3, 7) for step in (1, 2, 5) if step * 10**power <= ROUNDS)
_BLOCK = 1000


class Stretch(NamedTuple):
    """The rounds up to a mark. Times are processor time of the thread, in milliseconds.

    Attributes:
        mark: number of rounds so far.
        median: of `choose` in the last thousand rounds.
        slow: 99th percentile of it.
        longest: the longest `observe` since the last mark.
        megabytes: what the process holds beyond what it held before the first round.
        regret: per round, since the last mark.

    """

    mark: int
    median: float
    slow: float
    longest: float
    megabytes: float
    regret: float


def world(seed: int) -> Iterator[tuple[Array, Array, Array]]:
    """Yield blocks of contexts (B, d), shared by all arms, mean rewards (B, K) and noise (B,), endlessly.

    Rewards are a linear function through tanh, the direction of each arm drawn at random.
    """
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((DIM, N_ARMS)) / np.sqrt(DIM)
    while True:
        contexts = rng.standard_normal((_BLOCK, DIM))
        yield contexts, np.tanh(contexts @ weights), 0.3 * rng.standard_normal(_BLOCK)


def live(marks: tuple[int, ...], seed: int = 0) -> list[Stretch]:
    """Play until the last mark, one round at a time, and measure at every mark; marks are multiples of a thousand."""
    agent, clock = default_policy().start(Problem(N_ARMS, DIM), seed), time.thread_time
    found: list[Stretch] = []
    chosen: deque[float] = deque(maxlen=RECENT)
    longest, regret, n, before = 0.0, 0.0, 0, _resident()
    for contexts, means, noise in world(seed):
        for x, mean, error in zip(contexts, means, noise, strict=True):
            start = clock()
            arm = agent.choose(x).arm
            decided = clock()
            agent.observe(x, arm, mean.item(arm) + error)
            longest = max(longest, clock() - decided)
            chosen.append(decided - start)
            regret += float(mean.max()) - mean.item(arm)
        n += _BLOCK
        if n in marks:
            median, slow = (1e3 * float(part) for part in np.quantile(chosen, [0.5, 0.99]))
            since = n - (found[-1].mark if found else 0)
            found.append(Stretch(n, median, slow, 1e3 * longest, (_resident() - before) / 1e6, regret / since))
            longest = regret = 0.0
        if n >= marks[-1]:
            break
    return found


def _resident() -> int:
    """What this process holds now, in bytes (Linux)."""
    [kilobytes] = re.findall(r"VmRSS:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(kilobytes) * 1024


def _million() -> tuple[Mapping[str, float], Picture]:
    found = in_new_process(live, MARKS)
    return facts(found), picture(found)


def facts(found: list[Stretch]) -> dict[str, float]:
    """The last stretch, and the largest figures of all."""
    last = found[-1]
    return {
        f"choose in the last thousand of {last.mark:,} rounds, median in ms (goal ≤ 0.3)": last.median,
        "the same, 99th percentile in ms (goal ≤ 1)": last.slow,
        "longest observe of all in ms (goal ≤ 50)": max(each.longest for each in found),
        "most memory at a mark in MB (goal ≤ 300)": max(each.megabytes for each in found),
        f"regret per round up to {found[0].mark:,} rounds": found[0].regret,
        "regret per round in the last stretch": last.regret,
    }


def picture(found: list[Stretch]) -> Picture:
    """Latency and memory against the number of rounds."""
    names = ("choose, median", "choose, 99th percentile", "observe, longest since the last mark")
    given, marks = looks(names), [each.mark for each in found]
    rounds = Axis("rounds so far", "log")
    columns = ([each.median for each in found], [each.slow for each in found], [each.longest for each in found])
    latency = [Line(marks, values, given[name], name) for name, values in zip(names, columns, strict=True)]
    memory = Line(marks, [each.megabytes for each in found], given[names[0]])
    title = f"The default policy for {found[-1].mark:,} live rounds, K = {N_ARMS}, d = {DIM}"
    charts = (
        Chart("processor time of a call in ms", [*latency, Rule(50.0, "y")], rounds, Axis(scale="log")),
        Chart("memory in MB", [memory, Rule(300.0, "y")], rounds, Axis(low=0.0)),
    )
    return Picture(title, (Charts(charts, columns=2, height=3.2, legend="outside lower center"),), title, width=9.0)


def cases() -> Iterator[Case]:
    """Yield one case."""
    title = f"{ROUNDS:,} live rounds of the default policy, K = {N_ARMS}, d = {DIM}, one thread"
    yield Case("default-million", title, study=_million)
