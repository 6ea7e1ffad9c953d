import dataclasses
import importlib
import pkgutil
import sys
import tomllib

import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidFile
from kernelbandits.specs import Spec, from_table, names_below, to_table
from kernelbandits.testing import check_spec


def toml(value):
    """A value as one line of TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(entry) for entry in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def read(text, expected=Spec):
    return from_table(tomllib.loads(f"spec = {text}")["spec"], expected, "spec")


WITH_CODE = {kb.SklearnEncoding, kb.RewardsByRegressor}
"""They hold an object of another library, which no file can describe."""


def test_every_exported_spec_has_an_example():
    assert examples.exported(Spec) - WITH_CODE == examples.types_of(examples.ALL)


MADE_OFTEN = {"InverseFactor", "Posterior"}
STATE = {
    "ActiveArms",
    "ArmSlice",
    "Commitment",
    "Estimation",
    "EvidenceSums",
    "SketchConstruction",
    "SketchRevision",
    "Sums",
}
CHANGING = MADE_OFTEN | STATE
"""Not frozen: some are made per observation, and the others are what changes in a fit or an agent."""


def test_every_value_is_frozen_and_has_no_room_for_other_attributes():
    for module in pkgutil.walk_packages(kb.__path__, "kernelbandits."):
        importlib.import_module(module.name)
        for name, kind in vars(sys.modules[module.name]).items():
            if dataclasses.is_dataclass(kind) and isinstance(kind, type) and not name.startswith("_"):
                assert kind.__dataclass_params__.frozen != (name in CHANGING), f"{module.name}: {name}"
                assert "__dict__" not in dir(kind), f"{module.name}: {name} has no slots"


@pytest.mark.parametrize("base", [Spec, kb.Policy, kb.Kernel, kb.Environment, kb.Estimator])
def test_a_file_may_name_every_exported_spec(base):
    assert names_below(base) == sorted(c.__name__ for c in examples.exported(base))


NAMES = {name: getattr(kb, name) for name in kb.__all__}


@pytest.mark.parametrize("spec", examples.ALL, ids=repr)
def test_is_a_value_that_reads_back_from_toml_and_from_its_print(spec):
    check_spec(spec)
    assert read(toml(to_table(spec))) == spec
    assert eval(repr(spec), NAMES) == spec


def test_numbers_are_read_as_the_field_wants_them():
    kernel = kb.Gaussian(gamma=4)
    assert isinstance(kernel.gamma, float)
    assert kernel == read("{type = 'Gaussian', gamma = 4}")


@pytest.mark.parametrize(
    ("text", "expected", "words"),
    [
        ("{type = 'Gausian'}", kb.Kernel, "did you mean 'Gaussian'"),
        ("{type = 'Kernel'}", kb.Kernel, "Kernel is only the base of others; known: Exponential, Gaussian"),
        ("{type = 'Gaussian', gama = 1.0}", kb.Kernel, "did you mean 'gamma'"),
        ("{type = 'Gaussian', gamma = -1.0}", kb.Kernel, "gamma must be a number above 0"),
        ("{type = 'Gaussian', gamma = 'x'}", kb.Kernel, "gamma must be a number above 0"),
        ("{type = 'Uniform'}", kb.Kernel, "Uniform is not a Kernel"),
        ("{gamma = 1.0}", kb.Kernel, "`type` is missing"),
        ("{type = 3}", kb.Kernel, "expected the name of a Kernel"),
        ("3", kb.Kernel, "expected a table"),
        ("{type = 'MinNormInterpolator'}", kb.Estimator, "needs kernel"),
        ("{type = 'no_such_module:Kernel'}", kb.Kernel, "cannot import module 'no_such_module'"),
        ("{type = 'examples:Kernel'}", kb.Kernel, "module 'examples' has no 'Kernel'"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(text, expected, words):
    with pytest.raises(InvalidFile, match=words) as refusal:
        read(text, expected)
    assert "spec" in str(refusal.value)


def test_a_wrong_inner_table_names_the_path():
    with pytest.raises(InvalidFile, match=r"spec\.kernel"):
        read("{type = 'KernelRidge', kernel = {type = 'Gaussian', gamma = 0.0}}", kb.Estimator)
