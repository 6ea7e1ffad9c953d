"""Documents as pages and in a terminal: only their own script may run, and the best entry stands out."""

import base64
import hashlib
import re

from kernelbandits.reporting import Column, Document, Entry, Findings, Group, Note, Table

TABLE = Table(
    "Final regret",
    (Column("method", numeric=False), Column("a panel")),
    ((Entry("first"), Entry("2.0")), (Entry("second"), Entry("1.0", best=True))),
)


def test_the_policy_of_a_page_names_its_style_and_its_script_and_nothing_else():
    page = Document("A title", (TABLE,)).html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        [content] = re.findall(rf"<{element}>(.*?)</{element}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert parts[rule] == f"'sha256-{digest}'"


def test_the_best_entry_is_bold_in_a_terminal_and_on_a_page():
    grid = TABLE.terminal()[2]
    names, numbers = grid.columns
    assert [cell.style.strip() for cell in numbers._cells] == ["", "bold"]
    assert (names.justify, numbers.justify) == ("left", "right")
    assert "<strong>1.0</strong>" in TABLE.html()
    assert "<strong>2.0</strong>" not in TABLE.html()


def test_sections_are_printed_in_order_with_the_closing_line_last(capsys):
    Document("", (TABLE, Findings("Findings", ("one", "two")))).show("Finished.")
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert lines[0] == "Final regret"
    assert lines[-3:] == ["one", "two", "Finished."]


def test_a_group_keeps_the_order_of_its_sections(capsys):
    group = Group("A part", (Note("", "first"), Note("", "second")))
    Document("", (group,)).show()
    assert capsys.readouterr().out.split() == ["first", "second"]
    assert group.html().index("first") < group.html().index("second")
