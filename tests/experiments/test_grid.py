from dataclasses import replace

import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument


def test_cells_are_the_product_in_the_order_of_the_results(small):
    cells = [(cell.panel.name, cell.method, cell.seed) for cell in small.cells()]
    assert cells == [
        (panel, method, seed)
        for panel in ("low-rank", "decay")
        for method in ("EtC", "UCB", "Uniform")
        for seed in (0, 1, 2)
    ]
    assert len({cell.fingerprint for cell in small.cells()}) == len(cells)


def test_only_takes_methods_and_panels_in_any_case(small):
    part = small.only(("etc", "DECAY"))
    assert part.methods == ("EtC",)
    assert [panel.name for panel in part.panels] == ["decay"]
    assert small.only(("Uniform",)).methods == ("Uniform",)
    assert [panel.name for panel in small.only(("Uniform",)).panels] == ["low-rank", "decay"]
    assert small.only(("low-rank",)).methods == ("EtC", "UCB", "Uniform")
    assert len(small.only(("low-rank",)).panels) == 1


def test_only_with_an_unknown_name_names_the_nearest(small):
    with pytest.raises(InvalidArgument, match="no method or panel 'unifrm'; did you mean 'Uniform'"):
        small.only(("EtC", "unifrm"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number of at least 1; got 0"),
        ({"seeds": ()}, "at least one seed"),
        ({"seeds": (1, 1)}, "seeds of an experiment must differ"),
        ({"seeds": (-1,)}, "seeds must be a whole number of at least 0"),
        ({"panels": ()}, "at least one panel"),
        ({"columns": 0}, "columns must be"),
    ],
)
def test_an_impossible_experiment_cannot_be_built(small, change, message):
    with pytest.raises(InvalidArgument, match=message):
        replace(small, **change)


def test_two_panels_of_one_name_are_refused(small):
    with pytest.raises(InvalidArgument, match="panel names of an experiment must differ"):
        replace(small, panels=(small.panels[0], small.panels[0]))


def test_a_panel_without_methods_is_refused(small):
    with pytest.raises(InvalidArgument, match="at least one method"):
        kb.Panel("empty", small.panels[0].environment, {})
