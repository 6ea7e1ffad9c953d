"""Reading from several threads while one writes, and a restart in the middle of everything."""

import json
import subprocess
import sys
import threading

import numpy as np
import pytest

import examples
import kernelbandits as kb
import shop

LOG = shop.log(200, n_numbers=4, n_categories=1)
ROWS = shop.features(60, seed=1, n_numbers=4, n_categories=1)


def fitted(policy):
    known = {"horizon": 1000, "noise_std": 0.1, "reward_norms": np.ones(4)}
    return kb.Bandit(shop.OFFERS, kb.Encoding(drop=("user_id",)), policy, **known).fit(LOG, **shop.LOGGED)


@pytest.mark.parametrize("policy", [kb.default_policy(), kb.LinearThompsonSampling()], ids=repr)
def test_readers_and_a_writer_do_not_disturb_each_other(policy):
    bandit, alone = fitted(policy), fitted(policy)
    stop, failed, n_read = threading.Event(), [], [0]

    def read():
        try:
            while not stop.is_set():
                chances = bandit.score(ROWS).select(f"probability_{name}" for name in shop.OFFERS).to_numpy()
                summary = bandit.summary()
                assert np.allclose(chances.sum(axis=1), 1.0)
                assert sum(arm.n_rewards for arm in summary.arms) == summary.n_rewards
                n_read[0] += 1
        except Exception as error:  # shown by the assertion below
            failed.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    said = [play(bandit, i, row) for i, row in enumerate(ROWS.iter_rows(named=True))]
    while n_read[0] < 3 and not failed:
        pass
    stop.set()
    for reader in readers:
        reader.join()
    assert failed == []
    assert said == [play(alone, i, row) for i, row in enumerate(ROWS.iter_rows(named=True))]


def play(bandit, number, row):
    decision = bandit.choose(row)
    if number % 3:
        bandit.observe(decision.id, reward=float(number % 4))
    return [decision.arm, decision.propensity, decision.scores, decision.explored]


def go_on(path):
    """What a bandit decides next, with the rewards of all decisions that were pending."""
    bandit = kb.load(path)
    for number, entry in enumerate([*bandit.ledger]):
        bandit.observe(entry.id, reward=float(number % 7))
    return [play(bandit, i, row) for i, row in enumerate(ROWS.iter_rows(named=True))]


def test_every_bandit_goes_on_in_a_new_process_with_rewards_pending(tmp_path):
    policies = [policy for policy in examples.POLICIES if not isinstance(policy, kb.Oracle)]
    for number, policy in enumerate(policies[::4]):
        bandit = fitted(policy)
        for i, row in enumerate(ROWS.iter_rows(named=True)):
            play(bandit, i, row)
        bandit.save(tmp_path / f"{number}.kb")
    here = [go_on(tmp_path / f"{number}.kb") for number in range(len(policies[::4]))]
    done = subprocess.run([sys.executable, "-W", "ignore", __file__, str(tmp_path)], capture_output=True, check=True)
    assert json.loads(done.stdout) == here


if __name__ == "__main__":
    from pathlib import Path

    folder = Path(sys.argv[1])
    n = len([*folder.glob("*.kb")])
    print(json.dumps([go_on(folder / f"{number}.kb") for number in range(n)]))  # noqa: T201
