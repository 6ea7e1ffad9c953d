"""Reading from several threads while one writes, and a restart with rewards pending."""

import json
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import bandit_restarts
import examples
import kernelbandits as kb
import shop
from bandit_restarts import ROWS, fitted, go_on, play

POLICIES = [policy for policy in examples.POLICIES if not isinstance(policy, kb.Oracle)]


@pytest.mark.parametrize("policy", [kb.default_policy(), kb.LinearThompsonSampling()], ids=repr)
def test_readers_and_a_writer_do_not_disturb_each_other(policy):
    bandit, alone = fitted(policy), fitted(policy)
    stop, done_reading, failed = threading.Event(), threading.Semaphore(0), []

    def read():
        try:
            while not stop.is_set():
                chances = bandit.score(ROWS).select(f"probability_{name}" for name in shop.OFFERS).to_numpy()
                summary = bandit.summary()
                assert np.allclose(chances.sum(axis=1), 1.0)
                assert sum(arm.n_rewards for arm in summary.arms) == summary.n_rewards
                done_reading.release()
        except Exception as error:  # shown by the assertion below
            failed.append(error)
            done_reading.release()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    said = [play(bandit) for _ in range(3)]
    for _ in range(4):
        done_reading.acquire()
    stop.set()
    for reader in readers:
        reader.join()
    assert failed == []
    assert said == [play(alone) for _ in range(3)]


@pytest.mark.parametrize(
    "policies", [POLICIES[::9], pytest.param(POLICIES, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_a_bandit_goes_on_in_a_new_process_with_rewards_pending(policies, tmp_path):
    here = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a fit that says how far it got
        for number, policy in enumerate(policies):
            bandit = fitted(policy)
            play(bandit)
            path = bandit.save(tmp_path / f"{number:03}.kb")
            here[path.name] = go_on(bandit)
    alike = os.environ | {"OMP_NUM_THREADS": "1"}  # as in the process of the tests
    command = [sys.executable, bandit_restarts.__file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=True, env=alike)
    assert json.loads(done.stdout) == json.loads(json.dumps(here))
