"""`antiphon certify`: a certificate is written, checked, and held against a game."""

import json
import textwrap

import pytest

CODE = textwrap.dedent(
    """
    import antiphon as ap
    from antiphon.composition import fixed_mechanisms
    from antiphon.mechanisms import RandomizedResponse

    def of(*ratios):
        parts = [RandomizedResponse(epsilon=ap.Log(q)) for q in ratios]
        return ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(parts))

    game, other, question = of(2, 3), of(2, 4), of(2, 3).question()
    number = 7
    """
)


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "games.py"
    path.write_text(CODE)
    return path


def test_it_writes_and_checks(cli, code, tmp_path):
    path = tmp_path / "found.jsonl"
    write = ("certify", f"{code}:game", "--epsilon", "ln 2", "--epsilon", "0", "--rounds", "4")
    told = "checked, against 4 messages, in the game of its tables: "
    told += "δ = 1/3 at e^ε = 2; δ = 1/2 at e^ε = 1"
    assert cli(*write, "--save", str(path)) == (0, f"{told}\n", "")
    assert cli("certify", str(path)) == (0, f"{told}\n", "")
    status, out, _ = cli("certify", str(path), "--against", f"{code}:question", "--json")
    assert (status, json.loads(out)["holds"]) == (0, True)
    status, out, _ = cli("certify", str(path), "--against", f"{code}:other")
    assert status == 1
    assert "another game" in out
    status, _, err = cli(*write, "--save", str(path))
    assert status == 2
    assert "--force" in err
    path.write_text(path.read_text().replace("[1,3]]", "[1,4]]"))
    status, out, _ = cli("certify", str(path))
    assert status == 1
    assert "does not hold" in out


def test_an_epsilon(cli, code, tmp_path):
    path = tmp_path / "found.jsonl"
    status, out, _ = cli(
        "certify", f"{code}:game", "--delta", "0", "--rounds", "4", "--save", str(path)
    )
    assert status == 0
    assert "e^ε = 6 is the least with δ <= 0" in out


def test_a_moment(cli, code, tmp_path):
    path = tmp_path / "found.jsonl"
    order = ("--order", "2", "--rounds", "4", "--save", str(path))
    status, out, _ = cli("certify", f"{code}:game", *order)
    assert status == 0
    assert out.endswith("the moment of order 2 is 7/2\n")
    assert cli("certify", str(path)) == (0, out, "")


@pytest.mark.parametrize(
    ("line", "reader"),
    [
        (None, "CertificateFile"),
        ('["delta",[],[1,1],[0,1]]', "CertificateFile"),
        ('["epsilon",[0,1],[1,1]]', "LossFile"),
        ('["loss",[1,1]]', "LossFile"),
        ('["interval",[0,1],[1,1],[1,2],[1]]', "FormulaFile"),
    ],
)
def test_the_reader_of_each_kind_is_printed(cli, tmp_path, line, reader):
    path = tmp_path / "found.jsonl"
    path.write_text(f'["game",3,1,1,0,0,0]\n{line}\n')
    status, out, _ = cli("certify", *([] if line is None else [str(path)]), "--reader")
    assert status == 0
    compile(out, f"{reader}.py", "exec")
    assert f"main({reader})" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "takes a certificate"),
        (("{code}:game", "--epsilon", "0"), "--save"),
        (("{code}:number", "--epsilon", "0", "--save", "{code}.jsonl"), "it is an int"),
        (("{code}.missing",), "cannot be read"),
    ],
)
def test_bad_input(cli, code, arguments, told):
    status, _, err = cli("certify", *(each.format(code=code) for each in arguments))
    assert status == 2
    assert told in err
