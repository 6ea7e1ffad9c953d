"""A notebook with a real kernel: pictures and tables appear below their cells, and progress is rewritten in place."""

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    "import kernelbandits as kb",
    "instance = kb.Synthetic(kb.LowRank(), n_arms=3, dim=10).draw(__import__('numpy').random.default_rng(0))\n"
    "trace = kb.play(kb.LinearUCB(), instance, 60, rng=1)\ntrace",
    "trace.plot();",
    "from kernelbandits.reporting import Progress\n"
    "with Progress('work', 3, patience=0.0) as bar:\n    for i in range(4):\n        bar.show(i)",
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
