"""Which hypotheses of the paper hold for a kernel and a sample: a report, never an exception for one that fails."""

from __future__ import annotations

from math import sqrt

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.classes import RADIAL, class_of, seen_points
from kernelbandits.theory.linearization import setting
from kernelbandits.theory.profile_conditions import profile_conditions
from kernelbandits.theory.report import AssumptionReport, Hypothesis, Verdict, judge, unknown
from kernelbandits.theory.sample_conditions import covariance_norm, ratio_condition, whitened_coordinates
from kernelbandits.theory.spectrum import moments
from kernelbandits.types import Array, ArrayLike


def assumptions(
    kernel: Kernel,
    X: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    n: int | None = None,
) -> AssumptionReport:
    """One line for each hypothesis of Definition kernel_class, Assumption basic and Theorem inner-product.

    Without X only the conditions on h (and on a given covariance) can be judged. N is `n`, or the number of rows of X.

    >>> assumptions(Linear()).failing
    ('h(0) > 0', "h'' ≥ c > 0 on [0, 1]")
    """
    points = None if X is None else checks.points("X", X)
    n = n if n is not None else (None if points is None else len(points))
    lines = [_class_line(kernel)]
    known = lines[0].verdict is Verdict.HOLDS
    if known:
        lines += profile_conditions(kernel, class_of(kernel))
    if points is None and covariance is None:
        return AssumptionReport(tuple(lines))
    dim = points.shape[1] if points is not None else len(np.asarray(covariance))
    lines.append(covariance_norm(points, covariance, dim))
    if points is not None:
        lines.append(_normalised(kernel, points))
        lines += whitened_coordinates(points, covariance)
    lines.append(ratio_condition(n, dim))
    if known and class_of(kernel) is RADIAL and points is not None:
        lines += _radial_theorem(kernel, points, covariance)
    return AssumptionReport(tuple(lines))


def _class_line(kernel: Kernel) -> Hypothesis:
    name = "kernel is of one class"
    try:
        return judge(name, True, f"{class_of(kernel).name} class")
    except InvalidArgument as error:
        return judge(name, False, str(error))


def _normalised(kernel: Kernel, X: Array) -> Hypothesis:
    largest = float(kernel.diagonal(X).max())
    return judge("K(x, x) ≤ 1", largest <= 1.0 + 1e-9, f"the largest K(x, x) in the sample is {largest:.4g}")


def _radial_theorem(kernel: Kernel, X: Array, covariance: ArrayLike | None) -> list[Hypothesis]:
    """‖X‖ = o(d^−c) and γ ≥ c Tr(Σ)/d: Theorem inner-product, radial case."""
    small, regular = "‖x‖ = o(d^−c)", "γ ≥ c Tr(Σ)/d"
    typical = sqrt(float(np.einsum("ij,ij->i", X, X).mean()))
    reason = (
        f"the root mean square of ‖x‖ is {typical:.3g}; norms that vanish with d are at odds with Tr(Σ)/d = "
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
    return [
        *lines,
        judge(regular, gamma > 0, f"γ = {gamma:.4g}, so c up to {gamma / level:.4g} at Tr(Σ)/d = {level:.4g}"),
    ]
