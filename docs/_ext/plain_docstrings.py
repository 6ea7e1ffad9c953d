"""Docstrings are written for `help()`, in plain text with `names` in backticks; this makes them readable for Sphinx.

A public name in backticks becomes a link, everything else in backticks becomes code, and bars are bars: |x| is no
substitution. Members that come from other libraries are left out.
"""

import re

import kernelbandits

NAME = re.compile(r"(?<![`:\w])`([^`\n]+)`(?![`_])")


def linked(match):
    text = match[1]
    first = re.split(r"[.(]", text.removeprefix("kb."))[0]
    if first in kernelbandits.__all__ and re.fullmatch(r"(kb\.)?\w+", text):
        return f":py:obj:`{text} <kernelbandits.{first}>`"
    return f"``{text}``"


def plain(app, what, name, obj, options, lines):
    for i, line in enumerate(lines):
        if line == "Attributes:":  # of a dataclass: what is given is what is kept
            line = lines[i] = "Args:"
        if line.lstrip().startswith((">>>", "...")) or line.lstrip().startswith(":"):
            continue
        shown = NAME.sub(linked, line)
        parts = re.split(r"(``[^`]*``|:py:obj:`[^`]*`)", shown)
        lines[i] = "".join(part if k % 2 else part.replace("|", r"\|") for k, part in enumerate(parts))


def foreign(app, what, name, obj, skip, options):
    """Fields of named tuples are described by the class; methods of tuples and of scikit-learn by their libraries."""
    owner = getattr(obj, "__objclass__", None)
    home = getattr(owner or getattr(obj, "fget", obj), "__module__", None) or "kernelbandits"
    return True if type(obj).__name__ == "_tuplegetter" or not home.startswith("kernelbandits") else None


def setup(app):
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon, which asks for lines as written
    app.connect("autodoc-skip-member", foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
