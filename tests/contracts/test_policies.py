import pytest

import examples
import kernelbandits as kb
from kernelbandits.testing import check_policy, check_spec


@pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)
@pytest.mark.parametrize("n_arms", [2, 4])
def test_policy_keeps_the_contract(policy, n_arms):
    check_policy(policy, n_arms=n_arms, seed=n_arms)


def test_every_exported_policy_has_an_example():
    assert examples.exported(kb.Policy) == examples.types_of(examples.POLICIES)


@pytest.mark.parametrize("width", examples.WIDTHS, ids=repr)
def test_width_is_a_value(width):
    check_spec(width)


def test_every_exported_width_has_an_example():
    assert examples.exported(kb.Width) == examples.types_of(examples.WIDTHS)
