"""Checks of arrays where they enter the library: name of the argument, what was given, what was expected."""

from __future__ import annotations

from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.types import Array, ArrayLike

HUGE = 1e150
LARGEST_REWARD, SMALLEST_REWARD = 1e100, 1e-100
"""Sizes of rewards other than 0: variances of what lies beyond overflow, or vanish."""

T = TypeVar("T")


def array_of(name: str, value: Any, wanted: str) -> NDArray[Any]:
    """`value` as an array of any kind; `wanted` describes it in words for the error message."""
    if n_masked := _masked(value):
        raise InvalidArgument(
            f"{name} must be {wanted}; got a masked array with {n_masked} masked entries, which have no value. "
            "Fill them first: array.filled(…)"
        )
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InvalidArgument(f"{name} must be {wanted}; got rows of different lengths") from error


def _masked(value: object) -> int:
    """Number of masked entries, also of masked arrays in a list."""
    if isinstance(value, np.ma.MaskedArray):
        return int(np.count_nonzero(value.mask))
    if isinstance(value, list | tuple) and len(value) and not isinstance(value[0], float | int):
        return sum(map(_masked, value))
    return 0


def refuse_non_finite(name: str, array: Array) -> None:
    """Raise an error that names the first entry that is NaN or infinite."""
    if not np.isfinite(array).all():
        raise _non_finite(name, array)


def _non_finite(name: str, array: Array) -> InvalidArgument:
    bad = np.argwhere(~np.isfinite(array))
    where = tuple(int(i) for i in bad[0])
    names = (("entry",), ("row", "column"), ("round", "arm", "column"))[len(where) - 1]
    place = ", ".join(f"{name} {i}" for name, i in zip(names, where, strict=True))
    return InvalidArgument(
        f"{name} must be finite; {place} is {array[where]} ({len(bad)} such entries). Fill or drop it first."
    )


def shaped_array(name: str, value: ArrayLike, shape: tuple[int | None, ...], meaning: str) -> Array:
    """`value` as float64 of the given shape (None: any length ≥ 1).

    `meaning` describes the shape in words for the error message, e.g. "(n points, d features)".
    """
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous:
        array = value
    else:
        given = array_of(name, value, "a rectangular array of numbers")
        if given.dtype.kind not in "fiub":
            raise InvalidArgument(
                f"{name} must hold real numbers; got an array of type {given.dtype}. "
                "Encode categories as numbers first."
            )
        array = np.asarray(given, dtype=np.float64, order="C")
    if array.shape == shape:
        return array
    if len(array.shape) != len(shape) or any(
        want is not None and have != want for have, want in zip(array.shape, shape, strict=True)
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape) + ("," if len(shape) == 1 else "")
        raise InvalidArgument(f"{name} must have shape ({wanted}), that is {meaning}; got shape {array.shape}")
    if array.size == 0:
        raise InvalidArgument(f"{name} must not be empty; got shape {array.shape}, expected {meaning}")
    return array


def finite_array(name: str, value: ArrayLike, shape: tuple[int | None, ...], meaning: str) -> Array:
    """`shaped_array` with all entries finite."""
    array = shaped_array(name, value, shape, meaning)
    if not np.isfinite(array).all():
        raise _non_finite(name, array)
    return array


def points(name: str, value: ArrayLike, dim: int | None = None) -> Array:
    """A matrix of points, shape (n, d)."""
    array = shaped_array(name, value, (None, dim), "(points, features)")
    refuse_unusable(name, array)
    return array


def refuse_unusable(name: str, array: Array) -> None:
    """Raise if an entry is NaN, infinite, or so large that its square overflows."""
    # One pass by BLAS settles the usual case. `vdot` overflows without a warning, `dot` does not.
    if np.vdot(array, array) < HUGE**2:
        return
    refuse_non_finite(name, array)
    largest = np.abs(array).max()
    if largest > HUGE:
        raise InvalidArgument(
            f"{name} must have entries of size at most {HUGE:g}; got {largest:g}. Standardise the features."
        )


