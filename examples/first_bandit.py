"""
First bandit in ten lines
=========================

Three arms, 200 features, rewards that are not linear: the default policy is told nothing else, and learns which arm
suits which context.
"""

# %%
# A *problem* is what a policy may know: how many arms there are, and how many features. The agent chooses, and you
# report the reward.

import numpy as np

import kernelbandits as kb

world = np.random.default_rng(0)
agent = kb.default_policy().start(kb.Problem(n_arms=3, dim=200), rng=1)
regrets = []
for _ in range(600):
    contexts = world.standard_normal((3, 200))  # one row per arm
    values = np.tanh(4.0 * contexts[:, :20].mean(axis=1))
    decision = agent.choose(contexts)
    agent.observe(contexts[decision.arm], decision.arm, values[decision.arm] + 0.1 * world.standard_normal())
    regrets.append(values.max() - values[decision.arm])

# %%
# The regret of a round is what the best arm would have given more. It falls while the agent learns.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
axes.plot(np.cumsum(regrets), color="#0072B2", label="default policy")
axes.plot(np.arange(600) * np.mean(regrets[:20]), color="#7F7F7F", linestyle="--", label="as in the first 20 rounds")
axes.set(xlabel="round", ylabel="cumulative regret", title="The curve bends: the agent learns")
axes.legend(frameon=False)
print(
    f"regret per round: {np.mean(regrets[:50]):.2f} in the first 50 rounds, {np.mean(regrets[-50:]):.2f} in the last 50"
)
