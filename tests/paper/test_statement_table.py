"""The table of `docs/theory.md` has every numbered statement of the paper, and what it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import kernelbandits as kb
from kernelbandits import theory

ROOT = Path(__file__).parents[2]
NUMBERED = [
    "Algorithm 1",
    "Assumption 4.1",
    "Definition 4.2",
    "Remark 4.3",
    "Definition 4.4",
    "Definition 4.5",
    "Theorem 4.6",
    "Example 1",
    "Remark 4.7",
    "Theorem 4.8",
    "Theorem 4.9",
    "Remark 4.10",
    "Theorem 4.11",
    "Remark 4.12",
    "Theorem B.1",
    "Definition B.2",
    "Remark B.3",
    "Theorem B.4",
    *(f"Lemma B.{k}" for k in range(5, 13)),
    "Lemma C.1",
    "Table 2",
    "Theorem C.2",
    "Proposition C.3",
    "Section D",
]


def table():
    """Rows of (statement, content, functions, tests)."""
    page = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    section = page.split("## Every numbered statement")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line[:1] == "|"]
    return rows[2:]


@cache
def names_of_tests():
    files = [path for room in ("paper", "theory") for path in (ROOT / "tests" / room).glob("test_*.py")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_numbered_statement_has_one_row():
    assert [row[0] for row in table()] == NUMBERED


@pytest.mark.parametrize("row", table(), ids=lambda row: row[0])
def test_functions_and_tests_exist(row):
    _, content, functions, named = row
    assert content
    names = re.findall(r"`([^`]+)`", functions)
    assert names
    for name in names:
        home = kb if name.startswith("kb.") else theory
        assert hasattr(home, name.removeprefix("kb.")), name
    names = re.findall(r"`([^`]+)`", named)
    assert names
    assert set(names) <= names_of_tests()


def test_every_function_of_the_theory_is_in_the_table_or_not_in_the_paper():
    """What the paper does not have: the data-driven budget, and helpers that look at a sample."""
    own = {"recommend_exploration", "expected_maximum", "subsample", "moments"}
    functions = {name for name, value in vars(theory).items() if callable(value) and name[0].islower()}
    assert functions - own <= set(re.findall(r"`([^`]+)`", " ".join(row[2] for row in table())))
    assert own <= functions