def refuse_unfit(what: str, array: object, kind: type, shape: tuple[int | None, ...]) -> None:
    """Raise if part of what was loaded from a file is not an array of this type and shape (None: any length)."""
    given = array.shape if isinstance(array, np.ndarray) and array.dtype == kind else None
    if given is None or len(given) != len(shape) or any(n not in (None, m) for m, n in zip(given, shape, strict=True)):
        raise InvalidArgument(f"{what} must be an array of type {np.dtype(kind)} and shape {shape}")


def refuse_misshapen(owner: object, **shapes: tuple[int | None, ...]) -> None:
    """Raise if arrays of what was loaded from a file, by name of the field, have other shapes (None: any length)."""
    for name, shape in shapes.items():
        given = getattr(owner, name).shape
        if len(given) != len(shape) or any(n not in (None, m) for m, n in zip(given, shape, strict=True)):
            raise InvalidArgument(f"{name} of {type(owner).__name__} must have shape {shape}; it has {given}")


def refuse_inconsistent(owner: object, *conditions: bool) -> None:
    """Raise if a condition on what was loaded from a file does not hold."""
    if not all(conditions):
        raise InvalidArgument(f"the parts of a {type(owner).__name__} do not fit each other")


def targets(name: str, value: ArrayLike, n: int) -> Array:
    """A vector of one target per point, shape (n,)."""
    return rewards(name, value, n, "one number per row of X")


def rewards(name: str, value: ArrayLike, n: int, meaning: str) -> Array:
    """A vector of n rewards, each 0 or of a size that double precision can compute with."""
    array = finite_array(name, value, (n,), meaning)
    sizes = np.abs(array)
    if (bad := (sizes > LARGEST_REWARD) | ((sizes < SMALLEST_REWARD) & (sizes > 0.0))).any():
        row = int(bad.argmax())
        raise _unusable_reward(f"{name}: entry {row}", float(array[row]))
    return array


def _unusable_reward(which: str, value: float) -> InvalidArgument:
    return InvalidArgument(
        f"{which} must be 0 or of size {SMALLEST_REWARD:g} to {LARGEST_REWARD:g}; got {value:g}. "
        "Measure rewards in another unit, or round them to 0."
    )


def contexts(value: ArrayLike, n_arms: int, dim: int) -> Array:
    """The contexts of one round, shape (K, d), not yet known to be finite; a shared (d,) is given to every arm."""
    array = value if type(value) is np.ndarray else array_of("contexts", value, "a rectangular array of numbers")
    if array.shape == (dim,):
        array = np.repeat(array[np.newaxis], n_arms, axis=0)
    return shaped_array("contexts", array, (n_arms, dim), "(arms, features)")


def reward(value: object) -> float:
    """A finite reward, 0 or of a size that double precision can compute with."""
    if type(value) is float and (SMALLEST_REWARD <= abs(value) <= LARGEST_REWARD or value == 0.0):
        return value
    if not isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
        raise InvalidArgument(f"reward must be a number; got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise InvalidArgument(f"reward must be finite; got {number}")
    if number and not SMALLEST_REWARD <= abs(number) <= LARGEST_REWARD:
        raise _unusable_reward("reward", number)
    return number


def instance(name: str, value: object, kind: type[T], such_as: str) -> T:
    """A value of this kind; `such_as` is an example for the error message."""
    if isinstance(value, kind):
        return value
    hint = f" (the class itself: call it, {value.__name__}(…))" if isinstance(value, type) else ""
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    raise InvalidArgument(f"{name} must be {article} {kind.__name__}, such as {such_as}; got {shown(value)}{hint}")


def generator(value: object) -> np.random.Generator:
    """A source of randomness: a generator as it is, or a new one from a seed."""
    if isinstance(value, np.random.Generator):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise InvalidArgument(
            f"rng must be a numpy.random.Generator or a seed, a whole number of at least 0; got {shown(value)}"
        )
    return np.random.default_rng(int(value))


def whole(name: str, value: object, at_least: int) -> int:
    """A whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < at_least:
        raise InvalidArgument(f"{name} must be a whole number of at least {at_least}; got {shown(value)}")
    return int(value)
