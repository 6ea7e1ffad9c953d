"""
A million rows
==============

Exact kernel fits need n² numbers. A Nyström fit keeps M centres and costs O(n M²): the library says beforehand what a
fit costs, and chooses the solver. Here the rows are 20,000, so that the page builds quickly; the code for a million
is the same.
"""

# %%
# Which solver, and at what price?

import numpy as np

import kernelbandits as kb

for n in (2_000, 20_000, 1_000_000):
    print(f"{n:>9,} rows: {kb.solver_for(n, 50, ridge=1e-3)}")

# %%
# The error falls as the number of centres grows.

rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 10)) * 0.7
f = np.sin(X[:, :3].sum(axis=1))
y = f + 0.3 * rng.standard_normal(len(X))
Z = rng.standard_normal((2_000, 10)) * 0.7
truth = np.sin(Z[:, :3].sum(axis=1))
centers = (50, 100, 200, 400, 800)
errors = []
for n_centers in centers:
    fit = kb.Nystrom(kb.Gaussian(gamma=2.0), ridge=0.1, n_centers=n_centers).fit(X, y)
    errors.append(float(np.sqrt(np.mean((fit.mean(Z) - truth) ** 2))))

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
axes.plot(centers, errors, color="#0072B2", marker="o")
axes.set(
    xlabel="centres M", ylabel="error on new points", xscale="log", title="20,000 rows, 10 features", ylim=(0, None)
)
axes.set_xticks(centers, centers)
axes.minorticks_off()
print({m: round(e, 3) for m, e in zip(centers, errors, strict=True)})
