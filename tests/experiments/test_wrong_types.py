"""What is no panel, policy, environment, instance or engine is refused where it is given, not somewhere in a run."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.experiments import parse

ENVIRONMENT = kb.Synthetic(kb.LowRank(), n_arms=2, dim=3)
INSTANCE = ENVIRONMENT.draw(np.random.default_rng(0))
PANEL = kb.Panel("a", ENVIRONMENT, {"Uniform": kb.Uniform()})
EXPERIMENT = kb.Experiment("m", (PANEL,), 10, (0,))


class Plain(kb.Policy):
    """Not a dataclass."""

    def learner(self, problem, rng):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: kb.Panel("a", ENVIRONMENT, {"G": kb.Gaussian()}), r"method 'G' must be a Policy.*got Gaussian"),
        (lambda: kb.Panel("a", ENVIRONMENT, {"U": kb.Uniform}), r"call it, Uniform\(…\)"),
        (lambda: kb.Panel("a", ENVIRONMENT, [kb.Uniform()]), "methods must be a Mapping"),
        (lambda: kb.Panel("a", None, {"U": kb.Uniform()}), "environment must be an Environment.*got None"),
        (lambda: kb.Experiment("m", PANEL, 10, (0,)), "panels must be a Sequence"),
        (lambda: kb.Experiment("m", ("a",), 10, (0,)), "panels must be a Panel.*got 'a'"),
        (lambda: kb.Experiment("m", (PANEL,), 10, 3), r"seeds must be a Sequence, such as range\(10\); got 3"),
        (lambda: kb.play(kb.Uniform(), ENVIRONMENT, 10, 0), r"instance must be an Instance.*\.draw\(rng\)"),
        (lambda: kb.play(kb.Uniform, INSTANCE, 10, 0), "policy must be a Policy.*call it"),
        (lambda: kb.play(INSTANCE, kb.Uniform(), 10, 0), "policy must be a Policy"),
    ],
)
def test_refused_at_once(build, words):
    with pytest.raises(InvalidArgument, match=words):
        build()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("m",), "experiment must be an Experiment"),
        ((EXPERIMENT, 2), "engine must be an Engine"),
    ],
)
def test_run_refuses_before_it_writes(tmp_path, arguments, words):
    experiment, *engine = arguments
    with pytest.raises(InvalidArgument, match=words):
        kb.run(experiment, tmp_path / "out", *engine)
    assert not (tmp_path / "out").exists()


def test_a_policy_that_is_no_dataclass():
    panel = kb.Panel("a", ENVIRONMENT, {"Plain": Plain()})
    with pytest.raises(InvalidArgument, match=r"frozen dataclasses.*of type Plain"):
        list(kb.Experiment("m", (panel,), 10, (0,)).cells())
    table = {
        "name": "m",
        "horizon": 10,
        "seeds": 1,
        "methods": {"Plain": {"type": f"{__name__}:Plain"}},
        "panels": [{"name": "a", "environment": {"type": "Synthetic", "covariance": {"type": "LowRank"}}}],
    }
    with pytest.raises(InvalidFile, match=r"Plain must be a dataclass: put @dataclass\(frozen=True\) above it"):
        parse(table)
