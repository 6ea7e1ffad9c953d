"""Where results come from: enough to run them again."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kernelbandits.engines import Engine
from kernelbandits.experiments.fingerprints import own_code
from kernelbandits.experiments.grid import Experiment
from kernelbandits.experiments.store import replacing
from kernelbandits.specs import to_table
from kernelbandits.version import __version__

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars", "joblib")


def provenance(experiment: Experiment, seconds: float, engine: Engine) -> dict[str, Any]:
    """Spec, versions, seeds and time of a run."""
    return {
        "experiment": {
            "name": experiment.name,
            "title": experiment.title,
            "horizon": experiment.horizon,
            "panels": [
                {
                    "name": panel.name,
                    "environment": to_table(panel.environment),
                    "methods": to_table(panel.methods),
                    "mark": panel.mark,
                }
                for panel in experiment.panels
            ],
        },
        "seeds": list(experiment.seeds),
    } | circumstances(seconds, engine)


def circumstances(seconds: float, engine: Engine) -> dict[str, Any]:
    """Versions, code, machine and time of a run."""
    return {
        "versions": {"kernelbandits": __version__, "python": platform.python_version()}
        | {name: version(name) for name in _LIBRARIES},
        "code": own_code(),
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "engine": repr(engine),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
    }


def write_provenance(path: Path, record: dict[str, Any]) -> Path:
    """Write the record as JSON, whole or not at all."""
    with replacing(path) as part:
        part.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
