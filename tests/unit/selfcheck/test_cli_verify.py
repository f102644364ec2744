"""``antiphon verify``: what it prints, and its exit status."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from antiphon.audit.certificates.antiphon_check import check as lone
from antiphon.numbers.interval import up
from antiphon.selfcheck.commands import verify as command
from antiphon.selfcheck.theorems import checks
from antiphon.selfcheck.theorems import theorem as check


@pytest.fixture
def surprised(monkeypatch):
    """Two rows that come out the other way round."""
    [fails] = [c for c in checks("2.4") if not c.expected]
    holds = checks("2.4")[0]
    rows = [
        check.Check("Thm 0", "fails", fails.decide),
        check.Check("Thm 0", "holds", holds.decide, of=holds),
        holds,
    ]
    monkeypatch.setattr(command, "checks", lambda theorem=None: rows)


class TestTable:
    def test_a_row_for_each_check(self, cli):
        status, out, err = cli("verify", "--theorem", "2.4", "--theorem", "1.4")
        assert (status, err) == (0, "")
        assert "= (ln 2, 0.1)" in out
        assert "0.3439" in out
        assert "fails, as it must" in out
        assert "Statements that hold: 6; broken twins that fail, as they must: 2." in out
        assert "accuse" not in out

    @pytest.mark.slow
    def test_many_points_and_equivalences(self, cli):
        _, out, _ = cli("verify", "--theorem", "2.15", "--theorem", "6.4", "--theorem", "2.4")
        assert "(ln 3/2, 0.0625)" in out
        assert "≡: distance 0" in out
        assert "≈0.142858" in out
        assert "V[f'] inserted" in out  # brackets are no markup

    def test_adversaries_on_demand(self, cli):
        _, out, _ = cli("verify", "--theorem", "1.4", "--adversaries")
        assert "say create LeakyBit(delta=1/10)" in out
        assert "accuse b = 0" in out

    def test_a_theorem_asked_for_twice_is_checked_once(self, cli):
        _, out, _ = cli("verify", "--theorem", "2.4", "--theorem", "Lemma 2.4")
        assert "that hold: 3; broken twins that fail, as they must: 1." in out

    def test_surprises_in_words_with_their_adversaries_and_status_1(self, cli, surprised):
        status, out, _ = cli("verify")
        assert status == 1
        assert "FAILS" in out
        assert "holds, but must not" in out
        assert "accuse b = 0" in out
        assert "2 rows are NOT as theory says: please report them." in out


class TestJson:
    def test_rows_as_data(self, cli):
        status, out, err = cli("verify", "--theorem", "Lemma 2.4", "--json")
        assert (status, err) == (0, "")
        assert out.count("\n") == 1
        data = json.loads(out)
        assert data["as_expected"] is True
        first, last = data["rows"][0], data["rows"][-1]
        assert first["claimed"] == [{"epsilon": "0", "delta": "1/7"}]
        assert first["tight"] == [{"delta": "1/7", "float": up(Fraction(1, 7))}]
        assert (first["relation"], first["verdict"]) == ("=", "holds")
        assert last["claimed"] == [{"epsilon": "ln 2", "delta": "1/10"}]
        assert last["verdict"] == "fails, as it must"
        assert (last["holds"], last["expected"], last["as_expected"]) == (False, False, True)
        assert "accuse b = 0" in last["adversary"]
        assert all(row["seconds"] >= 0 for row in data["rows"])

    def test_surprises(self, cli, surprised):
        status, out, _ = cli("verify", "--json")
        assert status == 1
        assert json.loads(out)["as_expected"] is False


def test_an_unknown_theorem(cli):
    status, out, err = cli("verify", "--theorem", "9.9")
    assert (status, out) == (2, "")
    assert "no check of '9.9'; there are checks of Lemma 2.4" in err
    status, out, _ = cli("verify", "--theorem", "9.9", "--json")
    assert status == 2
    assert json.loads(out)["error"]["type"] == "InvalidArgument"


def test_help(cli):
    status, out, _ = cli("verify", "--help")
    assert status == 0
    assert "--theorem" in out


class TestRows:
    @pytest.mark.slow
    def test_a_twin_says_which_property_failed(self, cli):
        _, out, _ = cli("verify", "--theorem", "6.1", "--theorem", "2.4", "--json")
        rows = {row["instance"]: row["broken"] for row in json.loads(out)["rows"]}
        assert rows["RR(ln 2, 1/10) that tells the truth too often"] == (
            "privacy: δ > 0.1 at ε = ln 2"
        )
        [lacking] = [why for name, why in rows.items() if name.startswith("P lacks destination")]
        assert lacking.startswith("destination: ")
        assert rows["RR(ln 2, 1/10)"] is None

    def test_interrupted_the_rows_stay(self, cli, monkeypatch):
        def stop():
            raise KeyboardInterrupt

        first = checks("2.4")[0]
        rows = [first, check.Check("Thm 0", "stops", stop), first]
        monkeypatch.setattr(command, "checks", lambda theorem=None: rows)
        status, out, _ = cli("verify")
        assert status == 130
        assert "RR(ln 1, 1/7)" in out
        assert "Stopped after 1 of 3 rows." in out
        status, out, _ = cli("verify", "--json")
        assert (status, len(json.loads(out)["rows"])) == (130, 1)
        assert json.loads(out)["complete"] is False

    def test_a_row_is_printed_before_the_next_is_decided(self, capsys, monkeypatch):
        def look():
            seen.append(capsys.readouterr().out)
            return checks("2.4")[0].decide()

        seen = []
        rows = [checks("2.4")[0], check.Check("Thm 0", "looks", look)]
        monkeypatch.setattr(command, "checks", lambda theorem=None: rows)
        assert command.verify(theorems=[], adversaries=False, as_json=False) == 0
        assert "≈0.142858" in seen[0]

    def test_on_a_narrow_terminal_every_digit_is_there(self, cli, monkeypatch):
        monkeypatch.setattr(command, "_WIDE", 50)
        _, out, _ = cli("verify", "--theorem", "2.15")
        assert "(ln 3/2, 0.0625)  tight 0" in out
        assert max(map(len, out.splitlines())) <= 50


@pytest.mark.slow
@pytest.mark.parametrize("given", [["verify", "--theorem", "2.4", "--theorem", "2.5"], ["--help"]])
def test_a_reader_that_goes_away_is_no_error(given):
    """As ``antiphon verify | head -1`` does, with more to print than a pipe holds."""
    code = "from antiphon.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    program = [sys.executable, "-c", code, *given]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        complaint = running.stderr.read()
    assert (running.returncode, complaint) == (0, b"")


def test_certificates_of_all_rows_are_checked_by_the_lone_file(cli, tmp_path):
    status, out, _ = cli("verify", "--theorem", "1.4", "--theorem", "2.15", "--certify", tmp_path)
    assert status == 0
    files = sorted(tmp_path.iterdir())
    assert f"{len(files)} certificates in {tmp_path}" in out
    rows = checks("1.4") + checks("2.15")
    assert {int(file.name[:3]) for file in files} == {*range(1, len(rows) + 1)}
    for file in files:
        assert ": δ = " in lone(file.read_text().splitlines())
    status, _, err = cli("verify", "--theorem", "1.4", "--certify", tmp_path / "none")
    assert status == 2
    assert "make it" in err


def test_a_row_without_a_certificate_is_said_with_the_reason(cli, tmp_path):
    """Board's f' has a step of its own: its figures are exact, and no certificate is of such."""
    status, out, _ = cli("verify", "--theorem", "T1", "--certify", tmp_path)
    assert status == 0
    assert "0 certificates in" in out
    assert len(checks("T1")) == out.count("no certificate of row 00") > 0
    assert "a step of its own" in out
    assert not [*tmp_path.iterdir()]
    _, out, _ = cli("verify", "--theorem", "T1", "--certify", tmp_path, "--json")
    assert len(json.loads(out)["not_certified"]) == len(checks("T1"))
