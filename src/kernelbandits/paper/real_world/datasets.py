"""The data sets of the study: which file holds each, and how its columns become contexts and classes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits.environments import Classification
from kernelbandits.reporting.files import replacing
from kernelbandits.tables import CommonUnit, Encoding

_ONE_UNIT = Encoding(scaling=CommonUnit())
_REDUCED = Encoding(scaling=CommonUnit(), dim=100)


@final
@dataclass(frozen=True, slots=True)
class DataSet:
    """A table with classes. The file may lie in the user's folder; the fields are those of `Classification`."""

    name: str
    file: str
    label: str = "y"
    cuts: tuple[float, ...] = ()
    encoding: Encoding = Encoding()

    def environment(self, folder: Path) -> Classification:
        """The bandit, with the file in this folder."""
        return Classification(str(folder / self.file), self.label, self.cuts, self.encoding)


DIGITS = DataSet("digits", "digits.npz", encoding=_ONE_UNIT)

FROM_FOLDER = (
    DataSet("MNIST", "mnist_t10k.npz", encoding=_REDUCED),
    DataSet("ISOLET", "isolet1.npz", encoding=_REDUCED),
    DataSet("mushroom", "mushroom.csv.gz", label="class"),
    DataSet("adult", "adult_train.csv.gz", label="income"),
    DataSet(
        "warfarin",
        "warfarin_iwpc.csv.gz",
        label="Therapeutic Dose of Warfarin",
        cuts=(21.0, 49.001),  # mg a week: below 21, 21 to 49, above 49
        encoding=Encoding(
            categorical=("Indication for Warfarin Treatment",),
            drop=(
                # Known only once the dose is found.
                "INR on Reported Therapeutic Dose of Warfarin",
                "Subject Reached Stable Dose of Warfarin",
                # Free text; what matters of it has columns of its own.
                "Comorbidities",
                "Medications",
            ),
        ),
    ),
)


def n_digits() -> int:
    """Number of the digits that come with scikit-learn, images of 8 × 8 pixels."""
    from sklearn.datasets import load_digits

    return len(load_digits().target)


def write_digits(folder: Path) -> None:
    """The digits as a file in the output folder, the same bytes every time."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / DIGITS.file) as part, part.open("wb") as file:
        np.savez_compressed(file, X=digits.data.astype(np.uint8), y=digits.target.astype(np.uint8))
