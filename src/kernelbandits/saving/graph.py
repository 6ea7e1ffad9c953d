"""Things as a flat list of nodes and back. Shared parts stay shared, and a thing may contain itself.

A node is [kind, facts, parts]. A part is None, a truth value, a number or a text, or [i] for the thing of node i, or
{"float": "nan"} for a number that JSON lacks. Nothing here calls itself, so that no nesting is too deep.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, final

from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.saving.kinds import Json, Kind

_IN_JSON = frozenset({type(None), bool, int, str})
_NO_NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


@final
class Nodes:
    """Takes a thing apart, each of its parts once."""

    def __init__(self, kind_of: Callable[[Any], Kind]) -> None:
        """`kind_of` tells the kind of a thing, or raises."""
        self._kind_of = kind_of
        self._things: list[Any] = []  # all that have a number: kept alive, so that none has the id of another
        self._numbers: dict[int, int] = {}
        self._owners: list[int | None] = []

    def of(self, thing: Any) -> tuple[list[Json], Json]:
        """The nodes, and the thing itself as a part."""
        nodes: list[Json] = []
        kinds: dict[str, Kind] = {}
        root = self._part(thing, None)
        for number, each in enumerate(self._things):  # grows on the way
            try:
                kind = self._kind_of(each)
                facts, parts = kind.apart(each)
            except InvalidArgument as error:
                raise InvalidArgument(f"{error} (found in: {self._trail(number)})") from error
            nodes.append([kind.name, facts, [self._part(part, number) for part in parts]])
            kinds[kind.name] = kind
        # A trial, in which every thing is True: it raises if something contains itself that cannot.
        trials = {name: kind._replace(together=lambda facts, parts: True) for name, kind in kinds.items()}
        Rebuilding(nodes, trials).thing(root)
        return nodes, root

    def _part(self, part: Any, owner: int | None) -> Json:
        kind = type(part)
        if kind in _IN_JSON:
            return part
        if kind is float:
            return part if isfinite(part) else {"float": repr(part)}
        number = self._numbers.setdefault(id(part), len(self._things))
        if number == len(self._things):
            self._things.append(part)
            self._owners.append(owner)
        return [number]

    def _trail(self, number: int | None) -> str:
        """The classes from the thing itself to one of its parts."""
        names: list[str] = []
        while number is not None:
            names.append(type(self._things[number]).__name__)
            number = self._owners[number]
        return " > ".join(reversed(names))


@final
class Rebuilding:
    """Puts a thing together from its nodes: parts first, except where a thing contains itself."""

    def __init__(self, nodes: Json, kinds: Mapping[str, Kind]) -> None:
        self._nodes: list[tuple[Kind, Json, list[Json]]] = []
        for name, facts, parts in nodes:
            if name not in kinds or not isinstance(parts, list):
                raise InvalidFile(f"{shown(name)} is not a kind of things in this version of the library")
            self._nodes.append((kinds[name], facts, parts))
        self._things: list[Any] = [None] * len(self._nodes)
        self._begun = [False] * len(self._nodes)
        self._done = [False] * len(self._nodes)

    def thing(self, root: Json) -> Any:
        """The thing that a part stands for."""
        waiting = [*self._numbers([root])]
        while waiting:
            number = waiting[-1]
            kind, facts, parts = self._nodes[number]
            if self._done[number]:
                waiting.pop()
            elif not self._begun[number]:
                self._begun[number] = True
                self._things[number] = None if kind.add is None else kind.together(facts, [])
                waiting += [each for each in self._numbers(parts) if not self._begun[each]]
            else:
                made = kind.together(facts, [self._part(part) for part in parts])
                self._things[number] = made if kind.add is None else kind.add(self._things[number], made)
                self._done[number] = True
                waiting.pop()
        return self._part(root)

    def outermost(self, root: Json, wanted: Callable[[Any], bool]) -> list[Json]:
        """The parts of a rebuilt thing, or itself, that are wanted and not inside of others that are."""
        found: list[Json] = []
        waiting, seen = [*self._numbers([root])], set[int]()
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                if wanted(self._things[number]):
                    found.append([number])
                else:
                    waiting += self._numbers(self._nodes[number][2])
        return found

    def _numbers(self, parts: list[Json]) -> list[int]:
        """The nodes that these parts refer to."""
        numbers = [number for part in parts if isinstance(part, list) for number in part]
        if any(type(number) is not int or not 0 <= number < len(self._nodes) for number in numbers):
            raise InvalidFile("it refers to a part that it does not have")
        return numbers

    def _part(self, part: Json) -> Any:
        if isinstance(part, list):
            [number] = part
            thing = self._things[number]
            if thing is None:
                raise InvalidArgument("something contains itself that cannot: only lists, dictionaries and sets may")
            return thing
        if isinstance(part, dict):
            return _NO_NUMBERS[part["float"]]
        return part
