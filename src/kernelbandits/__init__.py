"""Contextual bandits for hundreds of features and non-linear rewards.

Every layer is a frozen spec with one verb: `kernel(X, Z)`, `estimator.fit(X, y)`, `environment.draw(rng)`,
`policy.start(problem, rng)`, `play(policy, instance, horizon, rng)`, `run(experiment, …)`. Only an agent changes.

What is exported, and from where, stands in `__init__.pyi`; a module is loaded when one of its names is first used.
"""

from typing import Any

import lazy_loader

from kernelbandits.errors import nearest

__version__ = "0.2.0"

exported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # asked for by tools, thousands of times, to see whether it is there
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; {nearest(name, __all__)}")
    return exported(name)
