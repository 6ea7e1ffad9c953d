"""
When a linear method is enough
==============================

If rewards are linear in the features, a linear method learns faster than any kernel method. Here the paper's proposal
loses, and the default policy, which estimates how rough rewards are, comes close to the linear one.
"""

# %%

import numpy as np

import kernelbandits as kb

instance = kb.Synthetic(kb.LowRank(), n_arms=4, dim=20, kernel=kb.Linear()).draw(np.random.default_rng(0))
policies = {
    "LinearUCB": kb.LinearUCB(alpha=0.3),
    "default policy": kb.default_policy(),
    "EtC, kernel interpolation": kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), n_explore=80),
}
traces = {name: kb.play(policy, instance, 400, rng=1) for name, policy in policies.items()}

# %%
# Try the simple method first. `kernelbandits diagnose` compares both on your data before anything is played.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
looks = (("#332288", "-."), ("#D55E00", "-"), ("#000000", "--"))
for (name, trace), (colour, line) in zip(traces.items(), looks, strict=True):
    axes.plot(trace.cumulative_regret, color=colour, linestyle=line, label=name)
axes.set(xlabel="round", ylabel="cumulative regret", title="Linear rewards, 20 features")
axes.legend(frameon=False)
for name, trace in traces.items():
    print(f"{name}: {trace.regrets.sum():.1f}")
