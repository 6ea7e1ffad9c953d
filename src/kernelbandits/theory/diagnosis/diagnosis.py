"""The diagnosis of a sample: a pure function of arrays, and the frozen value that it returns."""

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits import checks, theory
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.reporting import Drawn, facts_html, plot
from kernelbandits.specs import NonNegative, Positive, conform
from kernelbandits.tables import UNEQUAL
from kernelbandits.theory.diagnosis import budgets
from kernelbandits.theory.diagnosis.cross_validation import HeldOutScores, held_out_scores
from kernelbandits.theory.diagnosis.verdict import NO_REWARDS, DiagnosisVerdict, Suitability, verdict_on
from kernelbandits.theory.spectrum import evenly_spaced
from kernelbandits.types import Array, ArrayLike, IntArray


class ErrorCurve(NamedTuple):
    """Effective variance (for σ = 1) and bias (for B = 1) at several N, each of shape (s,); NaN where undefined."""

    sizes: IntArray
    variance: Array
    bias: Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """What a sample says about a kernel and about how long to explore.

    What could not be computed is None, and a note says why.
    """

    kernel: Kernel
    spectrum: theory.Spectrum  # of all rows
    classification: theory.SpectrumCase  # the case that the spectrum resembles
    assumptions: theory.AssumptionReport  # the paper's hypotheses,
    assumption_rows: int  # checked on so many evenly spaced rows
    gram_rows: int  # number N of evenly spaced rows used where a Gram matrix is needed
    linearization: theory.Linearization | None
    guarantee: theory.Guarantee | None  # of the error theorems, on the rows of the hypotheses
    curve: ErrorCurve  # effective variance and bias against N, up to N = `gram_rows`
    information_gain: float  # ½ ln det(I + K) of those rows
    rewards: budgets.RewardErrors | None  # leave-one-out errors
    held_out: HeldOutScores | None  # of rewards to which interpolation, ridge and a linear model were not fitted
    verdict: DiagnosisVerdict  # whether interpolation works on these data, and what to do, in one line
    inputs: budgets.PlanningInputs  # T, K, σ and B used for the budgets
    paper_budget: theory.Budget | None
    paper_reason: str  # the outcome of the paper's formulas in words
    recommendation: theory.ExplorationAdvice | None  # the data-driven budget, also None if nothing can be learned
    notes: tuple[str, ...]  # what could not be computed and why, and warnings

    def plot(self) -> Drawn:
        """Draw the spectrum, and bias and variance against N, with pyplot; returns the two axes."""
        from kernelbandits.theory.diagnosis.picture import diagnosis_picture

        return plot(diagnosis_picture(self))

    def __repr__(self) -> str:
        return f"Diagnosis({self.verdict.text})"

    def _repr_html_(self) -> str:
        advice = self.recommendation
        facts = {
            "verdict": self.verdict.text,
            "kernel": str(self.kernel),
            "rows, features": f"{self.spectrum.n:,}, {self.spectrum.dim:,}",
            "explore for": "no recommendation" if advice is None else f"{advice.n_explore:,} rounds",
        }
        return facts_html("Diagnosis", facts | {f"note {i}": note for i, note in enumerate(self.notes, 1)})

    @property
    def variance(self) -> float:
        """Effective variance at N = `gram_rows`, for σ = 1; NaN where undefined."""
        return float(self.curve.variance[-1])

    @property
    def bias(self) -> float:
        """Effective bias at N = `gram_rows`, for B = 1."""
        return float(self.curve.bias[-1])


