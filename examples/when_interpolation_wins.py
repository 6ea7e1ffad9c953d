"""
Many features, few rounds: when interpolation wins
==================================================

With 200 features and 30 draws per arm there are fewer points than features. A linear model cannot see a curved
reward; a kernel method with the confidence width of the theory goes on exploring; an interpolator just fits.
"""

# %%

import numpy as np

import kernelbandits as kb

kernel = kb.Gaussian(gamma=4.0)
instance = kb.Synthetic(kb.LowRank(), n_arms=4, dim=200).draw(np.random.default_rng(3))
policies = {
    "EtC, kernel interpolation": kb.ExploreThenCommit(kb.MinNormInterpolator(kernel), n_explore=120),
    "EtC, linear": kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Linear()), n_explore=120),
    "GP-UCB, theory's width": kb.GPUCB(kb.GaussianProcess(kernel, ridge=1.0), kb.TheoreticalWidth()),
}
traces = {name: kb.play(policy, instance, 500, rng=1) for name, policy in policies.items()}

# %%
# All three meet the same contexts and the same noise.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
looks = (("#000000", "-"), ("#0072B2", ":"), ("#009E73", "--"))
for (name, trace), (colour, line) in zip(traces.items(), looks, strict=True):
    axes.plot(trace.cumulative_regret, color=colour, linestyle=line, label=name)
axes.axvline(120, color="0.45", linestyle=":", linewidth=1.0)
axes.annotate("end of exploration", (124, 0), color="0.35", fontsize=9, va="bottom")
axes.set(xlabel="round", ylabel="cumulative regret", title="200 features, 500 rounds")
axes.legend(frameon=False)
for name, trace in traces.items():
    print(f"{name}: {trace.regrets.sum():.0f}")
