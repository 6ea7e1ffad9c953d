"""Classes in bundles: of the library's own rooms, or passed by the caller. No other name is looked up."""

import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, final

import kernelbandits
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest, shown
from kernelbandits.saving.kinds import Json

_ROOMS = ("problem", "kernels", "linalg", "regression", "beliefs", "policies", "tables", "bandit")
_PACKAGE = kernelbandits.__name__
_MOVED = {
    "beliefs.anchored_gaussian.Anchor": "beliefs.anchored_kernels.Anchor",
    "beliefs.anchored_gaussian.AnchoredGaussian": "beliefs.anchored_kernels.AnchoredGaussian",
    "beliefs.anchored_gaussian.Units": "beliefs.context_units.FeatureScales",
    "beliefs.anchored_kernels.Units": "beliefs.context_units.FeatureScales",
    "beliefs.belief_budget.BeliefBudget": "beliefs.model_estimation.BeliefBudget",
    "beliefs.budgeted_arms.Sketch": "beliefs.sketch.Sketch",
    "beliefs.calibrated_tracker.CalibratedTracker": "beliefs.empirical_bayes.CalibratedTracker",
    "beliefs.calibrated_tracker.Estimation": "beliefs.model_estimation.Estimation",
    "beliefs.calibrated_tracker._Search": "beliefs.model_estimation.RewardSearch",
    "beliefs.estimation.EstimatingTracker": "beliefs.hierarchical_bayes.EstimatingTracker",
    "beliefs.independent_arms._ArmSlice": "beliefs.arm_slices.ArmSlice",
    "beliefs.sketched_arms.ArmSums": "beliefs.arm_sums.ArmSums",
    "beliefs.standardizing_tracker.StandardizingTracker": "beliefs.reward_units.StandardizingTracker",
    "kernels.base.Product": "kernels.algebra.Product",
    "kernels.base.Scaled": "kernels.algebra.Scaled",
    "kernels.base.Shifted": "kernels.algebra.Shifted",
    "kernels.base.Sum": "kernels.algebra.Sum",
    "kernels.profile_kernels.Schoenberg": "kernels.schoenberg.Schoenberg",
    "policies.adaptive_explore_then_commit._RegretEstimate": "policies.commitment_value.RegretEstimate",
    "policies.belief_policies.BelievingLearner": "policies.believing_learner.BelievingLearner",
}
"""Where classes are now that bundles of earlier versions know by another name."""


@final
class Classes:
    """The classes of a bundle, numbered; each with the names of the fields that are stored."""

    def __init__(self, passed: Iterable[type] = ()) -> None:
        """`passed` are the classes from outside the library that a bundle may name."""
        self._passed: dict[str, type] = {}
        for each in passed:
            if not isinstance(each, type):
                raise InvalidArgument(f"classes must be classes; got {shown(each)}")
            if self._passed.setdefault(each.__qualname__, each) is not each:
                raise InvalidArgument(f"classes: two of them are called {each.__qualname__}")
        self._numbers: dict[tuple[type, tuple[str, ...]], int] = {}
        self._known: list[tuple[type, tuple[str, ...]]] = []

    def number(self, kind: type, fields: Sequence[str]) -> int:
        """The number of a class with these fields."""
        return self._numbers.setdefault((kind, (*fields,)), len(self._numbers))

    def __getitem__(self, number: Json) -> tuple[Any, tuple[str, ...]]:
        if type(number) is not int or not 0 <= number < len(self._known):
            raise InvalidFile(f"there is no class with the number {shown(number)}")
        return self._known[number]

    def to_json(self) -> Json:
        """The classes as JSON: whose they are, their names and fields."""
        return [[*_name(kind), [*fields]] for kind, fields in self._numbers]

    def read(self, table: Json) -> None:
        """Look up the classes that `to_json` wrote."""
        for whose, name, fields in table:
            if not (isinstance(name, str) and all(isinstance(field, str) for field in fields)):
                raise InvalidFile(f"{shown(name)} is not the name of a class")
            self._known.append((_ours(name) if whose == "library" else self._theirs(name), tuple(fields)))

    def _theirs(self, name: str) -> type:
        if name not in self._passed:
            raise InvalidFile(
                f"it holds a {shown(name)[1:-1]}, which is not of this library; load(path, classes=[…]) takes the "
                f"classes that it may use; {nearest(name, self._passed) if self._passed else 'none was given'}"
            )
        return self._passed[name]


def is_ours(kind: type) -> bool:
    """Whether a class is the library's, in a room whose things can be saved."""
    package, _, rest = kind.__module__.partition(".")
    return package == _PACKAGE and rest.split(".")[0] in _ROOMS


def _name(kind: type) -> tuple[str, str]:
    if not is_ours(kind):
        return "yours", kind.__qualname__
    return "library", f"{kind.__module__.removeprefix(_PACKAGE + '.')}.{kind.__qualname__}"


@lru_cache(maxsize=1024)
def _ours(name: str) -> type:
    """The class `room.file.Class` of the library: modules that are not of its rooms are never imported."""
    name = _MOVED.get(name, name)
    module, _, name_there = name.rpartition(".")
    found = vars(import_module(f"{_PACKAGE}.{module}")).get(name_there) if module in _modules() else None
    if not isinstance(found, type) or _name(found)[1] != name:
        raise InvalidFile(f"there is no class {shown(name)} in this version of the library")
    return found


@cache
def _modules() -> set[str]:
    """The modules of the rooms whose things can be saved, by the files of the library."""
    rooms = {info.name for info in pkgutil.iter_modules(kernelbandits.__path__)} & {*_ROOMS}
    folders = {room: [f"{path}/{room}" for path in kernelbandits.__path__] for room in rooms}
    return rooms | {f"{room}.{info.name}" for room in rooms for info in pkgutil.iter_modules(folders[room])}
