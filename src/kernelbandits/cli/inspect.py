"""The command `inspect`."""

from __future__ import annotations

from pathlib import Path

import click

from kernelbandits.cli.options import BUNDLE, debug_option, json_option


@click.command(name="inspect")
@click.argument("bundle", type=BUNDLE, metavar="FILE.kb")
@json_option
@debug_option
def inspect_(bundle: Path, as_json: bool, debug: bool) -> None:
    """Show what a saved bandit is and has seen: rewards per arm, decisions awaiting theirs, health, calibration."""
    from kernelbandits.bandit import load_bandit
    from kernelbandits.reporting import print_json

    summary = load_bandit(bundle).summary()
    if as_json:
        print_json({"file": str(bundle), **summary.to_dict()})
    else:
        click.echo(str(summary))
