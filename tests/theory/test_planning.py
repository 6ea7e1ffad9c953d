"""Formulas in words have the value that the theory computes; kernels as text."""

import re

import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.theory import Case, case_bias, variance_slope
from kernelbandits.theory.diagnosis import Numbers, kernel_from_text, plan_exploration
from kernelbandits.theory.diagnosis.kernel_text import known_kernels

GIVEN = Numbers(delta=0.7, n_arms=3, noise_std=0.3, norm=0.2, epsilon=0.35, dim=50)


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("case", list(Case))
@pytest.mark.parametrize("kernel", [kb.Exponential(0.7), kb.Gaussian(1.3)], ids=repr)
def test_words_have_the_value(kernel, case, as_printed):
    """Every formula with its numbers, worked out as arithmetic, is the value beside it."""
    plan = plan_exploration(kernel, case, GIVEN, as_printed=as_printed)
    for step in plan.steps:
        arithmetic = step.numbers.replace("·", "*").replace("²", "**2")
        assert re.fullmatch(r"[-0-9.e+*/ ()]+", arithmetic)
        assert eval(arithmetic) == pytest.approx(step.value, rel=1e-4)
    if not as_printed:
        assert plan.steps[1].value == plan.budget.bias == case_bias(kernel, case, 0.35, 0.2)
        assert plan.steps[2].value == variance_slope(kernel, case, 0.35, 0.3)
        assert plan.steps[0].value == plan.budget.allowed


def test_printed_table_repeats_case_one():
    """Inner product, Case II: the table has ε where its lemma has 1/ε, and the words say what was computed."""
    plan = plan_exploration(kb.Exponential(), Case.APPROXIMATE_LOW_RANK, GIVEN, as_printed=True)
    assert plan.steps[2].symbols == "32 σ² ε"
    assert plan_exploration(kb.Exponential(), Case.APPROXIMATE_LOW_RANK, GIVEN).steps[2].symbols == "32 σ² / ε"


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("Gaussian(gamma=4.0)", kb.Gaussian(4.0)),
        ("Gaussian(4)", kb.Gaussian(4.0)),
        (" Linear ", kb.Linear()),
        ("Matern(nu=2.5, length=1.0)", kb.Matern(2.5, 1.0)),
        ("Schoenberg(coefficients=(0.5, 0.5), dim=9)", kb.Schoenberg((0.5, 0.5), 9)),
        ("2 * Gaussian(1) + Laplace()", 2 * kb.Gaussian(1.0) + kb.Laplace()),
        ("Sum(Linear(), Gaussian(gamma=2.0))", kb.Sum(kb.Linear(), kb.Gaussian(2.0))),
    ],
)
def test_kernel_from_text(text, kernel):
    assert kernel_from_text(text) == kernel


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Mattern()", "did you mean 'Matern'"),
        ("Gaussian(gama=1)", "no argument 'gama'; did you mean 'gamma'"),
        ("Gaussian(-1)", "gamma must be a number above 0"),
        ("Gaussian(1, 2)", "Gaussian takes gamma"),
        ("Gaussian(gamma=open('x'))", "no kernel is called 'open'"),
        ("__import__('os').system('true')", "neither a number nor a kernel"),
        ("Gaussian(**{})", "write its arguments out"),
        ("(lambda: 1)()", "neither a number nor a kernel"),
        ("RadialKernel()", "no kernel is called 'RadialKernel'"),
        ("4.0", "not a kernel"),
        ("4.0 + 1", "between kernels"),
        ("Gaussian() + 'a'", "must be a Kernel; got 'a'"),
        ("Gaussian(", "cannot read"),
        ("", "cannot read"),
        ("(" * 300, "cannot read"),
        ("Linear()+" * 200, "at most 1000 characters"),
    ],
)
def test_texts_that_are_no_kernel(text, message):
    with pytest.raises(InvalidArgument, match=message):
        kernel_from_text(text)


def test_every_exported_kernel_can_be_written():
    assert set(known_kernels()) == {
        name
        for name in kb.__all__
        if isinstance(getattr(kb, name), type)
        and issubclass(getattr(kb, name), kb.Kernel)
        and not getattr(getattr(kb, name), "__abstractmethods__", None)
    }
