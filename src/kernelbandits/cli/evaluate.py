"""The command `evaluate`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import FOLDER, debug_option, json_option


@click.command()
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    required=True,
    metavar="WHAT",
    help="uniform, always:ARM, a saved bandit FILE.kb, or a policy to learn from the log: FILE.toml or its name. "
    "Can be repeated.",
)
@click.option("--replay", multiple=True, metavar="POLICY", help="A policy to replay as it would learn live.")
@click.option("--arm-column", default="arm", show_default=True, metavar="NAME", help="The arm that was played.")
@click.option("--reward-column", default="reward", show_default=True, metavar="NAME", help="Its reward, a number.")
@click.option(
    "--propensity-column",
    default="propensity",
    show_default=True,
    metavar="NAME",
    help="The probability with which it was played.",
)
@click.option("--time-column", default="time", show_default=True, metavar="NAME", help="When; used if it is there.")
@click.option("--estimate-propensities", is_flag=True, help="From the features: for logs that have no propensities.")
@click.option("--arm", "arms", multiple=True, metavar="NAME", help="An arm; can be repeated. Default: those in LOG.")
@click.option("--columns", metavar="A,B,…", default="", help="Columns to use as features. Default: all others.")
@click.option("--drop", multiple=True, metavar="NAME", help="Column to leave out; can be repeated.")
@click.option("--bounds", type=float, nargs=2, metavar="LOW HIGH", help="Smallest and largest possible reward.")
@click.option("--default-reward", type=float, metavar="X", help="For rows without a reward. Default: they are refused.")
@click.option(
    "--learned/--fixed",
    default=None,
    help="Whether the policy that wrote LOG learned meanwhile. Default: as the propensities show.",
)
@click.option("--model/--no-model", default=True, help="Whether to predict rewards by ridge regression. Default: yes.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of intervals.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of policies that learn.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write evaluation.png, .svg and .json there.")
@click.option("--report", is_flag=True, help="Write report.html as well: one page that needs no network.")
@json_option
@debug_option
def evaluate(
    log: Path,
    candidates: tuple[str, ...],
    replay: tuple[str, ...],
    arm_column: str,
    reward_column: str,
    propensity_column: str,
    time_column: str,
    estimate_propensities: bool,
    arms: tuple[str, ...],
    columns: str,
    drop: tuple[str, ...],
    bounds: tuple[float, float] | None,
    default_reward: float | None,
    learned: bool | None,
    model: bool,
    level: float,
    seed: int,
    out: Path | None,
    report: bool,
    as_json: bool,
    debug: bool,
) -> None:
    """Estimate what candidates would have earned on a log, how sure that is, and whether the log can tell.

    LOG is .csv, .csv.gz, .parquet or .npz with one decision per row, of any size. An export of the decision service
    needs no options but candidates.

    \b
    Examples:
      kernelbandits evaluate log.parquet --candidate uniform --candidate always:10pct
      kernelbandits evaluate log.parquet --candidate shop.kb --candidate LinearUCB --report
    """
    from kernelbandits.bandit import policy_from
    from kernelbandits.offline import LinearRewards, LogColumns, candidates_from, evaluate_file, write_evaluation
    from kernelbandits.reporting import print_json
    from kernelbandits.tables import Encoding

    propensity = "" if estimate_propensities else propensity_column
    evaluation = evaluate_file(
        log,
        candidates_from(candidates),
        LogColumns(arm_column, reward_column, propensity, time_column, default_reward=default_reward),
        Encoding(columns=tuple(name.strip() for name in columns.split(",") if name.strip()), drop=drop),
        arms,
        learned=learned,
        bounds=bounds or None,
        replays={text: policy_from(text) for text in replay},
        model=LinearRewards() if model else None,
        level=level,
        rng=seed,
    )
    folder = out or (Path("results/evaluate") if report else None)
    written = [] if folder is None else write_evaluation(evaluation, folder, with_page=report)
    if as_json:
        print_json(evaluation.to_dict())
    else:
        evaluation.document().show(*(f"Wrote {path}" for path in written))
