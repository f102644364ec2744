"""``antiphon check``: findings with their line, and the exit status."""

import json

import pytest

from antiphon.cli import main

CODE = """
import random

import antiphon as ap

@ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers(), initial_state=0)
def lazy(state, bit, coins):
    return state, bit + random.randrange(10)

rr = ap.mechanisms.RandomizedResponse(epsilon=1)
echo = ap.protocol.IdentityPostProcessor()
some = [0, 1]
"""


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "system.py"
    path.write_text(CODE)
    return path


def test_a_planted_fault_is_named_with_its_line(code, capsys):
    assert main(["check", f"{code}:lazy"]) == 1
    out = capsys.readouterr().out
    assert "randomness: a step draws from Python's global generator" in out
    line = CODE.splitlines().index("@ap.mechanism(queries=ap.spaces.BITS, answers="
                                   "ap.spaces.Integers(), initial_state=0)") + 1  # fmt: skip
    assert f"at {code}:{line}" in out
    assert "mend: draw from coins" in out


def test_json_and_status(code, capsys):
    assert main(["check", f"{code}:lazy", "--json", "--seed", "1", "--only", "randomness"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["part"] == "lazy"
    assert [each["check"] for each in data["findings"]] == ["randomness"]
    assert main(["check", f"{code}:rr", "--messages", "some", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []
    assert main(["check", f"{code}:echo", "--right", "rr"]) == 0
    assert "no findings" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["{}:nobody"], ["{}:some"], ["{}:echo"], ["{}"], ["{}:rr", "--messages", "no"]]
)
def test_bad_input_is_one_line_and_status_2(code, capsys, arguments):
    assert main(["check", *[each.format(code) for each in arguments]]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_it_is_named_in_the_help(capsys):
    assert main(["--help"]) == 0
    assert "check" in capsys.readouterr().out
