"""A small experiment that takes a second, in the form of a user's file."""

TOML = """
name = "small"
title = "A small one"
horizon = 120
seeds = 3
columns = 2
mark = "$n_explore"

[methods.EtC]
type = "ExploreThenCommit"
n_explore = "$n_explore"
estimator = { type = "MinNormInterpolator", kernel = { type = "Gaussian", gamma = 4.0 } }

[methods.UCB]
type = "GPUCB"
model = { type = "GaussianProcess", ridge = 1.0, kernel = { type = "Gaussian", gamma = 4.0 } }
width = { type = "TheoreticalWidth" }

[methods.Uniform]
type = "Uniform"

[[panels]]
name = "low-rank"
values = { n_explore = 30 }
environment = { type = "Synthetic", n_arms = 4, dim = 20, n_bumps = 50, covariance = { type = "LowRank" } }

[[panels]]
name = "decay"
values = { n_explore = 40 }
environment = { type = "Synthetic", n_arms = 4, dim = 30, n_bumps = 50, covariance = { type = "SpectralDecay" } }
"""
