"""Contract of specs and of refusals; of kernels and estimators, and points that are hard for them."""

import pickle
import warnings
from collections.abc import Callable

import numpy as np

from kernelbandits.errors import InvalidArgument, KernelBanditsError, NotConverged, RidgeTooSmall
from kernelbandits.kernels import Kernel, Radial
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import Spec
from kernelbandits.types import Array


def check_spec(spec: Spec) -> None:
    """A spec is a value: hashable, equal to its copies, printable as its constructor call, and cannot be changed."""
    copy = pickle.loads(pickle.dumps(spec))
    assert copy == spec, f"{spec} does not equal its pickled copy"
    assert hash(copy) == hash(spec), f"{spec} and its copy hash differently"
    assert repr(spec).startswith(type(spec).__name__), f"{spec!r} does not print as a constructor call"
    for name in getattr(spec, "__dataclass_fields__", {}):
        try:
            setattr(spec, name, None)
        except AttributeError:
            continue
        raise AssertionError(f"{type(spec).__name__}.{name} can be changed; make the dataclass frozen")


def check_refusals(spec: Spec, attempts: dict[str, Callable[[], object]]) -> None:
    """Every attempt raises `InvalidArgument`; the keys say what is attempted."""
    for what, attempt in attempts.items():
        try:
            attempt()
        except InvalidArgument:
            continue
        raise AssertionError(f"{spec}: {what} was accepted")


def check_kernel(kernel: Kernel, dim: int = 7, seed: int = 0) -> None:
    """Gram blocks are symmetric, positive semi-definite, exact on the diagonal, and agree with the profile.

    At hostile points, such as those far from the origin, values are finite or refused. Distances have no origin.
    """
    check_spec(kernel)
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((12, dim)), rng.standard_normal((5, dim))
    K = kernel(X)
    scale = float(np.abs(K).max())
    assert K.shape == (12, 12), f"{kernel}: K(X) has shape {K.shape}, expected (12, 12)"
    assert kernel(X, Z).shape == (12, 5), f"{kernel}: K(X, Z) has shape {kernel(X, Z).shape}, expected (12, 5)"
    assert np.array_equal(K, K.T), f"{kernel}: K(X) is not symmetric to the last bit"
    assert np.array_equal(K.diagonal(), kernel.diagonal(X)), f"{kernel}: `diagonal` is not the diagonal of K(X)"
    assert np.allclose(kernel(X, X.copy()), K, rtol=1e-12, atol=1e-9 * scale), f"{kernel}: K(X, copy) is not K(X)"
    assert np.allclose(kernel(Z, X), kernel(X, Z).T, rtol=1e-12, atol=1e-13 * scale), (
        f"{kernel}: K(Z, X) is not K(X, Z)ᵀ"
    )
    assert np.allclose(kernel(X, Z[:1]), kernel(X, Z)[:, :1], rtol=1e-12, atol=1e-13 * scale), (
        f"{kernel}: K(X, z) for one point is not the column of K(X, Z)"
    )
    spread = float(np.ptp(kernel.diagonal(10.0 * X)))
    assert not (kernel.stationary and spread), f"{kernel}: says that it is stationary, but K(x, x) varies by {spread:g}"
    smallest = float(np.linalg.eigvalsh(K)[0])
    assert smallest > -1e-10 * scale * len(X), f"{kernel}: K(X) has the negative eigenvalue {smallest:.2e}"
    for name, points in hostile_points(X).items():
        _check_hostile_kernel(kernel, name, points)
    if all(geometry == Radial() for geometry in kernel.geometries):
        _check_distant_kernel(kernel, X)
    t, step = np.linspace(0.2, 0.9, 8), 1e-5
    for order in () if kernel.geometry is None else (1, 2):  # against central differences
        slope = (kernel.profile(t + step, order - 1) - kernel.profile(t - step, order - 1)) / (2 * step)
        claimed = kernel.profile(t, order)
        assert claimed.shape == t.shape, f"{kernel}: the profile of order {order} changes the shape"
        close = np.allclose(claimed, slope, rtol=1e-6, atol=1e-8 * max(1.0, float(np.abs(slope).max())))
        assert close, f"{kernel}: the derivative of order {order} is not that of order {order - 1}"


