"""The paper's formulas, slow and obvious. Nothing here comes from the library: numpy and scipy only."""

from itertools import product
from math import log, sqrt

import numpy as np
from scipy.linalg import cho_factor, cho_solve

DELTA = 0.1


def squared_distances(X, Z):
    """‖x − z‖² for every pair, each from its own difference."""
    return np.array([[np.sum((x - z) ** 2) for z in Z] for x in X])


def precise_squared_distances(X, Z):
    """`squared_distances` in extended precision."""
    return squared_distances(X.astype(np.longdouble), Z.astype(np.longdouble)).astype(np.float64)


def gaussian(X, Z, gamma=4.0):
    """F_RBF(x, z) = exp(−‖x − z‖² / (0.25 d)) for γ = 4."""
    return np.array([np.exp(-gamma * np.sum((x - Z) ** 2, axis=1) / len(x)) for x in X])


def linear(X, Z):
    """⟨x, z⟩ / d."""
    return np.array([np.sum(x * Z, axis=1) / len(x) for x in X])


def min_norm_weights(K, y):
    """a = K⁺ y; eigenvalues below 1e-10 of the largest are rounding."""
    return np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ y


def ridge_weights(K, y, ridge):
    """a = (K + λ²I)⁻¹ y."""
    return np.linalg.solve(K + ridge * np.eye(len(K)), y)


def expansion(kernel, centers, coefficients, x):
    """Σ_m c_m F(x, x_m), term by term."""
    return sum(c * kernel([x], [center])[0, 0] for c, center in zip(coefficients, centers, strict=True))


def rkhs_norm(kernel, centers, coefficients):
    """√(Σ_jl c_j c_l F(x_j, x_l)), term by term."""
    pairs = [(j, m) for j in range(len(centers)) for m in range(len(centers))]
    return sqrt(sum(coefficients[j] * coefficients[m] * kernel([centers[j]], [centers[m]])[0, 0] for j, m in pairs))


def gp_posterior(K, k, prior, y, ridge):
    """Mean, standard deviation and ln det(I + K/λ²) of a Gaussian process, by a fresh Cholesky factorisation."""
    if not len(y):
        return 0.0, sqrt(prior), 0.0
    factor = cho_factor(K + ridge * np.eye(len(K)))
    log_det_ratio = 2 * np.sum(np.log(np.diag(factor[0]))) - len(K) * log(ridge)
    return k @ cho_solve(factor, y), sqrt(max(prior - k @ cho_solve(factor, k), 0.0)), log_det_ratio


def leave_one_out(kernel, X, y, ridge=0.0, levels=None):
    """Every point predicted by a fit to the others, from its level on."""
    predictions, levels = [], np.zeros(len(y)) if levels is None else levels
    for i in range(len(y)):
        others = [j for j in range(len(y)) if j != i]
        K = kernel(X[others], X[others]) if others else np.zeros((0, 0))
        k = kernel(X[[i]], X[others])[0] if others else np.zeros(0)
        predictions.append(levels[i] + k @ ridge_weights(K, y[others] - levels[i], ridge))
    return np.array(predictions)


def commitment_value(pairs):
    """Means over all rounds that draws (prediction, reward) of the arms make: the largest reward, and the reward of
    the largest prediction (the mean of those tied)."""
    best, committed = [], []
    for drawn in product(*[list(zip(*pair, strict=True)) for pair in pairs]):
        top = max(prediction for prediction, _ in drawn)
        best.append(max(reward for _, reward in drawn))
        committed.append(np.mean([reward for prediction, reward in drawn if prediction == top]))
    return np.mean(best), np.mean(committed)


def no_levels(samples):
    return [np.zeros(len(y)) for y in samples]


def left_out_pairs(kernel, data, ridge, left_out_levels):
    """Leave-one-out predictions and rewards of every arm from its contexts and rewards."""
    levels = left_out_levels([y for _, y in data])
    return [(leave_one_out(kernel, X, y, ridge, own), y) for (X, y), own in zip(data, levels, strict=True)]


