"""The samples of the Open Bandit Dataset: a log by Thompson sampling, and what uniform choices earned meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.offline import LogColumns, UniformArms, evaluate, read_log
from kernelbandits.paper.evaluation.kept import Rows, kept
from kernelbandits.paper.parts import StudyPart, by
from kernelbandits.reporting import Axis, Chart, Charts, Line, Mark, Points, Remark, Rule, look

CAMPAIGNS = ("men", "women")
_COLUMNS = LogColumns("item_id", "click", "propensity_score", time="timestamp")
_NAMES = ("campaign", "estimator", "value", "low", "high", "truth", "truth_low", "truth_high", "effective", "verdict")


def valued(folder: str, campaign: str) -> Rows:
    """All estimates of uniform choices from a campaign's log by Thompson sampling, and what uniform choices earned."""
    uniform = {"uniform": UniformArms()}
    truth = evaluate(read_log(Path(folder, f"obd_random_{campaign}.csv.gz"), _COLUMNS), uniform, others=())
    found = evaluate(read_log(Path(folder, f"obd_bts_{campaign}.csv.gz"), _COLUMNS), uniform)["uniform"]
    known: dict[str, Any] = {
        "campaign": campaign,
        "truth": truth.logged,
        "truth_low": truth.logged_interval.low,
        "truth_high": truth.logged_interval.high,
        "effective": found.overlap.effective_size,
        "verdict": found.verdict.words,
    }
    estimates: list[dict[str, Any]] = [
        {"estimator": each.estimator, "value": each.value, "low": each.interval.low, "high": each.interval.high}
        for each in found.estimates
    ]
    refused = {"estimator": "refused", "value": None, "low": None, "high": None}
    return [known | each for each in estimates or [refused]]


@final
@dataclass(frozen=True, slots=True)
class OpenBandit(StudyPart):
    """What would uniform choices have earned? The data set has a second log by which that is known."""

    name: ClassVar[str] = "open-bandit"
    heading: ClassVar[str] = "Uniform choices, from 10,000 rows by Thompson sampling of the Open Bandit Dataset"
    folder: str = ""

    def rows(self, runner: Runner) -> pl.DataFrame:
        return kept(runner, self.name, valued, [(self.folder, campaign) for campaign in CAMPAIGNS]).select(_NAMES)

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.drop("verdict")

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for campaign, own in by(rows, "campaign"):
            refused = own["value"].null_count() > 0
            truth = 1000.0 * own["truth"][0]
            marks: list[Mark] = [Rule(truth, "x", "earned by uniform choices")]
            if refused:
                marks.append(Remark(f"{own['effective'][0]:.1f} effective rows", 0.05, 0.0))
            else:
                for place, row in enumerate(own.iter_rows(named=True)):
                    marks.append(Line([1000.0 * row["low"], 1000.0 * row["high"]], [place, place], look(0)))
                marks.append(Points(1000.0 * own["value"], range(own.height), look(0), "estimate"))
            clicks = Axis("clicks per 1,000 rows", low=0.0, high=2.0 * truth if refused else None)
            rows_of_chart = Axis(names=own["estimator"].to_list(), low=-0.5, high=own.height - 0.5)
            charts.append(Chart(campaign, marks, clicks, rows_of_chart))
        return Charts(charts, 2, height=4.2, legend="outside upper center")

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for campaign, own in by(rows, "campaign"):
            first = own.row(0, named=True)
            told = first["verdict"]
            if first["value"] is not None:
                told = f"{first['value']:.4f}, {first['low']:.4f} to {first['high']:.4f} ({first['estimator']})"
            earned = f"{first['truth']:.4f}, {first['truth_low']:.4f} to {first['truth_high']:.4f}"
            yield f"{campaign}: {told}; uniform choices earned {earned}"

    def missing(self) -> str:
        """What stands in the way; empty if nothing does."""
        if not self.folder:
            return "give the folder with the Open Bandit samples by --data-dir"
        files = [f"obd_{writer}_{campaign}.csv.gz" for campaign in CAMPAIGNS for writer in ("bts", "random")]
        absent = [file for file in files if not (Path(self.folder) / file).is_file()]
        return f"no file {absent[0]} in {Path(self.folder).name}" if absent else ""
