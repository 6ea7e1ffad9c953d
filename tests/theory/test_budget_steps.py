"""Formulas in symbols and numbers have the value that the theory computes."""

import re

import pytest

import kernelbandits as kb
from kernelbandits.theory import Case, case_bias, exploration_budget, variance_slope

GIVEN = {"delta": 0.7, "n_arms": 3, "noise_std": 0.3, "norm": 0.2, "epsilon": 0.35, "dim": 50}


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("case", list(Case))
@pytest.mark.parametrize("kernel", [kb.Exponential(0.7), kb.Gaussian(1.3)], ids=repr)
def test_numbers_have_the_value(kernel, case, as_printed):
    """Every formula with its numbers, evaluated as arithmetic, is the value beside it."""
    budget = exploration_budget(kernel, case, as_printed=as_printed, **GIVEN)
    for step in budget.steps:
        arithmetic = step.numbers.replace("·", "*").replace("²", "**2")
        assert re.fullmatch(r"[-0-9.e+*/ ()]+", arithmetic)
        assert eval(arithmetic) == pytest.approx(step.value, rel=1e-4)
    assert budget.steps[0].value == budget.allowed
    assert budget.steps[1].value == budget.bias
    if not as_printed:
        assert budget.bias == case_bias(kernel, case, 0.35, 0.2)
        assert budget.steps[2].value == variance_slope(kernel, case, 0.35, 0.3)


def test_printed_table_repeats_case_I():
    """Table 2, inner product, Case II: ε is printed where Lemma B.6 has 1/ε, and the step shows what was computed."""
    printed, corrected = (
        exploration_budget(kb.Exponential(), Case.APPROXIMATE_LOW_RANK, as_printed=as_printed, **GIVEN)
        for as_printed in (True, False)
    )
    assert printed.steps[2].symbols == "32 σ² ε"
    assert corrected.steps[2].symbols == "32 σ² / ε"
