"""
Arms that share
===============

Thirty offers that differ in little: what one teaches holds for the others too. A belief that shares learns from all
rewards at once; one that does not starts thirty times from nothing.
"""

# %%
# The rewards are one function of the context, plus a little of each arm's own.

import numpy as np

import kernelbandits as kb

N_ARMS, DIM, ROUNDS = 30, 10, 240
world = np.random.default_rng(0)
common, own = world.standard_normal(DIM), 0.3 * world.standard_normal((N_ARMS, DIM))
model = kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge=0.1)
policies = {
    "sharing": kb.CalibratedUCB(kb.JointArms(model, kb.Exchangeable(weight=0.9))),
    "independent": kb.CalibratedUCB(kb.IndependentArms(model)),
}

regrets = {}
for name, policy in policies.items():
    rng = np.random.default_rng(1)
    agent = policy.start(kb.Problem(n_arms=N_ARMS, dim=DIM), rng=2)
    regrets[name] = []
    for _ in range(ROUNDS):
        contexts = rng.standard_normal((N_ARMS, DIM))
        values = np.tanh((contexts * (common + own)).sum(axis=1) / 2)
        arm = agent.choose(contexts).arm
        agent.observe(contexts[arm], arm, values[arm] + 0.1 * rng.standard_normal())
        regrets[name].append(values.max() - values[arm])

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for (name, found), (colour, line) in zip(regrets.items(), (("#D55E00", "-"), ("#7F7F7F", "--")), strict=True):
    axes.plot(np.cumsum(found), color=colour, linestyle=line, label=name)
axes.axvline(N_ARMS, color="0.45", linestyle=":", linewidth=1.0)
axes.annotate("one reward per arm", (N_ARMS + 2, 0), color="0.35", fontsize=9, va="bottom")
axes.set(xlabel="round", ylabel="cumulative regret", title="30 arms that are alike")
axes.legend(frameon=False)
print({name: round(float(sum(found)), 1) for name, found in regrets.items()})
