"""
Diagnose and budget
===================

Before you explore: does kernel interpolation work on these data, and how many rounds should be spent on exploration?
"""

# %%
# A pilot: contexts, the arms that were played, their rewards. Here they come from one of the paper's designs.

import numpy as np

import kernelbandits as kb
from kernelbandits.theory.diagnosis import diagnose

rng = np.random.default_rng(0)
instance = kb.Synthetic(kb.LowRank(), n_arms=2, dim=60, noise_std=0.1).draw(rng)
rounds = instance.rounds(300, rng)
arms = np.arange(300) % 2
contexts = rounds.contexts[np.arange(300), arms]
rewards = rounds.means[np.arange(300), arms] + rounds.noise

# %%
# The first line of the report is the verdict.

report = diagnose(contexts, arms=arms, rewards=rewards, horizon=10_000)
print(report.verdict.text)
if report.recommendation is not None:
    print(f"explore for {report.recommendation.n_explore:,} of 10,000 rounds")

# %%
# On the left, the spectrum of the contexts; on the right, effective bias and variance, and the recommended number of
# draws.

axes = report.plot()