def hostile_points(X: Array) -> dict[str, Array]:
    """Points as real tables have them, made from n normal ones of shape (n, d), each set with a name."""
    n, d = X.shape
    constant, one_hot, stamped = X.copy(), np.eye(d)[np.arange(n) % d], np.eye(d)[np.arange(n) % d]
    constant[:, -1] = 1e8
    stamped[:, -1] = 1.7e9 + 60.0 * np.arange(n)
    return {
        "an offset of 1e5": X + 1e5,
        "an offset of 1e8": X + 1e8,
        "a constant column of 1e8": constant,
        "a column of timestamps": stamped,
        "one-hot points": one_hot,
        "copies": X[np.arange(n) // 3],
        "two clusters far apart": X + 1e7 * (np.arange(n) % 2)[:, np.newaxis],
        "a scale of 1e-6": 1e-6 * X,
        "a scale of 1e6": 1e6 * X,
        "scales from 1e-6 to 1e6": X * np.logspace(-6, 6, n)[:, np.newaxis],
    }


def _check_hostile_kernel(kernel: Kernel, name: str, X: Array) -> None:
    """Values are finite, of a semi-definite matrix, or refused."""
    try:
        K, block = kernel(X), kernel(X, X[:3].copy())
    except KernelBanditsError:
        return
    for values in (K, block):
        assert np.isfinite(values).all(), f"{kernel}: values at points with {name} are not finite"
    roots = np.sqrt(K.diagonal())
    scaled = K / np.where(roots > 0.0, roots, 1.0) / np.where(roots > 0.0, roots, 1.0)[:, np.newaxis]
    smallest = float(np.linalg.eigvalsh(scaled)[0])
    assert smallest > -1e-10 * len(X), (
        f"{kernel}: K(X) at points with {name} has the negative eigenvalue {smallest:.2e}"
    )


def _check_distant_kernel(kernel: Kernel, X: Array) -> None:
    """A function of distances does not depend on the origin."""
    X = np.round(X * 2.0**20) / 2.0**20  # so that the offsets are added without rounding
    for offset in (1e3, 1e5, 1e7):
        near, far = kernel(X, X[:4]), kernel(X + offset, X[:4] + offset)
        worst = float(np.abs(far - near).max() / np.abs(near).max())
        assert worst < 1e-11 + 1e-15 * offset, f"{kernel}: K(X, Z) changes by {worst:.1e} with an offset of {offset:g}"


def check_estimator(estimator: Estimator[Predictor], dim: int = 4, seed: int = 0) -> None:
    """`fit` leaves its input alone, gives finite predictions of the right shape, and refuses what it cannot use.

    Predictions are also finite, or refused, far from the origin and for other hostile points and large targets.
    """
    check_spec(estimator)
    rng = np.random.default_rng(seed)
    X, y, Z = rng.standard_normal((15, dim)), rng.standard_normal(15), rng.standard_normal((6, dim))
    X_before, y_before = X.copy(), y.copy()
    predictor = estimator.fit(X, y)
    mean = predictor.mean(Z)
    assert np.array_equal(X, X_before), f"{estimator}: fit changed X"
    assert np.array_equal(y, y_before), f"{estimator}: fit changed y"
    assert predictor.dim == dim, f"{estimator}: the predictor says dim={predictor.dim}, expected {dim}"
    assert mean.shape == (6,), f"{estimator}: mean has shape {mean.shape}, expected (6,)"
    assert np.isfinite(mean).all(), f"{estimator}: predictions are not finite"
    assert np.array_equal(estimator.fit(X, y).mean(Z), mean), f"{estimator}: two fits to the same data differ"
    assert not estimator.without_data(dim).mean(Z).any(), f"{estimator}: without data the prediction must be 0"
    for name, points in hostile_points(X).items():
        _check_hostile_fit(estimator, name, points, y)
        _check_hostile_fit(estimator, name, points, 1e4 * y + 1e6)
    X[3, 1] = np.nan
    check_refusals(
        estimator,
        {
            "a NaN in X": lambda: estimator.fit(X, y),
            "a short y": lambda: estimator.fit(X_before, y[:-1]),
            "no data": lambda: estimator.fit(X_before[:0], y[:0]),
        },
    )


def _check_hostile_fit(estimator: Estimator[Predictor], name: str, X: Array, y: Array) -> None:
    """Predictions are finite, or the data are refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        warnings.simplefilter("ignore", RidgeTooSmall)
        try:
            mean = estimator.fit(X, y).mean(X)
        except KernelBanditsError:
            return
    assert np.isfinite(mean).all(), f"{estimator}: predictions at points with {name} are not finite"
