"""``antiphon audit --corpus``: the table, its JSON, its exit status, and what it asks for."""

import json

import attrs
import pytest

from antiphon.audit.corpus import corpus, examination, table
from antiphon.cli import corpus as command
from antiphon.protocol import Status

FAST = ["--only", "M_δ", "--only", "filter", "--only", "snapping", "--seed", "1"]


def test_a_part_of_the_corpus(cli):
    status, out, _ = cli("audit", "--corpus", *FAST)
    assert status == 0
    assert "M_δ, V checks only the last message" in out
    assert "refuted, as it must" in out
    assert "not refuted" in out
    assert "probability at most 0.001" in out


def test_the_same_as_json_and_the_same_again(cli):
    status, out, err = cli("audit", "--corpus", *FAST, "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert data["as_expected"] is True
    rows = {row["target"]: row for row in data["rows"]}
    assert rows["snapping"]["verdict"] == "not refuted"
    late = rows["filter that charges after running"]
    assert late["verdict"] == "refuted"
    assert late["claim"]["status"] == "refuted"
    assert 1.8 < late["epsilon_lower"] < late["true_epsilon"]
    assert rows["f_∞ with δ > 0: fifty M_δ"]["delta_lower"] > 0.98 * 0.6358
    _, again, _ = cli("audit", "--corpus", "--only", "filter", "--seed", "1", "--json")
    part = {row["target"]: row for row in json.loads(again)["rows"]}
    assert part["filter"]["epsilon_lower"] == rows["filter"]["epsilon_lower"]


def test_a_surprise_is_status_1(cli, monkeypatch):
    """A private claim that is called private no more, and a broken one that is called true."""
    entries = {entry.name: entry for entry in corpus()}
    right, late = entries["filter"], entries["filter that charges after running"]
    liars = (
        attrs.evolve(right, claim=attrs.evolve(right.claim, status=Status.REFUTED)),
        attrs.evolve(late, claim=attrs.evolve(late.claim, status=Status.PROVED)),
    )
    monkeypatch.setattr(command, "corpus", lambda: liars)
    status, out, _ = cli("audit", "--corpus", "--seed", "1", "--samples", "100000")
    assert status == 1
    assert "NOT refuted" in out
    assert "REFUTED, but is private" in out


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["--corpus", "--only", "nothing"], "nothing"),
        ([], "--corpus"),
        (["file.py:game", "--epsilon", "1"], "--adversary"),
        (["--corpus", "--only", "filter", "--samples", "10"], "at least 1000 samples"),
    ],
)
def test_bad_input_is_one_line_and_status_2(cli, arguments, cure):
    status, _, err = cli("audit", *arguments)
    assert status == 2
    assert err.startswith("antiphon: ")
    assert err.count("\n") == 1
    assert cure in err


@pytest.mark.slow
def test_the_whole_corpus_is_as_it_should_be(cli):
    """α = 10⁻³ for all private entries together; the broken ones have power > 0.999 each."""
    status, out, _ = cli("audit", "--corpus", "--seed", "2", "--json")
    rows = json.loads(out)["rows"]
    assert [row["target"] for row in rows if not row["as_expected"]] == []
    assert status == 0
    assert len(rows) == len(table.corpus()) > 40
    assert examination.LEVEL == 1e-3
