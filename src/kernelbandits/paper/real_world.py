"""The paper's methods and three from outside on real data: `kernelbandits reproduce real-world`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import solve

from kernelbandits import paper
from kernelbandits.environments import Classification, LabelledPoints, mean_and_standard_error
from kernelbandits.experiments import Experiment, Panel, Results, RunOptions, report_experiment, require_known
from kernelbandits.kernels import Gaussian
from kernelbandits.paper import data_sets
from kernelbandits.policies import LinearThompsonSampling, LinearUCB, Policy, Uniform
from kernelbandits.specs import to_table
from kernelbandits.types import Array

CLEAR = 2.0  # one method beats another if its regret is smaller by more than this many standard errors, seed by seed


class Contender(NamedTuple):
    """Final regrets for each seed, shape (seeds,), and the name of the method or methods that they belong to."""

    name: str
    regrets: Array

    def __str__(self) -> str:
        mean, error = mean_and_standard_error(self.regrets)
        return f"{self.name} {mean:.1f}" + (f" ± {error:.1f}" if np.isfinite(error) else "")

    def beats(self, other: Self) -> bool:
        """Whether these regrets are smaller by more than chance; with a single seed, whether they are smaller."""
        mean, error = mean_and_standard_error(other.regrets - self.regrets)
        return bool(mean > CLEAR * error) if np.isfinite(error) else bool(mean > 0)


def best_of(regrets: Mapping[str, Array]) -> Contender:
    """The method of the smallest mean regret, chosen for each seed on the other seeds.

    The smallest of several means is too small on the seeds that chose it. Here a seed's regret is that of the method
    which is best on all other seeds, so its mean is what the choice is worth on a new seed. If the choices differ, the
    name lists them, the most frequent first. A single seed has no other seeds: the choice is made on it.
    """
    names, table = list(regrets), np.stack(list(regrets.values()))
    n_seeds = table.shape[1]
    others = table.sum(axis=1, keepdims=True) - table if n_seeds > 1 else table
    chosen = others.argmin(axis=0)
    counts = Counter(names[i] for i in chosen.tolist())
    return Contender(" or ".join(name for name, _ in counts.most_common()), table[chosen, np.arange(n_seeds)])


HORIZON = 1500  # as many rounds as the smallest data set has rows for (ISOLET, 1,560), so that regrets can be compared
SEEDS = 10
EXPLORED = 5
"""EtC explores for a fifth of the rounds: between the paper's synthetic figures (d/T, 5 to 10 %) and its Avazu (½)."""

OUTSIDE = ("LinearUCB", "LinearThompsonSampling")


def report(options: RunOptions, data_dir: Path | None = None) -> None:
    """Find the data sets, play all methods on them, and report who wins where and what was left out."""
    horizon = HORIZON if options.horizon is None else options.horizon
    names = [*methods(dim=1, n_explore=1), *data_sets.NAMES]
    require_known(options.only, names, "real-world has no method or data set")
    environments, left_out = data_sets.find(data_dir, options.folder, options.only, horizon)
    study = options.part_of(experiment(environments, horizon, SEEDS))
    report_experiment(study, options, findings=lambda results: [*findings(results), *choices(study), *left_out])


def reward_norm(data: LabelledPoints) -> float:
    """The norm that CGP-UCB is told: the largest of the arms' kernel ridge fits to 0/1 rewards, rounded up to a tenth.

    ‖f⁽ⁱ⁾‖ is unknown for the reward "is this class i", if it is finite at all. As in the paper's Avazu study, a kernel
    ridge oracle (λ² = 0.1, at most 2,000 rows, always the same) stands in for f⁽ⁱ⁾, and √(aᵀKa) for its norm.
    """
    rows = np.random.default_rng(0).permutation(len(data.codes))[:2000]
    X, Y = data.points[rows], np.eye(len(data.names))[data.codes[rows]]
    K = Gaussian(gamma=4.0)(X)
    weights = solve(K + 0.1 * np.eye(len(K)), Y, assume_a="pos")
    norms = np.sqrt(np.einsum("nk,nk->k", weights, K @ weights))
    return ceil(10.0 * float(norms.max())) / 10.0


