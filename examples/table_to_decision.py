"""
Your table to a decision
========================

A log of past offers, with columns in any unit, becomes a bandit that decides for new visitors.
"""

# %%
# The log: who came, what was offered, what was bought. Any data frame, dictionary or file will do.

import numpy as np

import kernelbandits as kb

rng = np.random.default_rng(0)
n = 600
offers = np.array(["none", "5 % off", "free shipping"])
log = {
    "age": rng.normal(45, 14, n).round(),
    "visits": rng.poisson(3, n),
    "country": rng.choice(["FR", "IT", "ES"], n),
    "offer": rng.choice(offers, n),
}
likes = {"none": 0.2 * log["visits"], "5 % off": np.abs(log["age"] - 45) / 10, "free shipping": log["country"] == "IT"}
log["purchase"] = [5 + 6 * likes[offer][i] + rng.normal(0, 3) for i, offer in enumerate(log["offer"])]

# %%
# One call fits the encoding and learns from the log, which counts as explored.

bandit = kb.Bandit([str(offer) for offer in offers])
bandit.fit(log, arm="offer", reward="purchase")

# %%
# A decision for one visitor; its reward comes back by the id, whenever it is known.

decision = bandit.choose({"age": 71, "visits": 2, "country": "FR"})
print(decision.arm, f"with probability {decision.propensity:.2f}")
bandit.observe(decision.id, reward=18.0)

# %%
# What it has learned: the predicted purchase by age, for a visitor from France. Five per cent are for the young and
# the old, and in the middle nothing is the best offer.

import matplotlib.pyplot as plt

ages = np.arange(20, 81, 2)
scores = bandit.score({"age": ages, "visits": np.full(len(ages), 3), "country": np.full(len(ages), "FR")})
figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for offer, colour, line in zip(offers, ("#000000", "#D55E00", "#0072B2"), ("-", "--", ":"), strict=True):
    mean, deviation = (scores[f"{kind}_{offer}"].to_numpy() for kind in ("mean", "deviation"))
    axes.plot(ages, mean, color=colour, linestyle=line, label=offer)
    axes.fill_between(ages, mean - deviation, mean + deviation, color=colour, alpha=0.12, lw=0)
axes.set(xlabel="age", ylabel="predicted purchase", title="Predictions with one standard deviation")
axes.legend(frameon=False)
