"""The data sets of the study real-world: their files, how columns become contexts and classes, which are there."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from kernelbandits.environments import Classification
from kernelbandits.errors import InvalidArgument
from kernelbandits.reporting import replacing
from kernelbandits.tables import CommonUnit, Encoding
from kernelbandits.types import Array, IntArray

_REDUCED = Encoding(scaling=CommonUnit(), dim=100)


class DataSet(NamedTuple):
    """A table with classes; the fields are those of `Classification`."""

    name: str
    file: str
    label: str = "y"
    cuts: tuple[float, ...] = ()
    encoding: Encoding = Encoding()

    def environment(self, folder: Path) -> Classification:
        """The bandit, with the file in this folder."""
        return Classification(str(folder / self.file), self.label, self.cuts, self.encoding)


DIGITS = DataSet("digits", "digits.npz", encoding=Encoding(scaling=CommonUnit()))

FROM_FOLDER = (
    DataSet("MNIST", "mnist_t10k.npz", encoding=_REDUCED),
    DataSet("ISOLET", "isolet1.npz", encoding=_REDUCED),
    DataSet("mushroom", "mushroom.csv.gz", label="class"),
    DataSet("adult", "adult_train.csv.gz", label="income"),
    DataSet(
        "warfarin",
        "warfarin_iwpc.csv.gz",
        label="Therapeutic Dose of Warfarin",
        cuts=(21.0, 49.001),  # mg per week: below 21, 21 to 49, above 49
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

NAMES = tuple(data.name for data in (DIGITS, *FROM_FOLDER))


def find(
    data_dir: Path | None, folder: Path, only: tuple[str, ...], horizon: int
) -> tuple[dict[str, Classification], list[str]]:
    """The data sets named in `only`, or all, with a row for every round and a round for every arm; notes on the others.

    One that was named must be there. The digits are written to the output `folder`, when nothing was refused.
    """
    named = {name.casefold() for name in only} & {name.casefold() for name in NAMES}
    wanted = [data for data in (DIGITS, *FROM_FOLDER) if not named or data.name.casefold() in named]
    usable: list[DataSet] = []
    left_out: dict[str, list[str]] = {}
    for data in wanted:
        if reason := _obstacle(data, data_dir, horizon):
            left_out.setdefault(reason, []).append(data.name)
        else:
            usable.append(data)
    notes = [f"Left out: {', '.join(names)} ({reason})" for reason, names in left_out.items()]
    if notes and (named or not usable):
        raise InvalidArgument("; ".join(notes))
    if DIGITS in usable:
        write_digits(folder)
    return {data.name: data.environment(folder if data is DIGITS else data_dir or folder) for data in usable}, notes


def digits_points() -> tuple[Array, IntArray]:
    """Scikit-learn's digits: pixels as numbers from 0 to 1, shape (1797, 64), and their classes."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return digits.data / 16.0, digits.target.astype(np.int64)


def write_digits(folder: Path) -> None:
    """Write scikit-learn's digits, images of 8 × 8 pixels, to the output folder: the same bytes every time."""
    pixels, classes = digits_points()
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / DIGITS.file) as part, part.open("wb") as file:
        np.savez_compressed(file, X=(16.0 * pixels).astype(np.uint8), y=classes.astype(np.uint8))


def _obstacle(data: DataSet, data_dir: Path | None, horizon: int) -> str | None:
    """Why this data set cannot be played, None if it can."""
    if data is DIGITS:
        n_rows, n_arms = 1797, 10
    elif data_dir is None:
        return "give the folder with their files by --data-dir"
    elif not (data_dir / data.file).is_file():
        return f"no file {data.file} in {data_dir.name}"
    else:
        points = data.environment(data_dir).data()
        n_rows, n_arms = len(points.codes), len(points.names)
    if n_arms > horizon:
        return f"{horizon:,} rounds are too few for {n_arms} arms"
    return f"{n_rows:,} rows are too few for {horizon:,} rounds" if n_rows < horizon else None
