import hashlib
import importlib.util
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.experiments.store import fingerprint, installation

ENVIRONMENT = kb.Synthetic(kb.LowRank(), dim=10)
POLICY = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), 20)


@dataclass(frozen=True)
class Holding(kb.Policy):
    """A policy with a field of any kind."""

    value: object

    def learner(self, problem, rng):
        raise NotImplementedError


def test_all_code_of_the_library_counts():
    files = sorted(Path(kb.__file__).parent.rglob("*.py"))
    assert len({path.parent.name for path in files}) > 10
    assert installation().code == hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:32]


def test_a_fingerprint_follows_everything_that_is_computed():
    variants = [
        fingerprint(ENVIRONMENT, POLICY, 100, 0),
        fingerprint(replace(ENVIRONMENT, noise_std=0.02), POLICY, 100, 0),
        fingerprint(replace(ENVIRONMENT, covariance=kb.LowRank(3)), POLICY, 100, 0),
        fingerprint(ENVIRONMENT, replace(POLICY, n_explore=21), 100, 0),
        fingerprint(ENVIRONMENT, replace(POLICY, estimator=kb.MinNormInterpolator(kb.Gaussian(4.1))), 100, 0),
        fingerprint(ENVIRONMENT, kb.Uniform(), 100, 0),
        fingerprint(ENVIRONMENT, POLICY, 101, 0),
        fingerprint(ENVIRONMENT, POLICY, 100, 1),
    ]
    assert len(set(variants)) == len(variants)


def test_a_fingerprint_does_not_follow_how_a_number_was_written():
    whole = replace(POLICY, estimator=kb.MinNormInterpolator(kb.Gaussian(4)))
    assert fingerprint(ENVIRONMENT, whole, 100, 0) == fingerprint(ENVIRONMENT, POLICY, 100, 0)


def test_names_do_not_matter(small):
    renamed = replace(small, panels=tuple(replace(panel, name="new " + panel.name) for panel in small.panels))
    assert [cell.fingerprint for cell in small.cells()] == [cell.fingerprint for cell in renamed.cells()]


def test_an_edited_policy_of_the_user_is_another_cell(tmp_path):
    source = Path(__file__).with_name("own_policy.py").read_text(encoding="utf-8")
    digests = {fingerprint(ENVIRONMENT, _define(tmp_path, name, source), 100, 0) for name in ("one", "same")}
    edited = fingerprint(ENVIRONMENT, _define(tmp_path, "edited", source.replace("ARM = 1", "ARM = 0")), 100, 0)
    assert edited not in digests


def _define(folder, file, source):
    """An instance of the policy whose module file has this source."""
    path = folder / file / "mine.py"
    path.parent.mkdir()
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mine_" + file, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.FirstArm.__module__ = "mine"  # so that only the source differs
    sys.modules["mine"] = module
    return module.FirstArm()


@pytest.mark.parametrize("width", [np.ones(3), lambda: 1], ids=["array", "function"])
def test_a_field_that_is_no_plain_value_is_refused(width):
    policy = Holding(width)
    panel = kb.Panel("a", kb.Synthetic(kb.LowRank(), n_arms=2, dim=3), {"Holding": policy})
    with pytest.raises(kb.errors.InvalidArgument, match="fields are numbers, texts, tuples or other specs"):
        list(kb.Experiment("m", (panel,), 10, (0,)).cells())
