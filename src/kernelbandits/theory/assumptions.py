"""Which hypotheses of the paper hold for a kernel and a sample.

Assumption 4.1, Definition 4.2, the conditions of Theorem 4.6, and what Theorems B.1 and B.4 suppose about δ_d and η_d.
"""

from math import log, sqrt

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS
from kernelbandits.specs import Count, NonNegative, conform
from kernelbandits.theory.guarantee import guarantee_of
from kernelbandits.theory.hypotheses import AssumptionReport, Hypothesis, HypothesisVerdict, judge
from kernelbandits.theory.linearization import GRID, INNER_PRODUCT, RADIAL, Setting, class_of, extremes, h, setting
from kernelbandits.theory.orders import gamma_power
from kernelbandits.theory.spectrum import check_covariance, spectrum
from kernelbandits.types import Array, ArrayLike


def assumptions(
    kernel: Kernel,
    X: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    n: int | None = None,
    *,
    norm: float | None = None,
    needed_norm: float | None = None,
) -> AssumptionReport:
    """Check each hypothesis; one that fails is reported, never raised.

    Without X only the conditions on h (and on a given covariance or norm) are checked. N is `n`, or the number of rows
    of X. `norm` is the B in ‖f‖ ≤ B; `needed_norm` the norm that the rewards need, the largest `smallest_norm` of the
    arms.

    >>> assumptions(Linear()).failing
    ('h(0) > 0', "h'' ≥ c > 0 on [0, 1]")
    """
    points = None if X is None else checks.points("X", X)
    conform(n, Count | None, "n")
    n = n if n is not None else (None if points is None else len(points))
    lines = [*_class_conditions(kernel), _reward_norm(norm, needed_norm)]
    in_class = lines[0].verdict is HypothesisVerdict.HOLDS
    if points is None and covariance is None:
        return AssumptionReport(tuple(lines))
    dim = points.shape[1] if points is not None else len(np.asarray(covariance))
    lines.append(_covariance_norm(points, covariance, dim))
    if points is not None:
        largest = float(kernel.diagonal(points).max())
        reason = f"the largest K(x, x) in the sample is {largest:.4g}"
        lines += [judge("K(x, x) ≤ 1", largest <= 1.0 + 1e-9, reason), *_coordinates(points, covariance)]
    lines.append(_ratio(n, dim))
    if in_class and points is not None and n is not None:
        lines += _error_theorems(kernel, points, covariance, n)
    return AssumptionReport(tuple(lines))


def _class_conditions(kernel: Kernel) -> list[Hypothesis]:
    """Definition 4.2 (class of kernels): first whether the kernel is of a class, then the conditions of that class."""
    try:
        found = class_of(kernel)
    except InvalidArgument as error:
        return [judge("kernel is of one class", False, str(error))]
    return [judge("kernel is of one class", True, f"{found.name} class"), *_CONDITIONS[found](kernel)]


def _reward_norm(norm: float | None, needed: float | None) -> Hypothesis:
    """‖f‖ ≤ B: Assumption 4.1 (i). Rewards show f at some points only, so they can contradict it but not prove it."""
    name = "‖f‖ ≤ B"
    conform(norm, NonNegative | None, "norm")
    if needed is not None and not needed >= 0:
        raise InvalidArgument(f"needed_norm must be a number of at least 0, or ∞; got {needed!r}")
    shown = "no rewards show it" if needed is None else f"the rewards need a norm of at least {needed:.4g}"
    if norm is None:
        return judge(name, None, f"no B was given; {shown}")
    fails = needed is not None and needed > norm * (1.0 + 1e-9)
    return judge(name, False if fails else None, f"B = {norm:.4g}; {shown}")


def _inner_product_conditions(kernel: Kernel) -> list[Hypothesis]:
    """Definition 4.2 (class of kernels), inner-product class."""
    value, slope = h(kernel, 0.0), h(kernel, 0.0, 1)
    curvature = extremes(kernel, 2, 1.0)[0]
    return [
        judge("h(0) > 0", value > 0, f"h(0) = {value:.4g}"),
        judge("h'(0) > 0", slope > 0, f"h'(0) = {slope:.4g}"),
        judge("h'' ≥ c > 0 on [0, 1]", curvature > 0, f"the smallest h'' on [0, 1] is {curvature:.4g}"),
        _smooth(kernel, 1.0),
    ]


