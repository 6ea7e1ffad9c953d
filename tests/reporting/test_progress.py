"""Progress in a notebook and on a terminal, and silence elsewhere."""

import re
import sys
from types import SimpleNamespace

import pytest

from kernelbandits.reporting import Progress


@pytest.fixture
def notebook(monkeypatch):
    """What a kernel of Jupyter offers: a shell with a kernel, and outputs that can be rewritten."""
    shown = []
    handle = SimpleNamespace(update=lambda data, raw: shown.append(data))
    display = SimpleNamespace(display=lambda data, raw, display_id: handle)
    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return shown


def test_a_notebook_gets_one_line_that_is_rewritten(notebook):
    with Progress("<b>fit</b>", 4, patience=0.0) as bar:
        bar.show(1, "residual <1")
        bar.show(4)
    assert len(notebook) == 2
    page = notebook[0]["text/html"]
    assert 'value="1" max="4"' in page
    assert "25%" in page
    assert "residual &lt;1" in page
    assert "<b>" not in page
    assert re.match(r"<b>fit</b> 100% \d+ s", notebook[1]["text/plain"])


def test_nothing_to_do_is_all_done(notebook):
    with Progress("run", None, patience=0.0) as bar:
        bar.show(0, "looking")
        bar.show(0, "nothing to do", 0)
    assert "value" not in notebook[0]["text/html"], "how much there is to do is not known yet"
    assert 'value="1" max="1"' in notebook[1]["text/html"]
    assert "nothing to do" in notebook[1]["text/plain"]


def test_a_patient_bar_is_not_shown_for_quick_work(notebook):
    with Progress("fit", 2) as bar:
        bar.show(2)
    assert notebook == []


def test_without_a_terminal_nothing_is_shown(capsys):
    with Progress("fit", 2, patience=0.0) as bar:
        bar.show(2)
    assert capsys.readouterr().err == ""
