"""``antiphon session``: both outputs, each status, bad input in one line."""

import json
from datetime import datetime
from fractions import Fraction

import pytest
from logs import add
from strategies import Eager

import antiphon as ap
from antiphon.composition import BasicFilter, ConcentratedFilter
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol.records.codec import encode


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "day.jsonl"
    with ap.begin(TreeCounter(horizon=64, epsilon=1), path) as session:
        list(session.send_many([1, COUNT] * 10))
    return path


def test_status_says_how_far_it_is(cli, path):
    status, out, err = cli("session", "status", path)
    assert (status, err) == (0, "")
    assert "a session of TreeCounter, not live now" in out
    assert "20 answered, generation 0" in out
    assert "steps through 20" in out


def test_as_json(cli, path):
    status, out, _ = cli("session", "status", path, "--json")
    said = json.loads(out)
    assert status == 0
    assert (said["answered"], said["missing"], said["live"]) == (20, 0, False)
    assert said["system"] == "TreeCounter"


def test_a_live_one_is_seen_too(cli, path):
    with ap.resume(path):
        assert "live" in cli("session", "status", path)[1].splitlines()[0]
        status, _, err = cli("session", "compact", path)
        assert status == 2
        assert "in use" in err


@pytest.mark.parametrize("action", ["status", "verify", "compact"])
def test_a_file_that_is_not_there_is_made_by_begin(cli, tmp_path, action):
    status, _, err = cli("session", action, tmp_path / "year.jsonl")
    assert status == 2
    assert "year.jsonl is no file; ap.begin(mechanism, path) makes one" in err


def test_verify_steps_through_all(cli, path):
    cli("session", "compact", path)
    with ap.resume(path) as session:
        session.send(1)
        session.keep_state()
    assert "verified: 1 messages" in cli("session", "verify", path)[1]


def test_compact_says_what_it_gained(cli, path):
    status, out, _ = cli("session", "compact", path)
    assert status == 0
    before, after = (int(each.replace(",", "")) for each in out.split()[0:4:3])
    assert after < before
    assert "steps through 0" in out


def test_an_older_copy_is_status_1(cli, path):
    text = path.read_text().splitlines(keepends=True)
    path.write_text("".join(text[:-2]))
    status, out, _ = cli("session", "status", path)
    assert status == 1
    assert "1 answers are missing, not to be resumed" in out


@pytest.mark.parametrize("action", ["status", "verify", "compact"])
def test_no_such_file_is_one_line(cli, tmp_path, action):
    status, out, err = cli("session", action, tmp_path / "none")
    assert (status, out) == (2, "")
    assert err.startswith("antiphon: ")
    assert len(err.splitlines()) == 1


def test_an_unknown_action_is_named(cli, path):
    status, _, err = cli("session", "mend", path)
    assert status == 2
    assert "status, verify, compact" in err


def test_a_chain_is_named_by_its_parts(cli, tmp_path):
    path = tmp_path / "chain"
    ap.begin(ap.Identifier(0) @ ap.ExtConComp(), path).close()
    assert "a session of Identifier ∘* ExtConComp," in cli("session", "status", path)[1]


# --- its budget ----------------------------------------------------------------------------------


def asked(epsilon):
    return ap.Create(TreeCounter(horizon=8, epsilon=epsilon))


@pytest.fixture
def budgeted(tmp_path):
    path = tmp_path / "budget"
    system = ap.ExtConComp(budget=ConcentratedFilter(rho=Fraction(1, 3)))
    with ap.begin(system, path) as session:
        for epsilon in (0.2, 3, 0.3):
            session.send(asked(epsilon))
    return path


