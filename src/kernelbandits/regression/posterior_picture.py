"""A posterior as a picture: along the direction in which its points vary most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelbandits.reporting import Axis, Chart, Charts, Line, Look, Picture, Points
from kernelbandits.types import Array

if TYPE_CHECKING:
    from kernelbandits.regression.gaussian_process import Posterior

_ALONG, _POINTS, _BEYOND = 200, 300, 0.15


def posterior_picture(posterior: Posterior) -> Picture:
    """Mean ± 2 standard deviations on the line c + s v, and the mean at (at most 300 of) the observed points.

    c is the mean of the points and v their first principal axis; a point x stands at s = vᵀ(x − c).
    """
    X = posterior.X[np.linspace(0, posterior.n - 1, min(posterior.n, _POINTS)).astype(int)]
    center, direction = _main_line(X, posterior.dim)
    places = (X - center) @ direction
    low, high = (places.min(), places.max()) if len(X) else (0.0, 0.0)
    room = _BEYOND * (high - low) or np.sqrt(posterior.dim)  # distances are in units of √d
    along = np.linspace(low - room, high + room, _ALONG)
    mean, std = posterior._mean_and_std(center + along[:, np.newaxis] * direction)
    offset = float(center[0] * direction[0]) if posterior.dim == 1 else 0.0
    marks = (
        Line(along + offset, mean, Look(2), "mean ± 2 standard deviations", error=2.0 * std, step=_ALONG),
        Points(places + offset, posterior._mean(X) if len(X) else places, Look(1, (), "o"), "mean at observed points"),
    )
    label = "x" if posterior.dim == 1 else "position along the first principal axis of the points"
    chart = Chart("", marks, Axis(label), Axis("f"))
    charts = Charts((chart,), 1, 3.6, legend="outside upper center", legend_columns=2)
    return Picture("Posterior", (charts,), "mean and standard deviation of f on a line", width=5.6)


def _main_line(X: Array, dim: int) -> tuple[Array, Array]:
    """The mean of the points, shape (d,), and their first principal axis; the first axis if they do not vary."""
    center = X.mean(axis=0) if len(X) else np.zeros(dim)
    first = np.eye(1, dim)[0]
    if len(X) and np.ptp(X, axis=0).max() > 0.0:
        first = np.linalg.svd(X - center, full_matrices=False)[2][0]
        first = first * np.sign(first[np.abs(first).argmax()])
    return center, first
