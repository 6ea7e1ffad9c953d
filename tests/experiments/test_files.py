from pathlib import Path

import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidFile
from kernelbandits.experiments import shipped
from small import TOML


def test_figure_1_is_the_papers_grid():
    experiment = kb.load_experiment("figure-1")
    assert len(list(experiment.cells())) == 480
    assert experiment.horizon == 2000
    assert experiment.seeds == tuple(range(10))
    sizes = [(type(p.environment.covariance).__name__, p.environment.dim, p.mark) for p in experiment.panels]
    designs = ["LowRank", "ApproximateLowRank", "SpectralDecay"]
    assert sizes == [(design, d, d) for d in (100, 200) for design in designs]
    for panel in experiment.panels:
        assert panel.environment == kb.Synthetic(panel.environment.covariance, 20, panel.environment.dim)
        assert panel.methods == kb.paper.methods(panel.environment.dim, panel.mark)


def test_figure_2_is_the_papers_ablation():
    experiment = kb.load_experiment("figure-2")
    assert [panel.environment.covariance.n_active for panel in experiment.panels] == [1, 3, 10, 20]
    ridgeless = {name: spec for name, spec in kb.paper.methods(100).items() if name in experiment.methods}
    assert {**ridgeless, "Uniform": kb.Uniform()} == experiment.panels[0].methods
    assert list(ridgeless) == ["EtC", "EtC-Linear", "CGP-UCB-Ridgeless", "CGP-UCB-Scaled-Ridgeless"]


def test_the_papers_methods_are_as_the_paper_defines_them():
    gaussian, linear = kb.Gaussian(gamma=4.0), kb.Linear()
    interpolate, ridge, given = kb.MinNormInterpolator, kb.KernelRidge, kb.AsGiven()
    assert kb.paper.methods(200, n_explore=50) == {
        "EtC": kb.ExploreThenCommit(interpolate(gaussian), 50, given),
        "EtC-Ridge": kb.ExploreThenCommit(ridge(gaussian, 1.0), 50, given),
        "EtC-Linear": kb.ExploreThenCommit(interpolate(linear), 50, given),
        "EtC-Linear-Ridge": kb.ExploreThenCommit(ridge(linear, 1.0), 50, given),
        "CGP-UCB": kb.GPUCB(kb.GaussianProcess(gaussian, 1.0), kb.TheoreticalWidth(0.1), given),
        "CGP-UCB-Ridgeless": kb.GPUCB(kb.GaussianProcess(gaussian, 1e-8), kb.TheoreticalWidth(0.1), given),
        "CGP-UCB-Scaled": kb.GPUCB(kb.GaussianProcess(gaussian, 1.0), kb.TheoreticalWidth(0.1, 0.1), given),
        "CGP-UCB-Scaled-Ridgeless": kb.GPUCB(
            kb.GaussianProcess(gaussian, 1e-8), kb.TheoreticalWidth(0.1, 0.1), kb.AsGiven()
        ),
    }
    assert kb.paper.methods(200)["EtC"].n_explore == 200


def test_a_copied_file_is_the_same_experiment(tmp_path):
    for name, path in shipped().items():
        copy = tmp_path / "copy.toml"
        copy.write_bytes(path.read_bytes())
        assert kb.load_experiment(copy) == kb.load_experiment(name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("horizon = 120", "horzon = 120", "unknown key 'horzon'; did you mean 'horizon'"),
        ("horizon = 120", "", "`horizon` is missing"),
        ("horizon = 120", 'horizon = "long"', "horizon must be a whole number of at least 1; got 'long'"),
        ("horizon = 120", "horizon = 0", "horizon must be a whole number of at least 1; got 0"),
        ("seeds = 3", "seeds = 99999999999999999999", "whole numbers of TOML have at most 64 bits"),
        ("seeds = 3", "seeds = 1000000000000", "a grid with 1,000,000,000,000 seeds needs 36 TB of memory"),
        ("seeds = 3", f"seeds = {'9' * 5000}", "not valid TOML: Exceeds the limit"),
        ("seeds = 3", f"seeds = 0x{'f' * 5000}", "at most 64 bits; got a very large int"),
        ("seeds = 3", f"seeds = {'[' * 3000}", "tables or lists are nested too deeply"),
        ("seeds = 3", f"seeds.{'a.' * 3000}b = 1", "seeds must be a whole number of at least 0; got a very large dict"),
        ("seeds = 3", f"seeds = '{'long' * 9**6}'", "seeds must be a whole number of at least 0; got 'longlong"),
        ("columns = 2", "look_order = 3", "look_order: expected a list of names of methods; got 3"),
        ("seeds = 3", "seeds = 0", "at least one seed"),
        ("seeds = 3", "seeds = [1, 1]", "seeds of an experiment must differ"),
        ("gamma = 4.0", "gama = 4.0", "Gaussian has no key 'gama'; did you mean 'gamma'"),
        ("gamma = 4.0", "gamma = -4.0", "gamma must be a number above 0; got -4.0"),
        ("gamma = 4.0", 'gamma = "wide"', "gamma must be a number above 0; got 'wide'"),
        ("gamma = 4.0", "gamma = true", "gamma must be a number above 0; got True"),
        ("gamma = 4.0", "gamma = nan", "gamma must be a number above 0, and finite; got nan"),
        ('"Gaussian"', '"Gausian"', "no Kernel is called 'Gausian'; did you mean 'Gaussian'"),
        ('type = "Gaussian"', 'type = "LowRank"', "LowRank is not a Kernel"),
        ('type = "GPUCB"', "", "`type` is missing; it names a Policy"),
        ("ridge = 1.0", "ridge = -1.0", "ridge must be a number above 0; got -1.0"),
        ('n_explore = "$n_explore"', 'n_explore = "$n_exlore"', "no 'n_exlore'; did you mean 'n_explore'"),
        ('n_explore = "$n_explore"', "", "ExploreThenCommit needs n_explore"),
        ("values =", "value =", "unknown key 'value'; did you mean 'values'"),
        ('name = "decay"', 'name = "low-rank"', "panel names of an experiment must differ"),
        ("[[panels]]", "[[panels", "not valid TOML"),
        ("n_arms = 4", "n_arms = 0", "n_arms must be a whole number of at least 1; got 0"),
        ("n_arms = 4", "n_arms = 4.5", "n_arms must be a whole number of at least 1; got 4.5"),
        (
            'type = "Uniform"',
            'type = "nowhere:Mine"',
            "cannot import module 'nowhere': it is neither installed nor beside",
        ),
        ('type = "Uniform"', 'type = ":x"', "'' is not the name of a module; expected module:Class"),
        ('type = "Uniform"', 'type = "..json:dumps"', "'..json' is not the name of a module"),
        ('type = "Uniform"', 'type = "json:dumps"', "json:dumps is not a Policy"),
        ('type = "Uniform"', 'type = "json:dunps"', "module 'json' has no 'dunps'; did you mean 'dumps'"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_remedy(tmp_path, old, new, message):
    path = tmp_path / "mine.toml"
    path.write_text(TOML.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidFile) as caught:
        kb.load_experiment(path)
    assert str(caught.value).startswith("mine.toml: ")
    assert message in str(caught.value)


def test_a_missing_file_is_named():
    with pytest.raises(
        InvalidFile, match=r"no such experiment file: nowhere.toml; give a .toml file or a name \(figure-1, figure-2\)"
    ):
        kb.load_experiment(Path("nowhere.toml"))
