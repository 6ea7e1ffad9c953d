"""The command `kernelbandits`. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from kernelbandits import __version__
from kernelbandits.errors import KernelBanditsError, visible

INTERRUPTED = 130

# By its name, the function of each command; its module has the same name, but for an underscore at the end.
_COMMANDS = {
    "backup": "backup",
    "budget": "budget",
    "completion": "completion",
    "diagnose": "diagnose",
    "evaluate": "evaluate",
    "fit": "fit",
    "inspect": "inspect_",
    "list": "list_",
    "log": "log",
    "make-stand-in": "make_stand_in",
    "reproduce": "reproduce",
    "run": "run",
    "score": "score",
    "serve": "serve",
}


class _Commands(click.Group):
    """The commands, each imported when it is called."""

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        return [*_COMMANDS]

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            # Of a name that is not known, click looks for the nearest among those that were added.
            for command in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
                function = _COMMANDS[command]
                self.add_command(getattr(import_module(f"kernelbandits.cli.{function.rstrip('_')}"), function))
        return self.commands.get(cmd_name)


_HELP = """Kernel bandits for hundreds of features and non-linear rewards.

\b
Start here:
  kernelbandits reproduce figure-1            the paper's Figure 1: under a minute on two cores
  kernelbandits reproduce figure-1 --seeds 2  a fifth of that
  kernelbandits reproduce table-1             the paper's study of ads: --data FILE, or a synthetic stand-in
  kernelbandits reproduce real-world          the paper's methods and linear baselines on real data
  kernelbandits reproduce theory              the paper's theory checked by experiment
  kernelbandits reproduce beyond              this library's own policies beside the paper's
  kernelbandits reproduce evaluation          off-policy evaluation against known truth
  kernelbandits list                          experiments and studies, and the names that your files may use
  kernelbandits run my-experiment.toml        an experiment of your own
  kernelbandits diagnose contexts.csv         whether the methods suit your data, and how long to explore
  kernelbandits fit log.parquet --help        a bandit from your own log, saved to one file
  kernelbandits score shop.kb table.parquet   its decisions for a table of any size
  kernelbandits serve shop.toml               decisions over HTTP, rewards back, a page to watch
  kernelbandits inspect shop.kb               what it has seen, and whether it is well
  kernelbandits evaluate log.parquet --help   what policies would have earned on a log, and how sure that is
  kernelbandits budget --help                 how long to explore, by the paper's formulas, from numbers alone
  kernelbandits completion --install          complete commands and names with Tab

A run can be stopped at any moment; the same command continues where it stopped.
Exit codes: 0 done, 1 failed, 2 wrong option, file or value, 130 interrupted.
"""

app = click.version_option(__version__, "--version", message="%(version)s")(
    _Commands(help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
)


def main(arguments: list[str] | None = None, command: click.Command = app) -> None:
    """Run a command; every expected error becomes one line on the error stream and an exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # ± on a terminal that has none
    try:
        code = command.main(args=given, prog_name="kernelbandits", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.ClickException as error:
        code = _fail(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort):
        code = _fail("interrupted; finished runs are kept, the same command goes on from there", INTERRUPTED)
    except KernelBanditsError as error:
        if "--debug" in given:
            raise
        code = _fail(str(error), 2 if isinstance(error, ValueError) else 1)
    except BrokenPipeError:  # nobody reads the output any more, as in `| head -1`
        code = 1
        _give_up_output()
    except OSError as error:
        if "--debug" in given:
            raise
        code = _fail(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), 1)
        _give_up_output()
    sys.exit(code or 0)


def _give_up_output() -> None:
    """Leave out what cannot be printed, which Python would try again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    click.echo("kernelbandits: " + visible(" ".join(message.split())), err=True)
    return code
