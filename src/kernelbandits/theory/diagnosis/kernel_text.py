"""Kernels written as text, `Matern(nu=2.5, length=1.0)`: read with Python's grammar, never run as Python."""

from __future__ import annotations

import ast
from typing import Any

from kernelbandits import kernels
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.kernels.base import Kernel

_LONGEST = 1000


def kernel_from_text(text: str) -> Kernel:
    """The kernel that a text writes: an exported class with literal arguments, and +, * of such.

    >>> kernel_from_text("0.5 * Gaussian(gamma=4) + Matern(nu=1.5)")
    Sum(first=Scaled(kernel=Gaussian(gamma=4.0), factor=0.5), second=Matern(nu=1.5, length=1.0))
    """
    if len(text) > _LONGEST:
        raise InvalidArgument(f"a kernel is written in at most {_LONGEST} characters; got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidArgument(f"cannot read the kernel {text!r}; write it as Gaussian(gamma=4.0)") from error
    found = _value(tree, text)
    if not isinstance(found, Kernel):
        raise InvalidArgument(f"{text!r} is not a kernel; write it as Gaussian(gamma=4.0)")
    return found


def known_kernels() -> dict[str, type[Kernel]]:
    """The kernels that the library exports and that can be built, by name."""
    found = {name: getattr(kernels, name) for name in kernels.__all__}
    return {
        name: kind
        for name, kind in found.items()
        if isinstance(kind, type) and issubclass(kind, Kernel) and not getattr(kind, "__abstractmethods__", None)
    }


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node, text)
    if isinstance(node, ast.Name):
        return _build(node.id, [], {}, text)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        left, right = _value(node.left, text), _value(node.right, text)
        if not isinstance(left, Kernel) and not isinstance(right, Kernel):
            raise InvalidArgument(f"in {text!r}, + and * stand between kernels, or a number and a kernel")
        try:
            return left + right if isinstance(node.op, ast.Add) else left * right
        except TypeError as error:
            raise InvalidArgument(f"cannot read the kernel {text!r}: {error}") from error
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise InvalidArgument(
            f"cannot read the kernel {text!r}: {ast.unparse(node)!r} is neither a number nor a kernel"
        ) from error


def _call(name: str, node: ast.Call, text: str) -> Kernel:
    if any(keyword.arg is None for keyword in node.keywords):
        raise InvalidArgument(f"cannot read the kernel {text!r}: write its arguments out")
    positional = [_value(argument, text) for argument in node.args]
    named = {str(keyword.arg): _value(keyword.value, text) for keyword in node.keywords}
    return _build(name, positional, named, text)


def _build(name: str, positional: list[Any], named: dict[str, Any], text: str) -> Kernel:
    known = known_kernels()
    if name not in known:
        raise InvalidArgument(f"no kernel is called {name!r}; {nearest(name, known)}")
    kind = known[name]
    fields = list(getattr(kind, "__dataclass_fields__", {}))
    for key in named:
        if key not in fields:
            raise InvalidArgument(f"{name} has no argument {key!r}; {nearest(key, fields)}")
    try:
        return kind(*positional, **named)
    except TypeError as error:
        raise InvalidArgument(f"cannot read the kernel {text!r}: {name} takes {', '.join(fields) or 'nothing'}") from (
            error
        )
