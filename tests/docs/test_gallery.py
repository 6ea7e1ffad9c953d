"""Every example of the gallery runs, draws one picture, and has its place in the gallery."""

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws_one_picture(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with mpl.rc_context({"backend": "agg"}):
        pyplot.close("all")
        runpy.run_path(str(example))
        numbers = pyplot.get_fignums()
        drawn = [axes for axes in pyplot.gcf().axes if axes.lines]
        pyplot.close("all")
    assert len(numbers) == 1
    assert drawn


def test_the_gallery_is_in_order():
    text = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    listed = text.partition("EXAMPLES = (")[2].partition(")")[0]
    assert [path.stem for path in EXAMPLES if f'"{path.stem}"' not in listed] == []
