"""Kernels written as text, such as `Matern(nu=2.5, length=1.0)`: parsed as Python, never run."""

import ast
import inspect
from typing import Any

from kernelbandits import kernels
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.kernels import Kernel


def kernel_from_text(text: str) -> Kernel:
    """Parse a kernel: an exported class with literal arguments, or sums and products of such.

    >>> kernel_from_text("0.5 * Gaussian(gamma=4) + Matern(nu=1.5)")
    Sum(first=Scaled(kernel=Gaussian(gamma=4.0), factor=0.5), second=Matern(nu=1.5, length=1.0))
    """
    if len(text) > 1000:
        raise InvalidArgument(f"the text of a kernel has at most 1000 characters; got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidArgument(f"cannot read the kernel {text!r}; write it as Gaussian(gamma=4.0)") from error
    found = _value(tree, text)
    if not isinstance(found, Kernel):
        raise InvalidArgument(f"{text!r} is not a kernel; write it as Gaussian(gamma=4.0)")
    return found


def known_kernels() -> dict[str, type[Kernel]]:
    """The concrete kernels that the library exports, by name."""
    exported = vars(kernels).values()
    kinds = [kind for kind in exported if isinstance(kind, type) and issubclass(kind, Kernel)]
    return {kind.__name__: kind for kind in kinds if not inspect.isabstract(kind)}


def _value(node: ast.expr, text: str) -> Any:
    """The kernel or literal that a node stands for."""
    match node:
        case ast.Name(id=name):
            return _build(name, [], [], text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            return _build(name, args, keywords, text)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() as op, right=right):
            first, second = _value(left, text), _value(right, text)
            if not isinstance(first, Kernel) and not isinstance(second, Kernel):
                raise InvalidArgument(f"in {text!r}, + and * must be between kernels, or a number and a kernel")
            try:
                return first + second if isinstance(op, ast.Add) else first * second
            except TypeError as error:
                raise InvalidArgument(f"cannot read the kernel {text!r}: {error}") from error
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise InvalidArgument(
            f"cannot read the kernel {text!r}: {ast.unparse(node)!r} is neither a number nor a kernel"
        ) from error


def _build(name: str, args: list[ast.expr], keywords: list[ast.keyword], text: str) -> Kernel:
    known = known_kernels()
    if name not in known:
        raise InvalidArgument(f"no kernel is called {name!r}; {nearest(name, known)}")
    fields = list(inspect.signature(known[name]).parameters)
    named = {}
    for keyword in keywords:
        if keyword.arg is None:
            raise InvalidArgument(f"cannot read the kernel {text!r}: write each argument as name=value, not **")
        if keyword.arg not in fields:
            raise InvalidArgument(f"{name} has no argument {keyword.arg!r}; {nearest(keyword.arg, fields)}")
        named[keyword.arg] = _value(keyword.value, text)
    positional = [_value(argument, text) for argument in args]
    try:
        return known[name](*positional, **named)
    except TypeError as error:
        takes = ", ".join(fields) or "no arguments"
        raise InvalidArgument(f"cannot read the kernel {text!r}: {name} takes {takes}") from error
