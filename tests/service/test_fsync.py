"""An answer leaves after its event is on disk: seen by strace, for rank and for reward."""

import re
import shutil
import subprocess

import pytest
from serving import wait_for


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed (Debian: apt-get install strace)")
def test_fsync_comes_before_the_answer(service, tmp_path):
    [web] = service.processes()["web"]
    output = tmp_path / "strace.txt"
    calls = "trace=fsync,fdatasync,pwrite64,write,sendto,sendmsg,writev,recvfrom,read"
    tracer = subprocess.Popen(
        ["strace", "-f", "-y", "-s", "64", "-p", str(web), "-e", calls, "-o", str(output)], stderr=subprocess.PIPE
    )
    try:
        line = tracer.stderr.readline().decode()
        if "attached" not in line:
            pytest.skip(f"strace may not attach here: {line}")
        for number in range(5):
            service.rank(event_id=f"traced-{number}")
            service.reward(f"traced-{number}", 1.0)
        wait_for(lambda: output.read_text(errors="replace").count("HTTP/1.1 200") >= 10, "the trace")
    finally:
        tracer.terminate()
        tracer.communicate()
    lines = output.read_text(errors="replace").splitlines()
    asked = [i for i, line in enumerate(lines) if re.search(r'"POST /(rank|events/traced)', line)]
    assert len(asked) == 10
    for start in asked:
        answer = next(i for i in range(start, len(lines)) if "HTTP/1.1 200" in lines[i])
        between = lines[start:answer]
        written = [i for i, line in enumerate(between) if "pwrite64" in line and "shop.db-wal" in line]
        synced = [i for i, line in enumerate(between) if re.search(r"f(data)?sync\(.*shop\.db-wal", line)]
        assert written, between
        assert synced, between
        assert synced[-1] > written[-1], "nothing is written to the log after the last fsync before the answer"