def _radial_conditions(kernel: Kernel) -> list[Hypothesis]:
    """Definition 4.2 (class of kernels), radial class."""
    lowest = extremes(kernel, 0, 2.0)[0]
    steepest, flattest = extremes(kernel, 1, 2.0)
    with np.errstate(all="ignore"):
        steps = np.diff(kernel.profile(np.linspace(0.0, 2.0, GRID), 1))
    rising = bool((steps > 0).all())
    return [
        judge("h > 0 on [0, 2]", lowest > 0, f"the smallest h on [0, 2] is {lowest:.4g}"),
        judge("h' < 0 on [0, 2]", flattest < 0, f"h' goes from {steepest:.4g} to {flattest:.4g}"),
        judge("h' increasing on [0, 2]", rising, "at every step of the grid" if rising else "not at every step"),
        _smooth(kernel, 2.0),
    ]


_CONDITIONS = {INNER_PRODUCT: _inner_product_conditions, RADIAL: _radial_conditions}


def _smooth(kernel: Kernel, upper: float) -> Hypothesis:
    """Whether h is three times differentiable, judged near 0, where profiles are rough.

    The slope of h'' between 0 and t stays bounded as t → 0 if h is C³. It grows without bound if h behaves like |t|^s
    with s < 3.
    """
    name = f"h is C³ on [0, {upper:g}]"
    with np.errstate(all="ignore"):
        slope, curvature = h(kernel, 0.0, 1), h(kernel, 0.0, 2)
        if not np.isfinite(curvature):
            return judge(name, False, f"h''(0) = {curvature}")
        # Steps in units of the kernel's own scale |h'/h''|, so that a narrow kernel does not look rough.
        scale = min(upper, abs(slope / curvature)) if slope and curvature else upper
        steps: Array = scale * 4.0 ** -np.arange(4.0, 13.0)
        slopes = np.abs(kernel.profile(steps, 2) - curvature) / steps
    growth = float(slopes[-1] / slopes[0]) if slopes[0] > 0 else 1.0
    reason = f"the slope of h'' grows by {growth:.3g} from t = {steps[0]:.2g} to {steps[-1]:.2g}"
    return judge(name, growth < 2.0, reason)


def _error_theorems(kernel: Kernel, X: Array, covariance: ArrayLike | None, n: int) -> list[Hypothesis]:
    """What Theorems 4.6, B.1 and B.4 (estimation error) suppose beyond the basic condition."""
    name = "1 − 2δ_d − d⁻² − η_d > 0"
    try:
        s = setting(kernel, X, covariance)
    except InvalidArgument as error:
        return [judge(name, None, str(error))]
    found = guarantee_of(s)
    lines = [] if s.corrections is None else _radial_theorem(kernel, s, s.corrections.psi, n)
    return [*lines, judge(name, not found.empty, found.reason)]


def _radial_theorem(kernel: Kernel, s: Setting, psi: Array, n: int) -> list[Hypothesis]:
    """‖x‖ = o(d^−c) and γ ≥ c Tr(Σ)/d of Theorem 4.6, and the η_d of Definition B.2."""
    dim, gamma, level = s.dim, s.parameters.gamma, s.parameters.tau / 2.0
    typical = sqrt(float(np.einsum("ij,ij->i", s.X, s.X).mean()))
    small = (
        f"the root mean square of ‖x‖ is {typical:.3g}; norms that vanish with d contradict Tr(Σ)/d = "
        f"{typical**2 / dim:.3g} of order 1"
    )
    size, vanishing = sqrt(n * float(np.mean(psi**2))), log(dim) / sqrt(dim)
    spread = (
        f"‖ψ‖ = {size:.3g} at N = {n}, of the order of √(N Tr(Σ²))/d; taken to vanish up to ln d/√d = {vanishing:.3g}"
    )
    return [
        judge("‖x‖ = o(d^−c)", typical < 1.0, small),
        _gamma_ratio(kernel, gamma, level),
        judge("η_d ≥ ‖ψ‖, η_d ↘ 0", size <= vanishing, spread),
    ]


def _gamma_ratio(kernel: Kernel, gamma: float, level: float) -> Hypothesis:
    """γ ≥ c Tr(Σ)/d: Theorem 4.6. It is about a sequence: any γ > 0 has some c, but it must not vanish with Tr(Σ)/d."""
    name = "γ ≥ c Tr(Σ)/d"
    if level <= 0:
        return judge(name, None, "Tr(Σ) = 0")
    words = (
        f"γ = {gamma:.4g}, so c up to {gamma / level:.4g} at Tr(Σ)/d = {level:.4g}, taken to hold from {RATIO[0]} on; "
        f"γ falls like (Tr(Σ)/d)^{gamma_power(kernel):.3g}"
    )
    return judge(name, gamma >= RATIO[0] * level, words)


