"""Definition kernel_class: the conditions on h, looked at on a grid of 2001 points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.classes import GRID, INNER_PRODUCT, RADIAL, KernelClass, extremes, h
from kernelbandits.theory.report import Hypothesis, judge
from kernelbandits.types import Array

Conditions = Callable[[Kernel], list[Hypothesis]]


def _inner_product(kernel: Kernel) -> list[Hypothesis]:
    value, slope = h(kernel, 0.0), h(kernel, 0.0, 1)
    curvature = extremes(kernel, 2, 1.0)[0]
    return [
        judge("h(0) > 0", value > 0, f"h(0) = {value:.4g}"),
        judge("h'(0) > 0", slope > 0, f"h'(0) = {slope:.4g}"),
        judge("h'' ≥ c > 0 on [0, 1]", curvature > 0, f"the smallest h'' on [0, 1] is {curvature:.4g}"),
        _smooth(kernel, 1.0),
    ]


def _radial(kernel: Kernel) -> list[Hypothesis]:
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


def _smooth(kernel: Kernel, upper: float) -> Hypothesis:
    """Three times differentiable with a third derivative that stays bounded towards 0, where profiles are rough.

    The profile gives h''; its slope between 0 and t is bounded as t → 0 for a C³ function and grows without bound for
    |t|^s behaviour with s < 3.
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
    return judge(
        name, growth < 2.0, f"the slope of h'' grows by {growth:.3g} from t = {steps[0]:.2g} to {steps[-1]:.2g}"
    )


_CONDITIONS: dict[KernelClass, Conditions] = {INNER_PRODUCT: _inner_product, RADIAL: _radial}


def profile_conditions(kernel: Kernel, kernel_class: KernelClass) -> list[Hypothesis]:
    """One line per condition on h."""
    return _CONDITIONS[kernel_class](kernel)
