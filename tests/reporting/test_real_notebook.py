"""A notebook with a real kernel: pictures and tables appear below their cells, and progress is rewritten in place."""

import nbformat
import pytest
from nbclient import NotebookClient

SHOWN = {
    "trace": "trace",
    "decision": "agent.choose(np.ones(10))",
    "bandit": "bandit",
    "bandit decision": "bandit.choose({'age': 30.0})",
    "encoder": "bandit.encoder",
    "posterior": "kb.GaussianProcess(kb.Gaussian()).fit(X, X[:, 0])",
    "results": "kb.run(kb.Experiment('tiny', (panel,), 20, (0, 1)), 'runs')",
    "diagnosis": "kb.theory.diagnosis.diagnose(X, arms=np.arange(40) % 2, rewards=X[:, 0])",
    "evaluation": "kb.evaluate(kb.Log(X, np.arange(40) % 2, X[:, 0], np.full(40, 0.5), 2), {'first': kb.AlwaysArm(0)})",
}
"""What is shown as the last line of a cell."""

DRAWN = ("decision", "results", "evaluation")
"""Some of them are drawn: one picture of one chart, one of several, one of intervals."""

CELLS = (
    "import numpy as np, kernelbandits as kb, kernelbandits.theory.diagnosis",
    "instance = kb.Synthetic(kb.LowRank(), n_arms=3, dim=10).draw(np.random.default_rng(0))\n"
    "trace = kb.play(kb.LinearUCB(), instance, 60, rng=1)\ntrace",
    "trace.plot();",
    "from kernelbandits.reporting import Progress\n"
    "with Progress('work', 3, patience=0.0) as bar:\n    for i in range(4):\n        bar.show(i)",
    "X = np.random.default_rng(0).normal(size=(40, 10))\n"
    "panel = kb.Panel('low-rank', kb.Synthetic(kb.LowRank(), n_arms=3, dim=10), {'UCB': kb.LinearUCB()})\n"
    "agent = kb.LinearUCB().start(kb.Problem(n_arms=3, dim=10), 0)\n"
    "log = {'age': X[:, 0], 'offer': ['a', 'b'] * 20, 'paid': X[:, 1]}\n"
    "bandit = kb.Bandit(['a', 'b']).fit(log, arm='offer', reward='paid')",
    *(f"it = {code}\nit" for code in SHOWN.values()),
    *(f"it = {SHOWN[name]}\nit.plot();" for name in DRAWN),
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path_factory.mktemp("nb")}}
    ).execute()
    return [cell.outputs for cell in notebook.cells]


def test_a_value_is_shown_as_a_table(outputs):
    [output] = outputs[1]
    assert output.data["text/html"].startswith("<div><strong>Trace</strong>")


def test_plot_shows_an_image_without_any_magic(outputs):
    [output] = outputs[2]
    assert "image/png" in output.data


def test_progress_is_one_output(outputs):
    [output] = outputs[3]
    assert 'value="3" max="3"' in output.data["text/html"]


def test_every_kind_of_value_is_a_table_and_some_are_drawn(outputs):
    shown, drawn = outputs[-len(SHOWN) - len(DRAWN) : -len(DRAWN)], outputs[-len(DRAWN) :]
    assert [name for name, cell in zip(SHOWN, shown, strict=True) if "<table" not in cell[-1].data["text/html"]] == []
    assert [name for name, cell in zip(DRAWN, drawn, strict=True) if "image/png" not in cell[-1].data] == []
