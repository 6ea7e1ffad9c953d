"""Counters of the service. They are written with what they count, so that they always agree with the log."""

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import final

from kernelbandits.service.storage import Transaction

Counts = defaultdict[str, float]

EDGES = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper ends of the classes of latency, in seconds."""

_HELP = {
    "events": "Decisions that were written.",
    "rewards": "Rewards that were written.",
    "rewards_late": "Rewards that came after the time in which they count.",
    "activations": "Deferred events that were activated.",
    "repeats": "Requests that had been answered before.",
}


@final
class Metrics:
    """What one worker measures between two writes."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self._lock = threading.Lock()
        self._measured: Counts = defaultdict(float)

    def answered(self, route: str, status: int, seconds: float) -> None:
        place = bisect_left(EDGES, seconds)
        with self._lock:
            self._measured[f"http {route} {status}"] += 1.0
            if route == "rank":
                self._measured[f"latency {place}"] += 1.0
                self._measured["latency sum"] += seconds

    def drain(self) -> Mapping[str, float]:
        """Take what was measured since the last time."""
        with self._lock:
            measured, self._measured = self._measured, defaultdict(float)
        return measured

    def put_back(self, measured: Mapping[str, float]) -> None:
        """Keep for the next write what could not be written."""
        with self._lock:
            for name, value in measured.items():
                self._measured[name] += value

    def write(self, tx: Transaction, measured: Mapping[str, float], counts: Mapping[str, float]) -> None:
        """Add up what was measured, and what the operations of this transaction have counted."""
        for name, value in {**measured, **counts}.items():
            tx.change(
                "INSERT INTO counters (worker, name, value) VALUES (?, ?, ?)"
                " ON CONFLICT (worker, name) DO UPDATE SET value = counters.value + excluded.value",
                (self.worker, name, value),
            )


def totals(tx: Transaction, host: str = "") -> dict[str, float]:
    """Counters summed over workers, those of one host or all."""
    sql = "SELECT name, sum(value) FROM counters WHERE substr(worker, 1, ?) = ? GROUP BY name"
    return dict(tx.rows(sql, (len(host), host)))


def latency(found: Mapping[str, float], share: float) -> float | None:
    """The latency that this share of the answers did not exceed, up to the width of its class; None without any."""
    counts: list[float] = [found.get(f"latency {place}", 0.0) for place in range(len(EDGES) + 1)]
    wanted = share * sum(counts)
    for edge, count in zip(EDGES, counts, strict=False):
        wanted -= count
        if wanted <= 0.0 and any(counts):
            return edge
    return None


def exposition(found: Mapping[str, float], gauges: Mapping[str, float]) -> Iterator[str]:
    """The counters in the text format of Prometheus, line by line."""
    for name, text in _HELP.items():
        yield f"# HELP kernelbandits_{name}_total {text}"
        yield f"# TYPE kernelbandits_{name}_total counter"
        yield f"kernelbandits_{name}_total {found.get(name, 0.0):.0f}"
    yield "# HELP kernelbandits_http_requests_total Answers by route and status."
    yield "# TYPE kernelbandits_http_requests_total counter"
    for name in sorted(found):
        if name.startswith("http "):
            _, route, status = name.split(" ")
            yield f'kernelbandits_http_requests_total{{route="{route}",status="{status}"}} {found[name]:.0f}'
    yield "# HELP kernelbandits_rank_seconds Time from a request to its durable answer."
    yield "# TYPE kernelbandits_rank_seconds histogram"
    total = 0.0
    for place, edge in enumerate(EDGES):
        total += found.get(f"latency {place}", 0.0)
        yield f'kernelbandits_rank_seconds_bucket{{le="{edge:g}"}} {total:.0f}'
    total += found.get(f"latency {len(EDGES)}", 0.0)
    yield f'kernelbandits_rank_seconds_bucket{{le="+Inf"}} {total:.0f}'
    yield f"kernelbandits_rank_seconds_sum {found.get('latency sum', 0.0):.6f}"
    yield f"kernelbandits_rank_seconds_count {total:.0f}"
    for name, value in gauges.items():
        yield f"# TYPE kernelbandits_{name} gauge"
        yield f"kernelbandits_{name} {value:g}"
