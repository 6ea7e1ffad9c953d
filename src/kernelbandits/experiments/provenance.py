"""Where results come from: enough to run them again."""

from __future__ import annotations

import json
import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from kernelbandits import __version__
from kernelbandits.experiments.engines import Engine
from kernelbandits.experiments.fingerprints import files_in, own_code
from kernelbandits.experiments.grid import Experiment
from kernelbandits.reporting.files import replacing
from kernelbandits.specs import to_table

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars", "joblib")


Notes: TypeAlias = dict[str, list[str]]
"""What the environments have to say, by panel; panels with nothing to say are left out."""


def notes_on(experiment: Experiment) -> Notes:
    """The notes of all panels; raises if an environment cannot serve the experiment."""
    said = {panel.name: list(panel.environment.notes(experiment.horizon)) for panel in experiment.panels}
    return {name: lines for name, lines in said.items() if lines}


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
        "notes": notes_on(experiment),
        "files": _files_of(experiment),
        "seeds": list(experiment.seeds),
    } | circumstances(seconds, engine)


def _files_of(experiment: Experiment) -> dict[str, str]:
    """The data files in the specs, each with the digest of its content."""
    return files_in([[panel.environment, panel.methods] for panel in experiment.panels])


def circumstances(seconds: float, engine: Engine) -> dict[str, Any]:
    """Command, time, versions, code and machine of a run."""
    return {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "engine": repr(engine),
        "versions": {"kernelbandits": __version__, "python": platform.python_version()}
        | {name: version(name) for name in _LIBRARIES},
        "code": own_code(),
        "machine": {"system": platform.system(), "processor": platform.machine()},
    }


def write_provenance(path: Path, record: dict[str, Any]) -> Path:
    """Write the record as JSON, whole or not at all."""
    with replacing(path) as part:
        part.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
