"""`save` and `load`, and the two methods by which a class takes part in them."""

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self, final, runtime_checkable

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError, shown
from kernelbandits.saving import bundles
from kernelbandits.saving.class_kinds import class_kinds, is_spec
from kernelbandits.saving.classes import Classes
from kernelbandits.saving.graph import Nodes, Rebuilding
from kernelbandits.saving.kinds import PLAIN_KINDS, RANDOM_KINDS, SCALARS, Json, Kind
from kernelbandits.saving.shared_memory import AnyArray, Arrays
from kernelbandits.specs import Spec, to_table


@runtime_checkable
class Saveable(Protocol):
    """A class with these two methods is saved through them. Learners and trackers of your own need them.

    >>> class Memory:
    ...     def __init__(self, rewards):
    ...         self.rewards = rewards
    ...
    ...     def to_state(self):
    ...         return {"rewards": self.rewards}
    ...
    ...     @classmethod
    ...     def from_state(cls, state):
    ...         return cls(**state)
    >>> import pathlib, tempfile
    >>> path = save(Memory([1.0, 0.5]), pathlib.Path(tempfile.mkdtemp(), "memory.kb"))
    >>> load(path, classes=[Memory]).rewards
    [1.0, 0.5]

    See also `save`, `load`.
    """

    def to_state(self) -> Mapping[str, Any]:
        """What must be kept: numbers, texts, arrays, generators, lists, tuples, dictionaries, other saveable things."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The thing again, from what `to_state` returned. It must refuse a state that it cannot work with."""


def save(thing: Any, path: str | os.PathLike[str]) -> Path:
    """Write an agent, a tracker, a predictor, an encoder or a spec to one file, whole or not at all; returns the path.

    `load` gives it back: it goes on to the last bit as if it had never been saved. Things of classes of your own
    are saved if these are specs or have the two methods of `Saveable`; functions are not.

    Args:
        thing: an agent, a tracker, a predictor, an encoder, a bandit or a spec.
        path: the file to write; one that is there is replaced.

    >>> from tempfile import TemporaryDirectory
    >>> agent = LinearUCB().start(Problem(n_arms=3, dim=2), rng=0)
    >>> with TemporaryDirectory() as folder:
    ...     again = load(save(agent, f"{folder}/agent.kb"))
    >>> again.choose([1.0, 2.0]).arm == agent.choose([1.0, 2.0]).arm
    True

    See also `load`, `Saveable`.
    """
    classes, arrays = Classes(), Arrays()
    kinds = _Kinds(classes, arrays)
    nodes, root = Nodes(kinds.of).of(thing)
    spec = thing if isinstance(thing, Spec) else getattr(thing, "policy", None)
    about = {
        "what": type(thing).__name__,
        "spec": to_table(spec) if is_spec(type(spec)) else None,  # for readers; what counts stands in the nodes
        "classes": classes.to_json(),
        "nodes": nodes,
        "root": root,
    }
    bundles.write(Path(path), about, arrays.pieces())
    return Path(path)


def load(path: str | os.PathLike[str], classes: Iterable[type] = ()) -> Any:
    """What `save` wrote. `classes` are those of your own that the file may use; nothing else is imported or run.

    Every number is checked against its digest and its place. Then a copy of each agent decides and observes, and one of
    each predictor predicts, so that a file that is damaged or forged is refused here rather than in the middle of work.

    Args:
        path: the file.
        classes: your own classes that the file may use; those of the library need not be named.

    >>> import tempfile, pathlib
    >>> path = save(Gaussian(gamma=2.0), pathlib.Path(tempfile.mkdtemp(), "kernel.kb"))
    >>> load(path)
    Gaussian(gamma=2.0)

    See also `save`, `Saveable`.
    """
    given = [*classes]
    Classes(given)  # refuses what is not a class, which is not the file's fault
    with bundles.opened(Path(path)) as bundle:
        memory, root = bundle.memory(), bundle.manifest["root"]
        rebuilding = _rebuilding(bundle.manifest, memory, given)
        thing = rebuilding.thing(root)
        actors = rebuilding.outermost(root, lambda part: hasattr(type(part), "_rehearse"))
        if actors:
            copies = _rebuilding(bundle.manifest, [piece.copy() for piece in memory], given)
            for actor in actors:
                _rehearse(copies.thing(actor))
        return thing


def restore(path: str | os.PathLike[str]) -> Any:
    """`load` for a file that this program wrote itself: digests are checked, but nothing is rehearsed."""
    with bundles.opened(Path(path)) as bundle:
        return _rebuilding(bundle.manifest, bundle.memory(), []).thing(bundle.manifest["root"])


def _rebuilding(manifest: dict[str, Json], memory: list[AnyArray], given: list[type]) -> Rebuilding:
    classes = Classes(given)
    classes.read(manifest["classes"])
    return Rebuilding(manifest["nodes"], _Kinds(classes, Arrays(memory)).by_name)


def _rehearse(thing: Any) -> None:
    """Let a thing show that it works. What it explains itself is not the file's fault."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            thing._rehearse()
        except KernelBanditsError:
            return
        except Exception as error:
            raise InvalidFile(f"what it holds does not work ({type(error).__name__}: {shown(str(error))})") from error


@final
class _Kinds:
    """All kinds of things, for one bundle."""

    def __init__(self, classes: Classes, arrays: Arrays) -> None:
        self._by_type: dict[type, Kind] = {np.ndarray: arrays.kind, **PLAIN_KINDS, **RANDOM_KINDS}
        self._by_test = class_kinds(classes)
        every = [*self._by_type.values(), SCALARS, *(kind for _, kind in self._by_test)]
        self.by_name = {kind.name: kind for kind in every}

    def of(self, thing: Any) -> Kind:
        """The kind of a thing, found once per class."""
        kind = type(thing)
        found = SCALARS if isinstance(thing, np.generic) else self._by_type.get(kind)
        if found is None:
            found = next((each for test, each in self._by_test if test(kind)), None)
        if found is None:
            raise InvalidArgument(
                f"{shown(thing)} cannot be saved: {kind.__module__}.{kind.__qualname__} is not a class of "
                "this library, nor has it the methods to_state and from_state (see kernelbandits.Saveable)"
            )
        self._by_type[kind] = found
        return found
