"""A log in a file, as a spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidFile
from kernelbandits.offline.log import Log
from kernelbandits.offline.log_columns import LogColumns
from kernelbandits.offline.log_tables import read_log
from kernelbandits.specs import Count, FilePath, Spec
from kernelbandits.tables import Encoding, TableEncoding


@final
@dataclass(frozen=True, slots=True)
class LogFile(Spec):
    r"""A log in a file: `LogFile("log.csv", propensity="chance").read()`.

    Attributes:
        path: a .csv, .csv.gz or .parquet file.
        arm: column of the arm that was played.
        reward: column of the reward that it gave, a number.
        propensity: column of the probability with which it was played; 1/K in every row if arms were drawn uniformly.
            With "" it is estimated from the features, which is right only if they explain how arms were chosen.
        encoding: how the other columns become the context.
        min_rows: refuse a log in which an arm has fewer rows.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = path.write_text("age,arm,reward,propensity\n" + "".join(f"{i},{i % 2},1,0.5\n" for i in range(40)))
    >>> log = LogFile(path).read()
    >>> log.names, log.contexts.shape
    (('0', '1'), (40, 1))

    See also `read_log`, `LogColumns`, `replay_log`, `ReplayedLog`.
    """

    path: FilePath
    arm: str = "arm"
    reward: str = "reward"
    propensity: str = "propensity"
    encoding: TableEncoding = Encoding()
    min_rows: Count = 1

    def _validate(self) -> None:
        LogColumns(self.arm, self.reward, self.propensity)

    def read(self) -> Log:
        """Read the log and encode its contexts. The arms are those that were played, in sorted order."""
        log = read_log(self.path, LogColumns(self.arm, self.reward, self.propensity), self.encoding)
        counts = np.bincount(log.arms, minlength=log.n_arms)
        if counts.min() < self.min_rows:
            arm = int(counts.argmin())
            raise InvalidFile(
                f"arm {log.name(arm)!r} has {counts[arm]} rows, fewer than min_rows={self.min_rows}; leave it out"
            )
        return log
