"""The paper's eight methods by the paper's names."""

from __future__ import annotations

import tomllib

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
    return experiments.methods(table["methods"], {"n_explore": n_explore})
