"""Every public name says what its parameters mean and which shapes arrays have, shows an example, and leads on.

That the examples hold is tested in `test_docs.py`, with all docstrings of the library.
"""

import inspect
import re
import types

import pytest

import kernelbandits as kb

NAMES = [name for name in kb.__all__ if not isinstance(getattr(kb, name), types.ModuleType)]
ARRAY = re.compile(r"\b(Array|ArrayLike|IntArray|BoolArray|ndarray)\b")
SHAPE = re.compile(r"shapes?\b|\([A-Za-z0-9_ᵢ]+,\s?[A-Za-z0-9_, ]*\)")


def docstring(name):
    """The name's own docstring, not one that it inherits."""
    return inspect.cleandoc(getattr(kb, name).__doc__ or "")


def parameters(name):
    thing = inspect.unwrap(getattr(kb, name))
    try:
        given = inspect.signature(thing).parameters
    except ValueError:
        return {}
    named = {key: each for key, each in given.items() if not key.startswith("_")}
    return {key: each for key, each in named.items() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_shapes_an_example_and_where_to_go_on(name):
    text = docstring(name)
    missing = [
        key for key in parameters(name) if not re.search(rf"^ +(?:\w+, )*{key}(?:, \w+)*: \S", text, re.MULTILINE)
    ]
    assert missing == []
    if any(ARRAY.search(str(each.annotation)) for each in parameters(name).values()):
        assert SHAPE.search(text)
    assert ">>> " in text
    assert re.search(rf"[Ss]ee also `(?!{name}`)\w+`", text)


def test_see_also_leads_to_public_names():
    for name in NAMES:
        for line in re.findall(r"[Ss]ee also (`\w+`(?:, `\w+`)*)", docstring(name)):
            assert [each for each in re.findall(r"`(\w+)`", line) if each not in kb.__all__] == [], name


def test_kernels_and_estimators_state_their_equation():
    for base in (kb.Kernel, kb.Estimator):
        concrete = [n for n in NAMES if inspect.isclass(getattr(kb, n)) and issubclass(getattr(kb, n), base)]
        concrete = [n for n in concrete if not inspect.isabstract(getattr(kb, n))]
        assert [n for n in concrete if not re.search(r"[=←~(]", docstring(n).splitlines()[0])] == []
