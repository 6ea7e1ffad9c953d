"""Checks of arms where they enter the library, by number or by name: one arm, a mask, or one arm per row."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeGuard

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, nearest, shown
from kernelbandits.specs import Label, conform
from kernelbandits.types import ArrayLike, BoolArray, IntArray


def names_of(value: Iterable[str]) -> tuple[str, ...]:
    """Names of arms: different labels, none of them empty."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(f"arms must be a list of names, such as ['none', '5pct']; got {shown(value)}")
    names: tuple[str, ...] = conform(tuple(value), tuple[Label, ...], "arms")
    if "" in names:
        raise InvalidArgument("arms must have names that are not empty")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InvalidArgument(f"arms must have different names; {shown(twice)} appears twice")
    return names


def are_names(value: Iterable[str]) -> bool:
    """Whether these texts can be names of arms."""
    try:
        return bool(names_of(value))
    except InvalidArgument:
        return False


def eligible(value: ArrayLike | Collection[str] | None, n_arms: int, names: tuple[str, ...] = ()) -> BoolArray | None:
    """A mask of the arms that may be played, shape (K,); None, or a mask with every arm, gives None.

    Where arms have names, a collection of these stands for the mask of them.
    """
    if value is None:
        return None
    wanted = f"a boolean array with one entry per arm, shape ({n_arms},)"
    if names:
        wanted += ", or a collection of names of arms"
        if _are_texts(value):
            mask = mask_of(value, names)
            return None if mask.all() else mask
    mask = checks.array_of("eligible", value, wanted)
    if mask.shape != (n_arms,) or mask.dtype != np.bool_:
        raise InvalidArgument(f"eligible must be {wanted}; got shape {mask.shape} of type {mask.dtype}")
    if not mask.any():
        raise InvalidArgument("eligible must allow at least one arm; every entry is False")
    return None if mask.all() else mask


def _are_texts(value: object) -> TypeGuard[Collection[str]]:
    return isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(name, str) for name in value)


def mask_of(chosen: Collection[str], names: tuple[str, ...], argument: str = "eligible") -> BoolArray:
    """The mask of some arms that are named, shape (K,); `argument` is what names them, for the error message."""
    mask = np.zeros(len(names), dtype=np.bool_)
    for name in chosen:
        mask[_numbered(name, names, argument)] = True
    if not mask.any():
        raise InvalidArgument(f"{argument} must allow at least one arm; it names none")
    return mask


def eligible_batch(
    value: ArrayLike | Collection[str] | None, n_rounds: int, n_arms: int, names: tuple[str, ...] = ()
) -> BoolArray | None:
    """Masks for several rounds, shape (B, K), from one mask (K,) for all of them or one for each."""
    if value is None:
        return None
    masks = value if names and _are_texts(value) else checks.array_of("eligible", value, "a boolean array")
    if not isinstance(masks, np.ndarray) or masks.shape != (n_rounds, n_arms):
        one = eligible(masks, n_arms, names)
        return None if one is None else np.broadcast_to(one, (n_rounds, n_arms))
    if masks.dtype != np.bool_ or not masks.any(axis=1).all():
        raise InvalidArgument(f"eligible must be boolean and allow an arm in every round; got type {masks.dtype}")
    return masks


def arms(value: ArrayLike, n: int, n_arms: int, names: tuple[str, ...] = ()) -> IntArray:
    """The arms of n rows, whole numbers 0 … K − 1, shape (n,); they may be given by their names."""
    wanted = f"{n} whole numbers from 0 to {n_arms - 1}{', or names,' if names else ','} one per row of contexts"
    array = checks.array_of("arms", value, wanted)
    if names and array.shape == (n,) and array.dtype.kind in "OTU":
        places = {name: number for number, name in enumerate(names)}
        numbers = [places.get(name, -1) for name in array.tolist()]
        if -1 in numbers:
            row = numbers.index(-1)
            name = array.tolist()[row]
            raise InvalidArgument(f"arms: entry {row}: no arm is called {shown(name)}; {nearest(str(name), names)}")
        array = np.array(numbers)
    if array.shape != (n,) or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n_arms:
        raise InvalidArgument(f"arms must be {wanted}")
    return array.astype(np.int64)


def arm(value: object, n_arms: int, names: tuple[str, ...] = ()) -> int:
    """An arm's number, 0 … K − 1, which may be given by its name."""
    if type(value) is int and 0 <= value < n_arms:
        return value
    if names and isinstance(value, str):
        return _numbered(value, names, "arm")
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        named = f", or one of the names {shown(names)}" if names else ""
        raise InvalidArgument(f"arm must be a whole number from 0 to {n_arms - 1}{named}; got {shown(value)}")
    if not 0 <= value < n_arms:
        raise InvalidArgument(f"arm must be from 0 to {n_arms - 1}; got {value}")
    return int(value)


def _numbered(name: str, names: tuple[str, ...], argument: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise InvalidArgument(f"{argument}: no arm is called {shown(name)}; {nearest(name, names)}") from None
