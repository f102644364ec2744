"""`antiphon explain`: the derivation, or which premise fails with status 1."""

import json
import textwrap
from xml.etree import ElementTree

import pytest

CODE = textwrap.dedent(
    """
    import antiphon as ap
    from antiphon.composition import BasicFilter, fixed_parameters, sparse_parallel
    from antiphon.mechanisms import LeakyBit, TreeCounter
    from antiphon.verifiers import bounded, event_level

    counter = TreeCounter(horizon=8, epsilon=0.5)
    both = ap.ConComp([counter, counter])
    many = ap.ExtConComp()
    pure = sparse_parallel([(0.5, 0)])
    leaky = sparse_parallel([(0, 0.1)])
    game = ap.PrivacyGame(many, pure)
    kinds = [counter]
    filtered = ap.ExtConComp(budget=BasicFilter(epsilon=1))
    f = event_level()
    print("noise on standard output")
    """
)


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "system.py"
    path.write_text(CODE)
    return path


def test_a_mechanism_a_game_and_a_budget(cli, code):
    status, out, err = cli("explain", f"{code}:both")
    assert (status, err) == (0, "noise on standard output\n")
    assert "is (1, 0)-DP" in out
    assert "status: proved" in out
    assert "CM Thm 4.10" in out
    _, out, _ = cli("explain", f"{code}:game")
    assert "status: assumed" in out
    _, out, _ = cli("explain", f"{code}:game", "--catalogue", "kinds")
    assert "status: proved" in out
    _, out, _ = cli("explain", f"{code}:filtered")
    assert "Haney" in out


def test_for_machines(cli, code):
    status, out, _ = cli("explain", f"{code}:many", "--f", "pure", "--catalogue", "kinds", "--json")
    data = json.loads(out)
    assert status == 0
    assert (data["holds"], data["status"], data["theorem"]) == (True, "proved", "CM Thm 5.2")
    assert data["given"] == ["only these are created: TreeCounter(horizon=8, epsilon=1/2)"]
    assert data["saved"] is None


def test_no_theorem_is_status_1_with_the_cure_and_a_counterexample(cli, code):
    status, out, _ = cli("explain", f"{code}:many", "--f", "leaky")
    assert status == 1
    assert "no guarantee" in out
    assert "first_pair_consistent=True" in out
    assert "antiphon counterexample --delta 1/10 --copies 7" in out
    status, out, _ = cli("explain", f"{code}:many", "--f", "leaky", "--json")
    data = json.loads(out)
    assert (status, data["holds"]) == (1, False)
    assert data["counterexample"]["copies"] == 7
    status, out, _ = cli("explain", f"{code}:many", "--f", "leaky", "--max-creations", "4")
    assert status == 0
    assert "Theorem G" in out
    assert "by the closed bound" in out


@pytest.mark.parametrize("style", ["markdown", "mermaid", "svg"])
def test_other_formats_to_a_file(cli, code, tmp_path, style):
    path = tmp_path / "tree"
    status, out, _ = cli("explain", f"{code}:both", "--format", style, "--output", path)
    assert (status, out) == (0, f"written to {path}\n")
    assert {"markdown": "**ConComp", "mermaid": "flowchart", "svg": "</svg>"}[style] in (
        path.read_text()
    )


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ["{code}"],
        ["{code}:nothing"],
        ["{code}:f"],
        ["{code}:many", "--f", "counter"],
        ["{code}:many", "--f", "pure", "--catalogue", "counter"],
        ["{code}:many", "--f", "pure", "--max-creations", "-1"],
        ["{code}:both", "--format", "html"],
        ["nowhere.py:both"],
    ],
)
def test_bad_input_is_one_line_and_status_2(cli, code, arguments):
    status, out, err = cli("explain", *(each.format(code=code) for each in arguments))
    assert (status, out) == (2, "")
    err = err.replace("noise on standard output\n", "")
    assert err.startswith("antiphon: ")
    assert err.count("\n") == 1


def test_a_missing_name_lists_those_that_would_do(cli, code):
    _, _, err = cli("explain", f"{code}:counters")
    assert "counters should be a mechanism or a PrivacyGame, but there is none" in err
    assert "it has counter, both, many, filtered" in err
    _, _, err = cli("explain", f"{code}:many", "--f", "counter")
    assert "it is a TreeCounter; it has pure, leaky, f" in err


def test_code_that_raises_is_named_with_its_line(cli, tmp_path):
    path = tmp_path / "raises.py"
    path.write_text(
        textwrap.dedent(
            """
            import antiphon as ap

            class Careless(ap.ContinualMechanism):
                signature = ap.Signature(ap.spaces.BITS, ap.spaces.BITS)
                initial_state = 0
                def step(self, state, message, coins):
                    return state, message
                @property
                def claims(self):
                    raise ValueError("no claims yet")

            careless = Careless()
            """
        )
    )
    status, out, err = cli("explain", f"{path}:careless")
    assert (status, out) == (2, "")
    assert err == f"antiphon: {path}, line 11: ValueError: no claims yet\n"


def test_a_broken_property_for_machines(cli, tmp_path):
    path = tmp_path / "complex.py"
    path.write_text(
        textwrap.dedent(
            """
            from antiphon.selfcheck.theorems.complex_mechanisms import EVENT, _inner, _router
            from antiphon.selfcheck.theorems.complex_mechanisms import Leak
            from antiphon.composition import ComplexMechanism

            outer, inner = EVENT, _inner()
            sound = ComplexMechanism(_router())
            broken = ComplexMechanism(_router(Leak.RESPONSE))
            """
        )
    )
    status, out, _ = cli("explain", f"{path}:sound", "--f", "outer", "--inner", "inner")
    assert status == 0
    assert "CM Thm 6.1" in out
    given = ["explain", f"{path}:broken", "--f", "outer", "--inner", "inner"]
    status, out, _ = cli(*given, "--json")
    assert status == 1
    assert json.loads(out)["counterexample"]["kind"] == "the response property"


def test_a_picture_folds_long_premises_and_cuts_none(cli):
    dashboard = "examples/dashboard.py:dashboard"
    _, out, _ = cli("explain", dashboard, "--json")
    premises = json.loads(out)["derivation"]["premises"]
    _, drawn, _ = cli("explain", dashboard, "--format", "svg")
    lines = [each.strip() for each in ElementTree.fromstring(drawn).itertext() if each.strip()]
    assert any(len(each["text"]) + len(each["evidence"]) > 130 for each in premises)
    whole = " ".join(lines)
    for each in premises:
        assert each["text"] in whole
        assert each["evidence"] in whole
    assert max(map(len, lines[2:])) <= 130
