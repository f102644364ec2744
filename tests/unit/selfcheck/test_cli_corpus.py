"""``antiphon audit --corpus``: the table, its JSON, its exit status, and what it asks for."""

import json

import attrs
import pytest

from antiphon.protocol import Status
from antiphon.selfcheck.commands import corpus as command
from antiphon.selfcheck.corpus import corpus, examine, table
from antiphon.selfcheck.corpus.entry import LEVEL

FAST = ["--only", "M_δ", "--only", "filter", "--only", "snapping", "--seed", "1"]


@pytest.mark.slow
def test_a_part_of_the_corpus(cli):
    status, out, _ = cli("audit", "--corpus", *FAST)
    assert status == 0
    assert "M_δ, V checks only the last message" in out
    assert "refuted, as it must" in out
    assert "not refuted" in out
    assert "probability at most 0.001" in out


@pytest.mark.slow
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


@pytest.mark.slow
def test_thorough_says_which_figures_are_reached(cli):
    """10^6 runs reach 0.98 of the true δ; the bound has a margin of more than 7 σ."""
    only = ["--only", "fifty", "--only", "SVT5", "--seed", "1", "--thorough"]
    status, out, _ = cli("audit", "--corpus", *only)
    assert status == 0
    assert "figures reached: 2 of 2" in out
    assert "δ ≥ 0.6231" in out
    _, out, _ = cli("audit", "--corpus", *only, "--json")
    rows = {row["target"]: row for row in json.loads(out)["rows"]}
    assert rows["f_∞ with δ > 0: fifty M_δ"]["goal_of"] == "delta"
    assert rows["f_∞ with δ > 0: fifty M_δ"]["samples"] == 500_000
    assert rows["SVT5"]["goal"] == 1.7
    assert all(row["reached"] for row in rows.values() if row["goal"] is not None)


def test_a_figure_that_is_missed_is_status_1_where_it_was_asked_for(cli, monkeypatch):
    entries = {entry.name: entry for entry in corpus()}
    greedy = attrs.evolve(entries["filter that charges after running"], goal=2.49, thorough=100_000)
    monkeypatch.setattr(command, "corpus", lambda: (greedy,))
    status, out, _ = cli("audit", "--corpus", "--seed", "1", "--thorough")
    assert status == 1
    assert "NO" in out
    assert "reaches 2.3" in out
    status, out, _ = cli("audit", "--corpus", "--seed", "1")
    assert status == 0
    assert "2.49" not in out


@pytest.mark.slow
def test_a_checkpoint_is_resumed_row_by_row(cli, tmp_path):
    path = tmp_path / "kept"
    only = ["--only", "filter", "--seed", "1", "--json", "--checkpoint", str(path)]
    rows = [json.loads(cli("audit", "--corpus", *only)[1])["rows"] for _ in range(2)]
    kept = list(tmp_path.iterdir())
    assert len(kept) == len(rows[0])
    alike = [[{k: v for k, v in row.items() if k != "seconds"} for row in each] for each in rows]
    assert alike[0] == alike[1]
    kept[0].write_text("nonsense")
    status, _, _ = cli("audit", "--corpus", *only)
    assert status == 2


def test_an_interrupt_keeps_the_rows_so_far(cli, monkeypatch):
    done = []

    def examined(entry, **options):
        if done:
            raise KeyboardInterrupt
        done.append(entry)
        return examine(entry, **options)

    monkeypatch.setattr(command, "examine", examined)
    status, out, _ = cli("audit", "--corpus", *FAST, "--json")
    assert status == 130
    data = json.loads(out)
    assert data["interrupted"] is True
    assert len(data["rows"]) == 1


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


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["--corpus", "--only", "unheard-of"], "unheard-of"),
        ([], "--corpus"),
        (["file.py:game", "--epsilon", "1"], "--adversary"),
        (["--corpus", "--only", "filter", "--samples", "10"], "at least 1000 samples"),
        (["--corpus", "--only", "filter", "--checkpoint", "x"], "seed"),
        (["--corpus", "--save", "x"], "leave out --save"),
        (["--corpus", "file.py:game"], "leave out FILE.py:NAME"),
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
    assert len(rows) == len(table.corpus()) > 80
    assert LEVEL == 1e-3


@pytest.mark.slow
def test_every_figure_is_reached_in_one_run(cli):
    """The figures of the table with fewer than 2·10^8 samples each, ε and δ at 90 % confidence.

    Their margins are at least 2.5 σ at another seed; this one is kept.
    """
    status, out, _ = cli("audit", "--corpus", "--thorough", "--seed", "2", "--json")
    rows = json.loads(out)["rows"]
    assert [row["target"] for row in rows if not row["as_expected"]] == []
    figures = {row["target"]: row["reached"] for row in rows if row["goal"] is not None}
    assert len(figures) == 10
    assert [name for name, reached in figures.items() if not reached] == []
    assert all(2 * row["samples"] < 2 * 10**8 for row in rows)
    assert status == 0
