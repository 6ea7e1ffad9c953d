"""Accelerated runs of the demo: `python -m benchmarks.service.coverage --runs 200`.

Every run plays the made-up shop through the service's own decisions, journal and learner, without HTTP and with a clock
that is set forward. It prints in how many runs all intervals of the page held at all looks, and tests the control
share by chi-square.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.stats import chi2, chisquare

from kernelbandits.service import events
from kernelbandits.service.decisions import decide
from kernelbandits.service.demo import OFFERS, TABLE, chance, customers
from kernelbandits.service.learner import LearnerProcess
from kernelbandits.service.opening import prepare, salt_of
from kernelbandits.service.requests import RankRequest
from kernelbandits.service.settings import parse_settings
from kernelbandits.service.storage import open_database

_BATCH = 20


def one_run(folder: Path, n_events: int, look: int, seed: int) -> tuple[bool, list[int]]:
    """Whether all intervals held at all looks, and how often the control share showed each offer."""
    rng, everyone = np.random.default_rng(seed), list(customers())
    truth = {offer: sum(chance(each, offer) for each in everyone) / len(everyone) for offer in OFFERS}
    known = {f"arm {offer}": value for offer, value in truth.items()}
    known["control"] = float(np.mean([*truth.values()]))
    settings = parse_settings({**TABLE, "database": str(folder / "demo.db")}, folder / "demo.toml")
    database = open_database(settings.database)
    clock = prepare(database, settings)
    learner, held, shown = LearnerProcess(database, clock, publish_every=float("inf")), True, [0] * len(OFFERS)
    learner.lead()
    assert learner.state is not None  # noqa: S101
    for start in range(0, n_events, _BATCH):
        with database.write() as tx:
            snapshot = learner.state.snapshot(salt_of(tx))
            for number in range(start, start + _BATCH):
                customer = everyone[rng.integers(len(everyone))]
                name = f"{seed}-{number}"
                decided = decide(snapshot, RankRequest(customer), name)
                if decided.control:
                    shown[OFFERS.index(decided.arm)] += 1
                events.insert_event(tx, name, clock.now(), snapshot, decided)
                if rng.random() < chance(customer, decided.arm):
                    events.insert_reward(tx, name, "r", 1.0, clock.now())
                elif rng.random() < 0.7:
                    events.insert_reward(tx, name, "r", 0.0, clock.now())
        clock.offset += 1_000_000
        while learner.step():
            pass
        if (start + _BATCH) % look == 0:
            found = learner.statistics.summary()["intervals"]
            outside = [name for name, value in known.items() if name in found and not _holds(found[name], value)]
            held &= not outside
    database.close()
    return held, shown


def _holds(found: dict[str, float], value: float) -> bool:
    return found["low"] <= value <= found["high"]


def main() -> None:
    """Run them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--events", type=int, default=800)
    parser.add_argument("--look", type=int, default=100, help="events between two looks")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    held, shown, scores = 0, np.zeros(len(OFFERS)), 0.0
    for run in range(given.runs):
        with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:  # noqa: S108
            kept, counts = one_run(Path(folder), given.events, given.look, given.seed + run)
        held += kept
        shown += counts
        scores += float(chisquare(counts).statistic)
        if (run + 1) % 20 == 0:
            print(f"{run + 1} runs: all intervals held at all looks in {held}", flush=True)
    p_runs = chi2.sf(scores, given.runs * (len(OFFERS) - 1))
    print(f"covered {held / given.runs:.1%} of {given.runs} runs ({given.events} events each)")
    together = chisquare(shown).pvalue
    print(f"control share: {shown.astype(int).tolist()}, p = {together:.3f}; run by run p = {p_runs:.3f}")


if __name__ == "__main__":
    main()
