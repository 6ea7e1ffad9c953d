"""The contract of every spec."""

from __future__ import annotations

import pickle

from kernelbandits.specs import Spec


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
