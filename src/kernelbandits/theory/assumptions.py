"""Which hypotheses of the paper hold for a kernel and a sample: Assumption 4.1, Definition 4.2 and Theorem 4.6."""

from __future__ import annotations

from math import sqrt

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.theory.hypotheses import AssumptionReport, Hypothesis, judge, unknown
from kernelbandits.theory.kernel_classes import (
    GRID,
    INNER_PRODUCT,
    RADIAL,
    KernelClass,
    class_of,
    extremes,
    h,
    seen_points,
)
from kernelbandits.theory.linearization import setting
from kernelbandits.theory.sample_conditions import covariance_norm, ratio_condition, whitened_coordinates
from kernelbandits.theory.spectrum import moments
from kernelbandits.types import Array, ArrayLike


def assumptions(
    kernel: Kernel,
    X: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    n: int | None = None,
) -> AssumptionReport:
    """Check each hypothesis; one that fails is reported, never raised.

    Without X only the conditions on h (and on a given covariance) are checked. N is `n`, or the number of rows of X.

    >>> assumptions(Linear()).failing
    ('h(0) > 0', "h'' ≥ c > 0 on [0, 1]")
    """
    points = None if X is None else checks.points("X", X)
    n = n if n is not None else (None if points is None else len(points))
    kernel_class: KernelClass | None = None
    try:
        kernel_class = class_of(kernel)
    except InvalidArgument as error:
        lines = [judge("kernel is of one class", False, str(error))]
    else:
        lines = [judge("kernel is of one class", True, f"{kernel_class.name} class")]
        lines += _CONDITIONS[kernel_class](kernel)
    if points is None and covariance is None:
        return AssumptionReport(tuple(lines))
    dim = points.shape[1] if points is not None else len(np.asarray(covariance))
    lines.append(covariance_norm(points, covariance, dim))
    if points is not None:
        largest = float(kernel.diagonal(points).max())
        reason = f"the largest K(x, x) in the sample is {largest:.4g}"
        lines += [judge("K(x, x) ≤ 1", largest <= 1.0 + 1e-9, reason), *whitened_coordinates(points, covariance)]
    lines.append(ratio_condition(n, dim))
    if kernel_class is RADIAL and points is not None:
        lines += _radial_theorem(kernel, points, covariance)
    return AssumptionReport(tuple(lines))


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


def _radial_theorem(kernel: Kernel, X: Array, covariance: ArrayLike | None) -> list[Hypothesis]:
    """‖x‖ = o(d^−c) and γ ≥ c Tr(Σ)/d: Theorem 4.6 (estimation error), radial class."""
    small, regular = "‖x‖ = o(d^−c)", "γ ≥ c Tr(Σ)/d"
    typical = sqrt(float(np.einsum("ij,ij->i", X, X).mean()))
    reason = (
        f"the root mean square of ‖x‖ is {typical:.3g}; norms that vanish with d contradict Tr(Σ)/d = "
        f"{typical**2 / X.shape[1]:.3g} of order 1"
    )
    lines = [judge(small, typical < 1.0, reason)]
    try:
        gamma = setting(kernel, X, covariance, as_printed=False).parameters.gamma
    except InvalidArgument as error:
        return [*lines, unknown(regular, str(error))]
    level = moments(seen_points(kernel, X), covariance).level
    if level <= 0:
        return [*lines, unknown(regular, "Tr(Σ) = 0")]
    words = f"γ = {gamma:.4g}, so c up to {gamma / level:.4g} at Tr(Σ)/d = {level:.4g}"
    return [*lines, judge(regular, gamma > 0, words)]
