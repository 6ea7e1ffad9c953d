"""A start from a log: the posterior of observing one by one, and nothing is explored as if new."""

import warnings

import numpy as np
import pytest

import examples
import kernelbandits as kb
import shop

LOG = shop.log(120, n_numbers=4, n_categories=1)
ROWS = shop.features(6, seed=1, n_numbers=4, n_categories=1)
KNOWN = {"horizon": 200, "noise_std": 0.1, "reward_norms": np.ones(4)}
POLICIES = [policy for policy in examples.POLICIES if not isinstance(policy, kb.Oracle)]


def bandits(policy):
    """One that was fitted to the log, and an agent that observed it row by row."""
    bandit = kb.Bandit(shop.OFFERS, kb.Encoding(drop=("user_id",)), policy, rng=5, **KNOWN).fit(LOG, **shop.LOGGED)
    agent = policy.start(kb.Problem(dim=bandit.encoder.dim, arms=shop.OFFERS, **KNOWN), rng=5)
    for row in LOG.iter_rows(named=True):
        agent.observe(bandit.encoder.transform(row), row["offer"], row["purchase"])
    return bandit, agent


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_a_fit_is_the_same_as_observing_one_by_one_and_nothing_is_explored_in_turn(policy):
    in_turn = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a fit that says how far it got
        bandit, agent = bandits(policy)
        points = bandit.encoder.transform(ROWS)
        for row, point in zip(ROWS.iter_rows(named=True), points, strict=True):
            scores = agent.score(np.repeat(point[np.newaxis, np.newaxis], 4, axis=1))
            found = bandit.score({name: [value] for name, value in row.items()}).to_numpy().reshape(3, 4)
            for mine, theirs in zip(found, scores, strict=True):
                assert np.allclose(mine, theirs[0], rtol=1e-8, atol=1e-8, equal_nan=True)
            one, other = bandit.choose(row), agent.choose(point)
            in_turn += one.explored and one.propensity == 1.0 and not any(one.scores.values())
            assert one.arm == other.name
            assert one.propensity == pytest.approx(other.propensity, abs=1e-8)
            bandit.observe(one.id, reward=1.0)
            agent.observe(point, other.arm, 1.0)
    # Of a log, an equal share of every arm's rewards is kept up to the cap: what is left of it is explored.
    assert in_turn <= (getattr(policy, "cap", None) or 0) % len(shop.OFFERS)


def test_only_what_the_log_lacks_is_tried():
    bandit = kb.Bandit((*shop.OFFERS, "20pct"), kb.Encoding(drop=("user_id",))).fit(LOG, **shop.LOGGED)
    first = [bandit.choose(row) for row in ROWS.head(3).iter_rows(named=True)]
    assert [d.arm for d in first[:2]] == ["20pct", "20pct"]
    assert all(d.explored for d in first[:2])
