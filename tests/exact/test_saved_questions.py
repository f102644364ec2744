"""A question that was interrupted goes on in another process, with the same answer."""

import contextlib
import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction
from hashlib import sha256

import attrs
import pytest
from test_public_budgets import game
from trying import sized

import antiphon as ap
from antiphon.audit import Question
from antiphon.audit.exact import cost, solver
from antiphon.composition import (
    BasicFilter,
    adaptive_parameters,
    fixed_mechanisms,
    sparse_parallel,
)
from antiphon.mechanisms import RandomizedResponse
from antiphon.protocol import Approximate, Status
from antiphon.protocol.spaces import BITS


@ap.register("test.saved.Walk/1")
@attrs.frozen
class Walk(ap.ContinualMechanism):
    """It remembers messages, five by default, and each answer is a parity of them, often."""

    often: int = 3
    states: int = 32
    initial_state = 0
    signature = ap.Signature(BITS, BITS)

    @property
    def claims(self):
        f = ap.verifiers.event_level(events=9)
        return (ap.Claim(Approximate(9, 0), f, Status.ASSUMED, "to be computed"),)

    def step(self, state, message, coins):
        after = (2 * state + message) % self.states
        return after, (after.bit_count() + int(coins.bernoulli(Fraction(1, self.often)))) % 2


def responses(*ratios):
    return [RandomizedResponse(epsilon=ap.Log(q)) for q in ratios]


def asked_of(name, **search):
    """A question, and how many rounds."""
    search = {"report": None, **search}
    if name == "one mechanism":
        return Question(Walk(), ap.verifiers.event_level(events=99), **search), 7
    if name == "responses":
        return Question(ap.ExtConComp(), fixed_mechanisms(responses(2, 3, 4, 5)), **search), 6
    if name == "a filter":
        budget = BasicFilter(epsilon=ap.Log(12))
        search |= {"catalogue": responses(2, 3, 4), "max_creations": 3}
        return Question(ap.ExtConComp(budget=budget), adaptive_parameters(budget), **search), 6
    f = sparse_parallel([(9, 0)] * 2)
    if name == "whole states":  # an f that is not suitable itself
        f = ap.verifiers.bounded(f, 99)
    search |= {"catalogue": [Walk(3), Walk(4)], "max_creations": 2}
    return Question(ap.ExtConComp(), f, **search), 5


@pytest.fixture(scope="module", autouse=True)
def by_itself():
    """Each belief is valued in whole numbers, so that tables are large."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(solver, "PATIENCE", (math.inf, 0))
        yield


GAMES = ("responses", "one mechanism", "a filter", "walks", "whole states")
LOG = ap.Log(Fraction(5, 4))


def interrupted(asked, rounds, beliefs):
    """The question, stopped as by Ctrl-C after so many beliefs."""

    def interrupt(valued):
        if valued == beliefs:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cost, "_OFTEN", 1)
        asked.report = interrupt
        with contextlib.suppress(KeyboardInterrupt):
            asked.solve(LOG, rounds)
    return asked


def valued(asked):
    return sum(each.nodes for each in asked.solvers())


@pytest.mark.every(5)
@pytest.mark.parametrize("name", GAMES)
def test_it_goes_on_with_the_same_answer(tmp_path, name):
    fresh, rounds = asked_of(name)
    whole = fresh.solve(LOG, rounds)
    for beliefs in sized([whole.nodes // 2], [1, whole.nodes // 2, whole.nodes - 1]):
        asked = interrupted(asked_of(name)[0], rounds, beliefs)
        asked.save(file := tmp_path / f"{beliefs}.question")
        for again in (Question.load(file), Question.load(file, like=asked_of(name)[0])):
            assert valued(again) == valued(asked) == beliefs
            found = again.solve(LOG, rounds)
            assert (found.delta, found.bit) == (whole.delta, whole.bit)
            assert found.nodes == whole.nodes  # what was known is not valued anew
            other = ap.Log(2), rounds - 1
            assert again.solve(*other).delta == asked_of(name)[0].solve(*other).delta


@pytest.mark.every(4)
@pytest.mark.parametrize("name", GAMES)
def test_it_goes_on_after_a_rough_look(tmp_path, monkeypatch, name):
    expected, rounds = asked_of(name)
    expected = expected.solve(LOG, rounds).delta
    monkeypatch.setattr(solver, "PATIENCE", (0, 0))
    asked = interrupted(asked_of(name)[0], rounds, 1)
    for number in range(2):
        asked.save(file := tmp_path / f"{number}.question")
        asked = Question.load(file)
        asked.report = None
        assert asked.solve(LOG, rounds).delta == expected


@pytest.mark.slow
def test_it_goes_on_where_it_gave_up(tmp_path):
    asked, rounds = asked_of("one mechanism", limit=5000)
    with pytest.raises(ap.Intractable):
        asked.solve(LOG, rounds)
    asked.save(file := tmp_path / "walk.question")
    with pytest.raises(ap.Intractable):  # the limit is saved with it
        Question.load(file).solve(LOG, rounds)
    again = Question.load(file)
    again.limit = 10**6
    whole = asked_of("one mechanism")[0].solve(LOG, rounds)
    assert again.solve(LOG, rounds).delta == whole.delta


def test_random_games_are_equal_where_they_were_interrupted(tmp_path):
    for seed in range(30):
        chance = random.Random(seed)
        system, f, search = game(chance)
        whole = Question(system, f, **search, report=None).solve(LOG, 4)
        asked = Question(system, f, **search, report=None)
        interrupted(asked, 4, chance.randint(1, max(1, whole.nodes)))
        if seed % 2:  # what was valued for fewer rounds, or only looked at for more
            asked.report = None
            asked.solve(ap.Log(3), 2)
            asked.tight_renyi(2, 5)
        asked.save(file := tmp_path / f"{seed}.question")
        assert Question.load(file).solve(LOG, 4).delta == whole.delta, seed


@pytest.mark.slow
def test_it_goes_on_in_another_process(tmp_path):
    asked, rounds = asked_of("responses")
    interrupted(asked, rounds, 6).save(file := tmp_path / "responses.question")
    code = f"""
