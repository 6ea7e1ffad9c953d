"""The cluster page: its files can be read, its options exist. The clusters themselves are not here to be tried."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "run-on-a-cluster.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^cat > (\S+) <<'END'\n(.*?)^END$", PAGE, flags=re.MULTILINE | re.DOTALL))


def test_the_manifest_is_consistent():
    scheduler, service, workers = yaml.safe_load_all(FILES["kernelbandits.yaml"])
    port = service["spec"]["ports"][0]["port"]
    (container,) = workers["spec"]["template"]["spec"]["containers"]
    assert f"tcp://{service['metadata']['name']}:{port}" in container["args"]
    assert service["spec"]["selector"] == scheduler["spec"]["template"]["metadata"]["labels"]
    for deployment in (scheduler, workers):
        assert deployment["spec"]["selector"]["matchLabels"] == deployment["spec"]["template"]["metadata"]["labels"]
        assert container["image"] == deployment["spec"]["template"]["spec"]["containers"][0]["image"]
        assert container["image"] in PAGE.split("docker push ")[1].splitlines()[0]


def test_the_slurm_script_is_python():
    assert any(isinstance(node, ast.With) for node in ast.walk(ast.parse(FILES["on_slurm.py"])))


@pytest.mark.parametrize("command", ["scheduler", "worker", "ssh"])
def test_the_options_of_dask_exist(command):
    text = PAGE.replace('", "', " ").replace(", ", " ")
    used = {option for line in re.findall(rf"dask {command} (.*)", text) for option in re.findall(r"--[a-z-]+", line)}
    module = f"distributed.cli.dask_{command}"
    shown = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True).stdout
    assert used
    assert [option for option in sorted(used) if option not in shown] == []
