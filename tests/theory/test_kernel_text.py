"""Kernels written as text."""

import inspect

import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument
from kernelbandits.theory.diagnosis import kernel_from_text
from kernelbandits.theory.diagnosis.kernel_text import known_kernels


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
        ("Gaussian(**{})", "write each argument as name=value"),
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
        and not inspect.isabstract(getattr(kb, name))
    }