def diagnose(
    contexts: ArrayLike,
    arms: NDArray[Any] | None = None,
    rewards: ArrayLike | None = None,
    *,
    kernel: Kernel | None = None,
    horizon: int | None = None,
    n_arms: int | None = None,
    delta: float = 0.5,
    noise_std: float | None = None,
    norm: float | None = None,
    max_rows: int = 1000,
) -> Diagnosis:
    """Diagnose a sample of contexts (n, d), with the arms (n,) and rewards (n,) if they are known.

    K is `n_arms`, or the number of arms in the sample, or 2. T is `horizon`, or 10,000. σ and B are those given, or
    estimated from the rewards, or 0.1 and 1. `max_rows` evenly spaced rows are used where a Gram matrix is needed.
    """
    X = checks.points("contexts", contexts)
    y = None if rewards is None else checks.targets("rewards", rewards, len(X))
    if arms is not None and np.shape(arms) != (len(X),):
        raise InvalidArgument(f"arms must have shape ({len(X)},), one entry per row; got shape {np.shape(arms)}")
    conform(delta, Positive, "delta")
    conform(noise_std, NonNegative | None, "noise_std")
    conform(norm, NonNegative | None, "norm")
    kernel = Gaussian(4.0) if kernel is None else kernel
    checks.whole("max_rows", max_rows, at_least=2)
    rows = theory.subsample(X, max_rows)
    kernel(rows[:1])  # raises at once if the kernel cannot take these contexts
    judged = theory.subsample(X, max(10 * X.shape[1], 4 * max_rows))
    try:
        linearization, guarantee, linear_notes = theory.linearize(kernel, rows), theory.guarantee(kernel, judged), []
    except InvalidArgument as error:
        linearization, guarantee, linear_notes = None, None, [f"no linear approximation: {error}"]
    groups = budgets.rows_by_arm(arms, len(X))
    most = budgets.rows_per_arm(max_rows, len(groups))
    errors, reward_notes = (None, []) if y is None else budgets.reward_errors(kernel, X, y, groups, most)
    found = theory.classify(X)
    inputs = budgets.planning_inputs(groups, errors, n_arms, horizon, noise_std, norm)
    advice, advice_notes = budgets.recommended(kernel, X, arms, y, groups, inputs)
    held_out, held_out_notes = (None, []) if y is None else held_out_scores(kernel, X, y, groups, most)
    verdict = NO_REWARDS if y is None else verdict_on(held_out, advice, [*groups.values()], y)
    if verdict.kind in (Suitability.MEAN, Suitability.NO_CONTEXT):
        advice, advice_notes = None, [*advice_notes, f"no data-driven budget: {verdict.kind.value}"]
    needed = None
    if y is not None:
        parts = (group[evenly_spaced(len(group), most)] for group in groups.values())
        needed = max(theory.smallest_norm(kernel, X[part], y[part], inputs.noise_std) for part in parts)
    budget, reason = budgets.paper_budget(kernel, found, inputs, delta, X.shape[1])
    return Diagnosis(
        kernel=kernel,
        spectrum=theory.spectrum(X),
        classification=found,
        assumptions=theory.assumptions(kernel, judged, n=len(rows), norm=inputs.norm, needed_norm=needed),
        assumption_rows=len(judged),
        gram_rows=len(rows),
        linearization=linearization,
        guarantee=guarantee,
        curve=_curve(kernel, rows),
        information_gain=theory.information_gain(kernel, rows),
        rewards=errors,
        held_out=held_out,
        verdict=verdict,
        inputs=inputs,
        paper_budget=budget,
        paper_reason=reason,
        recommendation=advice,
        notes=(*_scale_notes(X), *linear_notes, *reward_notes, *_signal_notes(errors), *held_out_notes, *advice_notes),
    )


def _scale_notes(X: Array) -> list[str]:
    sizes = np.sqrt(np.einsum("ij,ij->j", X, X) / len(X))
    notes = []
    zero, seen = int((sizes == 0).sum()), sizes[sizes > 0]
    constant = int((np.ptp(X, axis=0) == 0).sum()) - zero if len(X) > 1 else 0
    if zero:
        notes.append(f"{zero} of {len(sizes)} columns are 0 throughout")
    if constant:
        notes.append(f"{constant} of {len(sizes)} columns hold one value throughout; they carry no information")
    if len(seen) and seen.max() > UNEQUAL * seen.min():
        notes.append(
            f"the root mean squares of the columns differ by a factor of {seen.max() / seen.min():.3g}, so the largest "
            "dominate all distances; standardise the columns unless this is intended"
        )
    return notes


def _signal_notes(errors: budgets.RewardErrors | None) -> list[str]:
    """A warning if predictions and rewards correlate by less than 2/√n, two standard errors under independence."""
    if errors is None:
        return []
    found, chance = errors.pooled.correlation, 2.0 / np.sqrt(errors.pooled.n)
    if found > chance:
        return []
    weak = "do not vary" if np.isnan(found) else f"have correlation {found:.2g}, no more than chance (±{chance:.2g})"
    return [f"leave-one-out predictions and rewards {weak}: a budget based on these rows means little"]


def _curve(kernel: Kernel, rows: Array) -> ErrorCurve:
    """Effective variance and bias of evenly spaced rows, at up to twelve N evenly spaced in log N."""
    n = len(rows)
    sizes = np.unique(np.geomspace(1, n, 12).round().astype(np.int64))
    parts = [theory.subsample(rows, int(size)) for size in sizes]
    # γ and β depend on Tr(Σ)/d only, which all rows estimate better than a few; the diagonal of Σ̂ has the same trace.
    diagonal = np.einsum("ij,ij->j", rows, rows) / n
    try:
        variance = np.array([theory.effective_variance(kernel, part, diagonal) for part in parts])
    except InvalidArgument:  # no class, or a profile that is not convex; the notes and hypotheses say so
        variance = np.full(len(parts), np.nan)
    return ErrorCurve(sizes, variance, np.array([theory.effective_bias(kernel, part) for part in parts]))