from fractions import Fraction
from antiphon import Log
from antiphon.audit import Question
print(Question.load({str(file)!r}).solve(Log(Fraction(5, 4)), {rounds}).delta)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Fraction(done.stdout) == asked_of("responses")[0].solve(LOG, rounds).delta


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    asked, rounds = asked_of("one mechanism")
    file = tmp_path_factory.mktemp("saved") / "walk.question"
    interrupted(asked, rounds, 3000).save(file)
    return file


def test_a_question_of_another_game_is_refused(saved):
    asked, _ = asked_of("one mechanism")
    others = {
        "system": attrs.evolve(asked, system=Walk(4)),
        "verification": attrs.evolve(asked, verification=ap.verifiers.event_level(events=98)),
        "queries": attrs.evolve(asked, queries=[0]),
    }
    for role, other in others.items():
        with pytest.raises(ap.TranscriptError, match=f"asks another question: its {role} differs"):
            Question.load(saved, like=other)
    assert valued(Question.load(saved, like=attrs.evolve(asked, limit=10**6))) == 3000


def test_a_mechanism_that_was_another_then_is_refused(saved, monkeypatch):
    def step(self, state, message, coins):
        return (2 * state + message) % 32, int(coins.bernoulli(Fraction(1, self.often)))

    monkeypatch.setattr(Walk, "step", step)
    with pytest.raises(ap.TranscriptError, match="was another when it was saved"):
        Question.load(saved)


def changed(saved, path, change):
    """The file with a change, and a digest that fits it."""
    lines = [json.loads(line) for line in saved.read_text().splitlines()[:-1]]
    change(lines)
    text = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)
    digest = sha256(text.encode()).hexdigest()
    path.write_text(f'{text}{{"sha256":"{digest}"}}\n')
    return path


def edit_rounds(lines):
    for each in lines:
        if each.get("table") == "values":
            each["rows"] = [[*row[:4], row[4] + 1, row[5]] for row in each["rows"]]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[0].update(antiphon=2), "of version 2"),
        (lambda lines: lines[0].update(kind="view"), "no saved question"),
        (lambda lines: lines[0].pop("asked"), "does not say what it asks"),
        (lambda lines: lines[0]["asked"].update(more={"message": 1}), "TypeError"),
        (lambda lines: lines[0]["asked"].update(system={"message": 1}), "a party of the file"),
        (lambda lines: lines.__delitem__(slice(1, 3)), "holds no values of its question"),
        (lambda lines: lines[1]["rows"].extend(lines[2]["rows"][:1]), "a value has two numbers"),
        (lambda lines: lines[-1]["rows"].append([1.5] * 6), "whole numbers"),
        (lambda lines: lines[-1]["rows"].append([0] * 5), "holds no values"),
        (edit_rounds, "values that its question does not have"),
    ],
)
def test_a_file_that_was_edited_is_refused(saved, tmp_path, change, words):
    with pytest.raises(ap.TranscriptError, match=words):
        Question.load(changed(saved, tmp_path / "edited", change))


@pytest.mark.parametrize("keep", [0, 1, 100, -1, -80])
def test_a_file_that_lost_its_end_is_refused(saved, tmp_path, keep):
    (file := tmp_path / "torn").write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(ap.TranscriptError):
        Question.load(file)


def test_a_file_with_a_flipped_bit_is_refused(saved, tmp_path):
    data = bytearray(saved.read_bytes())
    data[len(data) // 2] ^= 1
    (file := tmp_path / "flipped").write_bytes(data)
    with pytest.raises(ap.TranscriptError, match="is damaged"):
        Question.load(file)


def test_files_are_not_overwritten_unasked_and_are_their_owner_s(saved, tmp_path):
    asked, _ = asked_of("responses")
    with pytest.raises(ap.FileError):
        asked.save(saved)
    with pytest.raises(ap.FileError):
        Question.load(tmp_path / "none")
    (file := tmp_path / "again").write_text("")
    asked.save(file, overwrite=True)
    assert valued(Question.load(file)) == 0
    if os.name == "posix":
        assert file.stat().st_mode & 0o077 == 0


def test_what_has_no_name_cannot_be_saved(tmp_path):
    @ap.mechanism(queries=BITS, answers=BITS)
    def flips(state, message, coins):
        return state, message ^ int(coins.bernoulli(Fraction(1, 3)))

    asked = Question(flips, ap.verifiers.event_level(events=9), report=None)
    with pytest.raises(
        ap.InvalidArgument, match=r"of its system, .*flips.* has no registered name"
    ):
        asked.save(tmp_path / "none")
    assert not list(tmp_path.iterdir())


def test_long_numbers_are_saved(tmp_path):
    asked = Question(Walk(), ap.verifiers.event_level(events=9), report=None)
    epsilon = ap.Log(1 + Fraction(1, 3**10_000))
    whole = asked.solve(epsilon, 3)
    asked.save(file := tmp_path / "long")
    again = Question.load(file)
    assert again.solve(epsilon, 3) == whole