def adaptive_exploration(rounds, kernel, ridge, horizon, cap, left_out_levels=no_levels):
    """T₀ by refitting everything: arms in turn while r √((N−1)/N) (T + NK) > 2 N K rₑ, from three turns on."""
    n_arms = rounds.means.shape[1]
    for n in range(3, len(rounds) // n_arms + 1):
        data = []
        for i in range(n_arms):
            own = list(range(i, n * n_arms, n_arms))
            data.append((rounds.contexts[own, i], rounds.means[own, i] + rounds.noise[own]))
        pairs = left_out_pairs(kernel, data, ridge, left_out_levels)
        best, committed = commitment_value(pairs)
        explored = np.mean([y for _, y in pairs])
        regret = (best - committed) * sqrt((n - 1) / n)
        if n * n_arms >= cap or regret * (horizon + n * n_arms) <= 2 * n * n_arms * (best - explored):
            return min(n * n_arms, cap)
    return None


def successive_elimination(rounds, kernel, ridge, share, horizon, cap, left_out_levels=no_levels):
    """The arms of the exploration, by refitting everything after every turn of the contenders."""
    n_arms = rounds.means.shape[1]
    played, contenders = [[] for _ in range(n_arms)], range(n_arms)
    arms = []
    while len(arms) < cap:
        if len(arms) >= 3 * n_arms:
            data = [(rounds.contexts[own, i], rounds.means[own, i] + rounds.noise[own]) for i, own in enumerate(played)]
            best, committed = commitment_value(left_out_pairs(kernel, data, ridge, left_out_levels))
            wins = [int(np.argmax(drawn)) for drawn in product(*[y for _, y in data])]
            chance = [wins.count(i) / len(wins) for i in range(n_arms)]
            contenders = [i for i in range(n_arms) if chance[i] >= share * max(chance)]
            n_draws = sum(len(played[i]) for i in contenders) / len(contenders)
            spent = 2 * len(contenders) * int(n_draws)
            regret = (best - committed) * sqrt((n_draws - 1) / int(n_draws))
            turn_regret = best - np.mean([data[i][1].mean() for i in contenders])
            remaining = horizon - len(arms) + sum(len(played[i]) for i in contenders) % len(contenders)
            if regret * (remaining + spent) <= spent * turn_regret:
                break
        for _ in contenders:
            arm = min(contenders, key=lambda i: len(played[i]))
            played[arm].append(len(arms))
            arms.append(arm)
    return arms[:cap]


def explore_then_commit(rounds, kernel, ridge, n_explore):
    """Algorithm 1: arms in turn for T₀ rounds, one fit per arm, then the best prediction. `ridge` None is ridgeless."""
    n_arms = rounds.means.shape[1]
    arms = [t % n_arms for t in range(n_explore)]
    fits = []
    for i in range(n_arms):
        own = list(range(i, n_explore, n_arms))
        X, y = rounds.contexts[own, i], rounds.means[own, i] + rounds.noise[own]
        K = kernel(X, X)
        fits.append((X, min_norm_weights(K, y) if ridge is None else ridge_weights(K, y, ridge)))
    for t in range(n_explore, len(rounds)):
        scores = [kernel([rounds.contexts[t, i]], X)[0] @ a for i, (X, a) in enumerate(fits)]
        arms.append(int(np.argmax(scores)))
    return np.array(arms)


def cgp_ucb(rounds, kernel, ridge, scale, norms, noise_std):
    """Largest mean + β std, β = scale · (‖f‖ + σ² λ⁻¹ √(2 ln det(I + λ⁻²K) + 2 ln(K/δ)))."""
    n_arms = rounds.means.shape[1]
    grams = [kernel(rounds.contexts[:, i], rounds.contexts[:, i]) for i in range(n_arms)]
    played = [[] for _ in range(n_arms)]  # the rounds in which each arm was played
    arms = []
    for t in range(len(rounds)):
        scores = []
        for i, (K, seen) in enumerate(zip(grams, played, strict=True)):
            y = rounds.means[seen, i] + rounds.noise[seen]
            mean, std, log_det_ratio = gp_posterior(K[np.ix_(seen, seen)], K[t, seen], K[t, t], y, ridge)
            root = sqrt(2 * log_det_ratio + 2 * log(n_arms / DELTA))
            scores.append(mean + scale * (norms[i] + noise_std**2 / sqrt(ridge) * root) * std)
        arms.append(int(np.argmax(scores)))
        played[arms[-1]].append(t)
    return np.array(arms)


def paper_arms(method, rounds, norms, noise_std, n_explore):
    """The arms that a method of the paper's experiments plays on these rounds."""
    etc = {
        "EtC": (gaussian, None),
        "EtC-Ridge": (gaussian, 1.0),
        "EtC-Linear": (linear, None),
        "EtC-Linear-Ridge": (linear, 1.0),
    }
    ucb = {
        "CGP-UCB": (1.0, 1.0),
        "CGP-UCB-Ridgeless": (1e-8, 1.0),
        "CGP-UCB-Scaled": (1.0, 0.1),
        "CGP-UCB-Scaled-Ridgeless": (1e-8, 0.1),
    }
    if method in etc:
        return explore_then_commit(rounds, *etc[method], n_explore)
    ridge, scale = ucb[method]
    return cgp_ucb(rounds, gaussian, ridge, scale, norms, noise_std)
