"""`antiphon audit`: refuted with status 1 and a view that replays, or not refuted."""

import json
import textwrap

import pytest

from antiphon.cli import main

CODE = textwrap.dedent(
    """
    from fractions import Fraction
    import antiphon as ap
    from antiphon.audit import CounterexampleAdversary, counterexample_game
    from antiphon.mechanisms import RandomizedResponse

    game = counterexample_game(Fraction(1, 10))
    breaker = CounterexampleAdversary(delta=Fraction(1, 10), copies=5)
    response = RandomizedResponse(epsilon=ap.Log(3))
    asker = ap.scripted([ap.Pair(0, 1)])
    print("noise on standard output")
    """
)


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "system.py"
    path.write_text(CODE)
    return path


def test_a_false_claim_is_refuted_and_its_view_replays(code, tmp_path, capsys):
    saved = tmp_path / "view.jsonl"
    arguments = ["audit", f"{code}:game", "--adversary", "breaker", "--epsilon", "0"]
    arguments += ["--delta", "0.1", "--seed", "1", "--save", str(saved)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "refuted" in out
    assert "noise" not in out
    assert main(["replay", str(saved)]) == 0


def test_a_true_claim_is_not(code, capsys):
    arguments = ["audit", f"{code}:response", "--adversary", "asker", "--epsilon", "1.0987"]
    assert main([*arguments, "--seed", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "not refuted"
    assert 1 < data["epsilon_lower"] < 1.0987
    assert main([*arguments[:-1], "1", "--seed", "1"]) == 1


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("{code}", []),
        ("{code}:nothing", []),
        ("nowhere.py:game", []),
        ("{code}:game", ["--adversary", "game"]),
        ("{code}:game", ["--samples", "10"]),
        ("{code}:game", ["--confidence", "1"]),
        ("{code}:game", ["--delta", "1"]),
        ("{code}:game", ["--epsilon", "nan"]),
        ("{code}:game", ["--epsilon", "-1"]),
    ],
)
def test_bad_input_is_one_line_and_status_2(code, capsys, target, options):
    given = {"--adversary": "breaker", "--epsilon": "0"} | dict(
        zip(options[::2], options[1::2], strict=True)
    )
    arguments = [word for pair in given.items() for word in pair]
    assert main(["audit", target.format(code=code), *arguments]) == 2
    err = capsys.readouterr().err.replace("noise on standard output\n", "")
    assert err.startswith("antiphon: ")
    assert err.count("\n") == 1
