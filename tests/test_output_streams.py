"""Output that nobody reads, that cannot be written, or in another encoding: no traceback."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from command import BUDGET, COMMAND, run


def test_a_reader_that_leaves_early_is_no_error_to_talk_about():
    with subprocess.Popen([*COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "kernelbandits: No space left on device\n")


def test_a_terminal_without_greek_letters_gets_what_it_can_show():
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, *BUDGET], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(run(*BUDGET, "--json").stdout.encode("ascii"))