def methods(dim: int, n_explore: int) -> dict[str, Policy]:
    """The paper's eight, then Uniform, LinearUCB and LinearThompsonSampling.

    The linear ones have the ridge of the paper's linear methods, λ² = 1 at ⟨x, x'⟩/d. α is 1, and the scale of Thompson
    sampling ¼, both in units of the rewards' spread. The rule is the same for all data sets.
    """
    return paper.methods(dim, n_explore) | {
        "Uniform": Uniform(),
        "LinearUCB": LinearUCB(alpha=1.0, ridge=dim),
        "LinearThompsonSampling": LinearThompsonSampling(scale=0.25, ridge=dim),
    }


def experiment(environments: Mapping[str, Classification], horizon: int, seeds: int) -> Experiment:
    """The study on these data sets."""
    title = "The paper's methods and three from outside on real data: one arm per class, reward 1 for the right one"
    panels = []
    for name, environment in environments.items():
        data = environment.data()
        n_arms, dim = len(data.names), data.points.shape[1]
        n_explore = max(n_arms, horizon // EXPLORED)
        told = replace(environment, reward_norm=reward_norm(data))
        panels.append(Panel(name, told, methods(dim, n_explore), mark=n_explore))
    return Experiment("real-world", tuple(panels), horizon, tuple(range(seeds)), title)


def choices(study: Experiment) -> list[str]:
    """The settings chosen for the methods, with their numbers."""
    norms = ", ".join(f"{to_table(panel.environment)['reward_norm']:g} ({panel.name})" for panel in study.panels)
    explored = " or ".join(sorted({str(panel.mark) for panel in study.panels}))
    return [
        f"EtC explored for {explored} of {study.horizon:,} rounds; "
        f"CGP-UCB was told the RKHS norms {norms}, those of kernel ridge fits to the rows"
    ]


def _best(regrets: Mapping[str, Array], among: Sequence[str]) -> Contender:
    """The best of these methods, by final regrets of shape (seeds,)."""
    return best_of({name: regrets[name] for name in among if name in regrets})


def findings(results: Results) -> list[str]:
    """One line per data set, then a summary over all of them."""
    final = {
        panel.name: {name: results.curves(panel.name, name)[:, -1] for name in panel.methods}
        for panel in results.experiment.panels
    }
    ours = [name for name in paper.methods(dim=1) if name in results.experiment.methods]
    outside = [name for name in OUTSIDE if name in results.experiment.methods]
    kernel_etc = [name for name in ("EtC", "EtC-Ridge") if name in ours]
    ucb = [name for name in ours if name.startswith("CGP-UCB")]
    lines = []
    if ours and outside:
        lines += [f"{panel}: {_verdict(_best(own, ours), _best(own, outside))}" for panel, own in final.items()]
        lines.append(_balance("the best of the paper's eight", ours, " and ".join(outside), outside, final))
    # On the paper's own data, kernel EtC is ahead of every CGP-UCB.
    for whom, others in ((" and ".join(outside), outside), ("the best CGP-UCB", ucb)):
        if kernel_etc and others:
            lines.append(_balance(" or ".join(kernel_etc), kernel_etc, whom, others, final))
    for panel, own in final.items():
        if "Uniform" in own:
            chance = _best(own, ["Uniform"])
            poor = [name for name in (*ours, *outside) if not _best(own, [name]).beats(chance)]
            lines += [f"{panel}: no better than playing at random: {', '.join(poor)}"] if poor else []
    return lines


def _verdict(first: Contender, other: Contender) -> str:
    """Whether the best of the paper's eight or the best from outside wins."""
    if other.beats(first):
        verdict = f"the paper's eight lose: {other}, the best of the eight {first}"
    elif first.beats(other):
        verdict = f"the paper's eight win: {first}, the best from outside {other}"
    else:
        verdict = f"no clear difference: {first} of the eight, {other} from outside"
    ratio = first.regrets.mean() / max(other.regrets.mean(), np.finfo(float).tiny)
    return f"{verdict} (ratio {ratio:.2f})"


def _balance(
    who: str, first: Sequence[str], whom: str, second: Sequence[str], final: Mapping[str, Mapping[str, Array]]
) -> str:
    """On which data sets the best of the first loses to the best of the second, and where it wins."""
    lost = [panel for panel, own in final.items() if _best(own, second).beats(_best(own, first))]
    won = [panel for panel, own in final.items() if _best(own, first).beats(_best(own, second))]
    lists = [f"{len(on)} of {len(final)} data sets" + (f" ({', '.join(on)})" if on else "") for on in (lost, won)]
    return f"Against {whom}, {who} loses on {lists[0]} and wins on {lists[1]}"
