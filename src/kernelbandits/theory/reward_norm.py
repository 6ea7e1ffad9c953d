"""The RKHS norm that a reward function must have to explain its rewards: Assumption 4.1 (i)."""

from math import inf, sqrt

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS, eigenpairs
from kernelbandits.specs import NonNegative, conform
from kernelbandits.theory.spectrum import gram_points
from kernelbandits.types import ArrayLike


def smallest_norm(kernel: Kernel, X: ArrayLike, y: ArrayLike, noise_std: float = 0.0) -> float:
    """The smallest ‖f‖ in the RKHS with Σ_i (y_i − f(x_i))² ≤ σ²(n + 4 √(2n)), the rows of one arm being (x_i, y_i).

    The true f is among these functions but for a chance of about 10⁻⁴ (normal noise: four standard deviations), so that
    ‖f‖ ≤ B fails if this is above B. It is ‖f̂‖ of the interpolator for σ = 0, and ∞ if no function comes close enough,
    as for two rewards of one context.

    On the path f_r = K(·, X)(K + rI)⁻¹y the residual grows with r and the norm falls, and each f_r has the smallest
    norm of its residual. In the eigenbasis of K the two are Σ (r z_j/(λ_j + r))² and √(Σ λ_j z_j²/(λ_j + r)²).
    """
    from scipy.optimize import brentq  # slow to import, and used here only

    conform(noise_std, NonNegative, "noise_std")
    points = gram_points(X)
    n = len(points)
    targets = checks.targets("y", y, n)
    values, vectors, _, seen = eigenpairs(kernel.gram(points))
    z = vectors.T @ targets
    limit, total = noise_std**2 * (n + 4.0 * sqrt(2.0 * n)), float(z @ z)
    values, z, unseen = values[seen], z[seen], float(z[~seen] @ z[~seen])
    if total <= limit:
        return 0.0
    if unseen > limit + n * EPS * total:
        return inf

    def excess(log_ridge: float) -> float:
        ridge = np.exp(log_ridge)
        return float(((ridge * z / (values + ridge)) ** 2).sum()) + unseen - limit

    low, high = np.log(EPS**2 * values[0]), np.log(values[-1] / EPS)
    ridge = 0.0 if excess(low) >= 0 else np.exp(brentq(excess, low, high))
    return float(np.sqrt((values * (z / (values + ridge)) ** 2).sum()))
