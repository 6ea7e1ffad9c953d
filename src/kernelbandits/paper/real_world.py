"""The paper's methods and three from outside on real data: `kernelbandits reproduce real-world`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, sqrt
from pathlib import Path

import numpy as np
from scipy.linalg import solve

from kernelbandits import paper
from kernelbandits.environments import Classification, LabelledPoints
from kernelbandits.experiments import Experiment, Panel, RunOptions, report_experiment
from kernelbandits.kernels import Gaussian
from kernelbandits.paper.data_sets import find
from kernelbandits.paper.real_world_findings import findings
from kernelbandits.policies import LinearThompsonSampling, LinearUCB, Policy, Uniform
from kernelbandits.specs import to_table

HORIZON = 1500
"""As many rounds as the smallest data set has rows for (ISOLET, 1,560), so that regrets can be compared."""

SEEDS = 10
EXPLORED = 5
"""EtC explores for a fifth of the rounds: between the paper's synthetic figures (d/T, 5 to 10 %) and its Avazu (½)."""

ORACLE_ROWS = 2000
ORACLE_RIDGE = 0.1


def report(options: RunOptions, data_dir: Path | None = None) -> None:
    """Find the data sets, play all methods on them, and report who wins where and what was left out."""
    horizon = HORIZON if options.horizon is None else options.horizon
    found = find(data_dir, options.folder, options.only, horizon)
    study = options.part_of(experiment(found.environments, horizon, SEEDS))
    remarks = [*choices(study), *found.left_out_lines()]
    report_experiment(study, options, findings=lambda results: [*findings(results), *remarks])


def reward_norm(data: LabelledPoints) -> float:
    """The norm that CGP-UCB is told: the largest of the arms' kernel ridge fits to 0/1 rewards, rounded up to a tenth.

    ‖f⁽ⁱ⁾‖ is unknown for the reward "is this class i", if it is finite at all. As in the paper's Avazu study, a kernel
    ridge oracle (λ² = 0.1, at most 2,000 rows, always the same) stands in for f⁽ⁱ⁾, and √(aᵀKa) for its norm.
    """
    rows = np.random.default_rng(0).permutation(len(data.codes))[:ORACLE_ROWS]
    X, Y = data.points[rows], np.eye(len(data.names))[data.codes[rows]]
    K = Gaussian(gamma=4.0)(X)
    weights = solve(K + ORACLE_RIDGE * np.eye(len(K)), Y, assume_a="pos")
    norms = np.sqrt(np.einsum("nk,nk->k", weights, K @ weights))
    return ceil(10.0 * float(norms.max())) / 10.0


def methods(n_arms: int, dim: int, n_explore: int) -> dict[str, Policy]:
    """The paper's eight, then Uniform, LinearUCB and LinearThompsonSampling.

    The linear ones have the ridge of the paper's linear methods, λ² = 1 at ⟨x, x'⟩/d. α is 1; Thompson sampling has the
    standard deviation √(K − 1)/K of a reward that is 1 with probability 1/K. The rule is the same for all data sets.
    """
    spread = sqrt(n_arms - 1) / n_arms
    return paper.methods(dim, n_explore) | {
        "Uniform": Uniform(),
        "LinearUCB": LinearUCB(alpha=1.0, ridge=dim),
        "LinearThompsonSampling": LinearThompsonSampling(scale=spread, ridge=dim),
    }


def experiment(environments: Mapping[str, Classification], horizon: int, seeds: int) -> Experiment:
    """The study on these data sets."""
    title = "The paper's methods and three from outside on real data: one arm per class, reward 1 for the right one"
    panels = tuple(_panel(name, environment, horizon) for name, environment in environments.items())
    return Experiment("real-world", panels, horizon, tuple(range(seeds)), title)


def _panel(name: str, environment: Classification, horizon: int) -> Panel:
    """One data set with all methods."""
    data = environment.data()
    n_arms, dim = len(data.names), data.points.shape[1]
    n_explore = max(n_arms, horizon // EXPLORED)
    told = replace(environment, reward_norm=reward_norm(data))
    return Panel(name, told, methods(n_arms, dim, n_explore), mark=n_explore)


def choices(study: Experiment) -> list[str]:
    """The settings chosen for the methods, with their numbers."""
    norms = ", ".join(f"{to_table(panel.environment)['reward_norm']:g} ({panel.name})" for panel in study.panels)
    explored = " or ".join(sorted({str(panel.mark) for panel in study.panels}))
    return [
        f"EtC explored for {explored} of {study.horizon:,} rounds; "
        f"CGP-UCB was told the RKHS norms {norms}, those of kernel ridge fits to the rows"
    ]