def test_a_budget_is_in_it(cli, budgeted):
    status, out, _ = cli("session", "status", budgeted, "--delta", "1e-6")
    assert status == 0
    lines = [line.strip() for line in out.splitlines()]
    assert any(line.startswith("its budget after 3 answered, as of 20") for line in lines)
    for part in ("ρ", "limits          0.333334", "spent           0.065",
                 "remaining       0.268333", "at δ = 1e-06", "refused",
                 "at any time until now"):  # fmt: skip
        assert part in out
    assert "at δ" not in cli("session", "status", budgeted)[1]


def test_a_budget_as_json(cli, budgeted):
    said = json.loads(cli("session", "status", budgeted, "--delta", "1/3", "--json")[1])
    budget = said["budget"]
    with ap.resume(budgeted) as session:
        now = session.budget
        at = now.at(Fraction(1, 3))
    assert budget["unit"] == "rho"
    assert Fraction(budget["limits"][0]) >= Fraction(1, 3) > Fraction(budget["remaining"][0])
    assert Fraction(budget["remaining"][0]) <= now.remaining[0]
    assert (budget["live"], budget["halted"], budget["refused"]) == (2, 0, 1)
    assert budget["in_epsilon"]["delta"] == "1/3"
    assert budget["in_epsilon"]["spent"] == at.spent
    assert budget["in_epsilon"]["status"] == "proved"
    assert datetime.fromisoformat(said["written"]).tzinfo is not None
    nothing = json.loads(cli("session", "status", budgeted, "--delta", "0", "--json")[1])
    assert nothing["budget"]["in_epsilon"]["total"] is None  # infinite


def test_of_a_session_without_a_composition_there_is_none(cli, path):
    assert "budget" not in cli("session", "status", path)[1]
    assert json.loads(cli("session", "status", path, "--json")[1])["budget"] is None


def test_a_bad_delta_is_one_line(cli, budgeted):
    for wrong in ("2", "-1", "x"):
        status, out, err = cli("session", "status", budgeted, f"--delta={wrong}")
        assert (status, out) == (2, "")
        assert "delta" in err


def test_who_holds_it_is_not_disturbed(cli, budgeted):
    with ap.resume(budgeted) as session:
        session.send(asked(0.1))
        said = json.loads(cli("session", "status", budgeted, "--json")[1])
        assert said["live"]
        assert said["budget"]["spent"][0] == float(session.budget.spent[0])
        session.send(asked(0.1))


def torn(path, message):
    """A crash between what was said and its answer."""
    add(path, json.dumps({"says": encode(message, secrets=True)}))


def test_a_creation_in_flight_is_charged(cli, budgeted):
    """Whoever resumes it steps it, whatever becomes of it then."""
    torn(budgeted, asked(0.4))
    _, out, _ = cli("session", "status", budgeted)
    said = json.loads(cli("session", "status", budgeted, "--json")[1])
    assert "3 answered and one more without an answer yet" in out
    with ap.resume(budgeted) as session:
        left = session.budget.remaining[0]
    assert left == Fraction(1, 3) - Fraction(65, 1000) - Fraction(8, 100)
    assert Fraction(said["budget"]["remaining"][0]) <= left


def test_a_question_in_flight_is_charged_nothing(cli, budgeted):
    torn(budgeted, ap.Ask(1, 0))
    said = json.loads(cli("session", "status", budgeted, "--json")[1])
    assert said["budget"]["spent"][0] == 0.065


def test_what_a_post_processor_has_in_flight_is_not_known_so_all_counts(cli, tmp_path):
    path = tmp_path / "eager"
    system = Eager(1) @ ap.ExtConComp(budget=BasicFilter(epsilon=3))
    with ap.begin(system, path):
        pass
    assert json.loads(cli("session", "status", path, "--json")[1])["budget"]["spent"][0] == 0
    torn(path, 1)
    assert json.loads(cli("session", "status", path, "--json")[1])["budget"]["spent"][0] == 3
    with ap.resume(path) as session:  # the step fails
        assert session.budget.remaining[0] == 0
    assert json.loads(cli("session", "status", path, "--json")[1])["budget"]["remaining"][0] == 0