RATIO = (0.05, 20.0)
"""Range of constants such as d/N, or of the c in γ ≥ c Tr(Σ)/d, in which asymptotic statements are taken to apply."""


def _covariance_norm(X: Array | None, covariance: ArrayLike | None, dim: int) -> Hypothesis:
    """‖Σ‖ ≤ 1: Assumption 4.1 (ii)."""
    name = "‖Σ‖ ≤ 1"
    if covariance is not None:
        S = check_covariance(covariance, dim)
        norm = float(S.max()) if S.ndim == 1 else float(np.abs(np.linalg.eigvalsh(S)).max())
        return judge(name, norm <= 1.0 + 1e-9, f"‖Σ‖ = {norm:.4g} of the given covariance")
    if X is None:
        return judge(name, None, "neither a covariance nor a sample was given")
    norm, edge = float(spectrum(X).eigenvalues[0]), (1.0 + sqrt(dim / len(X))) ** 2
    reason = f"‖Σ̂‖ = {norm:.4g} on {len(X)} rows; ‖Σ‖ = 1 alone gives up to {edge:.3g} at this d/N"
    return judge(name, None if 1.0 < norm <= edge else norm <= 1.0, reason)


def _whiten(X: Array, covariance: ArrayLike | None) -> Array:
    """Z = Σ^{-1/2} x, shape (n, k), without coordinates that are 0 throughout; Σ^{-1/2} is the pseudo-inverse root."""
    if covariance is not None and np.ndim(covariance) == 1:
        variances = check_covariance(covariance, X.shape[1])
        active = variances > 0
        return X[:, active] / np.sqrt(variances[active])
    S = X.T @ X / len(X) if covariance is None else check_covariance(covariance, X.shape[1])
    values, vectors = np.linalg.eigh(S)
    kept = values > len(S) * EPS * max(float(values[-1]), 0.0)
    # The symmetric root: independence is a condition on the given coordinates.
    root = vectors[:, kept] / np.sqrt(values[kept])
    whitened: Array = X @ (root @ vectors[:, kept].T)
    return whitened[:, whitened.any(axis=0)]


def _coordinates(X: Array, covariance: ArrayLike | None) -> list[Hypothesis]:
    """Zero mean, boundedness and independence of the coordinates of Z: Assumption 4.1 (iii)."""
    names = "coordinates have mean 0", "coordinates are bounded", "coordinates are independent"
    n, dim = X.shape
    if n < 10 or (covariance is None and n < 10 * dim):
        why = f"{n} rows cannot whiten {dim} features; give the covariance, or at least {max(10, 10 * dim)} rows"
        return [judge(name, None, why) for name in names]
    Z = _whiten(X, covariance)
    if not Z.size:
        return [judge(name, None, "the covariance is 0") for name in names]
    statistic, limit = len(Z) * float((Z.mean(axis=0) ** 2).mean()), 1.0 + 4.0 * sqrt(2.0 / Z.shape[1])
    centred = f"N‖mean‖²/d = {statistic:.3g}, expected 1 and below {limit:.3g}"
    largest, normal = float(np.abs(Z).max()), sqrt(2.0 * log(Z.size))
    bounded = f"max |Z| = {largest:.3g} over {Z.size} entries; a normal sample reaches about {normal:.3g}"
    return [
        judge(names[0], statistic <= limit, centred),
        judge(names[1], largest <= 2.0 * normal, bounded),
        _independent(names[2], Z),
    ]


def _independent(name: str, Z: Array) -> Hypothesis:
    """Var‖Z‖² = Σ_j Var Z_j² for independent coordinates; a common random scale adds a factor of order d."""
    together, apart = float((Z**2).sum(axis=1).var()), float((Z**2).var(axis=0).sum())
    if apart <= 0:
        return judge(name, True, "every |Z_j| is constant")
    ratio, limit = together / apart, 6.0 * sqrt(2.0 / len(Z))
    reason = f"Var‖Z‖² / Σ_j Var Z_j² = {ratio:.3g}, expected 1 ± {limit:.2g}"
    return judge(name, abs(ratio - 1.0) <= limit, reason)


def _ratio(n: int | None, dim: int) -> Hypothesis:
    """c_L ≤ d/N ≤ c_U: Theorem 4.6 (estimation error)."""
    name = "c_L ≤ d/N ≤ c_U"
    if n is None:
        return judge(name, None, "N was not given")
    ratio = dim / n
    reason = f"d/N = {ratio:.4g}; the asymptotic statements are taken to apply from {RATIO[0]} to {RATIO[1]}"
    return judge(name, RATIO[0] <= ratio <= RATIO[1], reason)
