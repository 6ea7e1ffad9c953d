"""Prints every number of docs/theory.md: `python docs/theory_figures.py`. About two minutes on one core."""

import runpy
from pathlib import Path

import numpy as np

import kernelbandits as kb
from kernelbandits import theory

DESIGNS = {
    "low-rank": kb.LowRank(),
    "approximate low-rank": kb.ApproximateLowRank(),
    "spectral decay": kb.SpectralDecay(),
}
TESTS = Path(__file__).parent.parent / "tests"


def linearisation():
    """‖K − K_lin‖, N = d, Σ = I/2, mean of five draws."""
    sample = runpy.run_path(str(TESTS / "paper" / "test_linearization_statements.py"))["sample"]
    print("kernel | d | corrected | as printed")
    for kernel in (kb.Gaussian(), kb.Exponential()):
        for d in (100, 400, 1600):
            draws = [sample(d, d, seed) for seed in range(5)]
            variances = np.full(d, 0.5)
            corrected, printed = (
                np.mean([theory.linearize(kernel, X, variances, as_printed=as_printed).error for X in draws])
                for as_printed in (False, True)
            )
            print(f"{kernel} | {d} | {corrected:.4f} | {printed:.4f}")


def error():
    """Measured error of the interpolator against V and B, N = d, σ = 0.5, mean over two arms."""
    kernel = kb.Gaussian(4.0)
    print("design | d = N | measured | V | B | σ² V + (largest norm)² B")
    for name, design in DESIGNS.items():
        for d in (50, 100, 200, 400):
            instance = kb.Synthetic(design, n_arms=2, dim=d, noise_std=0.5).draw(np.random.default_rng(0))
            measured = theory.measured_error(kb.MinNormInterpolator(kernel), instance, d, rng=1, n_fits=3, n_test=500)
            contexts = instance.rounds(d, np.random.default_rng(2)).contexts
            variances = instance.context_std**2
            V = np.mean([theory.effective_variance(kernel, contexts[:, i], variances[i]) for i in range(2)])
            B = np.mean([theory.effective_bias(kernel, contexts[:, i]) for i in range(2)])
            total = 0.25 * V + max(f.norm for f in instance.rewards) ** 2 * B
            print(f"{name} | {d} | {measured.mean:.4f} | {V:.4f} | {B:.3f} | {total:.1f}")


def budgets():
    """The paper's budgets, printed and corrected, where both exist."""
    print("kernel | case | printed T₀ | its 2K√(V+B)/Δ | corrected T₀ | its 2K√(V+B)/Δ")
    given = {"delta": 0.5, "n_arms": 2, "noise_std": 0.1, "norm": 0.1, "dim": 200}
    for kernel in (kb.Exponential(), kb.Gaussian()):
        for case in theory.Case:
            cells = []
            for as_printed in (True, False):
                found = theory.exploration_budget(kernel, case, epsilon=0.1, as_printed=as_printed, **given)
                if found.feasible:
                    ratio = theory.per_round_bound(np.full(2, found.variance + found.bias)) / 0.5
                    cells.append(f"{found.n_explore} | {ratio:.2f}")
                else:
                    cells.append(f"none ({found.reason}) |")
            print(f"{kernel} | {case} | {' | '.join(cells)}")
    given = {"delta": 0.01, "n_arms": 4, "noise_std": 0.1, "norm": 1.0, "epsilon": 0.12, "dim": 50}
    print(theory.exploration_budget(kb.Gaussian(0.5), theory.Case.LOW_RANK, **given).reason)


def guarantees():
    """δ_d, η_d and the probability of Theorems B.1 and B.4, N = d, Σ = I/2, mean of five draws."""
    sample = runpy.run_path(str(TESTS / "paper" / "test_linearization_statements.py"))["sample"]
    print("kernel | d | δ_d | max |ψ_j| | probability | ‖ψ‖ | its probability | right side of Proposition C.3 | γ/2")
    for kernel in (kb.Gaussian(), kb.Gaussian(4.0), kb.Exponential()):
        for d in (100, 400, 1600):
            draws, variances = [sample(d, d, seed) for seed in range(5)], np.full(d, 0.5)
            both = [[theory.guarantee(kernel, X, variances, as_printed=p) for X in draws] for p in (False, True)]
            means = [np.mean([(g.eta, g.probability) for g in found], axis=0) for found in both]
            cells = " | ".join(f"{eta:.3f} | {probability:.2f}" for eta, probability in means)
            first = both[0][0]
            print(f"{kernel} | {d} | {first.delta:.3f} | {cells} | {first.limit:.3f} | {first.gamma / 2:.3f}")
        print(f"{kernel}: needs d = {first.needed_dim}")


def recommendation():
    """Ten seeds, d = 100, K = 20, T = 2000, a pilot of four rounds per arm."""
    study = runpy.run_path(str(TESTS / "theory" / "test_exploration_advice.py"))["study"]
    for name, design in DESIGNS.items():
        recommended, fixed = study(design, range(10))
        row = " | ".join(f"{value:.1f}" for value in fixed.values())
        print(f"{name} | {row} | {recommended:.1f} | {recommended / min(fixed.values()):.2f}")


def classification():
    """Twenty draws of each design at d = 200, n = 400, in a random basis."""
    draw = runpy.run_path(str(TESTS / "theory" / "test_spectrum_case.py"))["draw"]
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((200, 200)))[0]
    for name, design in DESIGNS.items():
        found = [theory.classify(draw(design, 400, 200, seed) @ basis) for seed in range(20)]
        counts = {str(case): sum(c.case is case for c in found) for case in theory.Case}
        flat, active = [c.flatness for c in found], [c.active for c in found]
        print(f"{name} | {counts} | {min(flat):.2f}–{max(flat):.2f} | {min(active):.2f}–{max(active):.2f}")


def information():
    """Information gain of 2000 standard normal contexts, Gaussian(4), and the bounds it gives."""
    print("d | gain at λ² = 1 | γ√T | √(γT) | (ln T)^(d+1)")
    rng = np.random.default_rng(0)
    for d in (1, 3, 10, 30, 100):
        gain = theory.information_gain(kb.Gaussian(4.0), rng.standard_normal((2000, d)))
        bounds = theory.classical_bounds(gain, 2000)
        rate = theory.information_rate(kb.Gaussian(4.0), d, 2000)
        print(f"{d} | {gain:.0f} | {bounds.cgp_ucb:.0f} | {bounds.sup_kernel_ucb:.0f} | {rate.value:.1e}")


if __name__ == "__main__":
    for part in (linearisation, error, budgets, guarantees, classification, information, recommendation):
        print(f"\n{part.__name__}: {part.__doc__}")
        part()
