"""The paper's eight methods, and the studies that `kernelbandits reproduce` knows by name."""

import tomllib
from importlib import import_module
from typing import Any, NamedTuple

from kernelbandits import checks, experiments
from kernelbandits.policies import Policy


def methods(dim: int, n_explore: int | None = None) -> dict[str, Policy]:
    """The eight methods of Figure 1 for contexts of `dim` features and T₀ = `n_explore` exploration rounds in total.

    The default T₀ is the paper's, as many rounds as there are features. The specs are read from `figure-1.toml`.

    >>> list(methods(dim=100))[:2]
    ['EtC', 'EtC-Ridge']
    """
    checks.whole("dim", dim, at_least=1)
    n_explore = dim if n_explore is None else checks.whole("n_explore", n_explore, at_least=1)
    table = tomllib.loads(experiments.shipped()["figure-1"].read_text(encoding="utf-8"))
    table["panels"] = [table["panels"][0] | {"values": {"n_explore": n_explore}}]
    return dict(experiments.parse(table).panels[0].methods)


class Study(NamedTuple):
    """A study in a module of this package with a function `report(options, **own_options)`.

    `own_options` names the options of the command that only this study has; those given are passed on by name.
    """

    title: str
    module: str
    own_options: tuple[str, ...] = ()

    def report(self, options: experiments.RunOptions, **own: Any) -> None:
        """Load the study, run it and write its output folder."""
        import_module(f"kernelbandits.paper.{self.module}").report(options, **own)


STUDIES = {
    "beyond": Study(
        "The paper's eight and this library's own policies, on the paper's problems and beyond",
        "beyond",
        ("data", "data_dir"),
    ),
    "table-1": Study(
        "The paper's Table 1: ads of Avazu (with --data), or a synthetic stand-in",
        "table_1",
        ("data", "reading", "arms", "contexts", "dim", "level", "drop"),
    ),
    "evaluation": Study(
        "Off-policy evaluation against known truth: intervals and estimators (Open Bandit with --data-dir)",
        "evaluation",
        ("data_dir",),
    ),
    "theory": Study("The paper's theory against experiment: four pictures with their tables", "theory"),
    "real-world": Study(
        "The paper's methods and linear baselines on real data (digits; five more with --data-dir)",
        "real_world",
        ("data_dir",),
    ),
}
