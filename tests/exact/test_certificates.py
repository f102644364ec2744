"""Certificates: what the reader accepts is true, whatever was changed; and of which game it is."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from random import Random

import attrs
import pytest
from random_games import drawn
from table_games import TableGame
from test_futures import coin, lopsided
from test_saved_questions import Walk
from trying import sized

import antiphon as ap
from antiphon.audit.certificates.antiphon_check import NotAccepted
from antiphon.audit.certificates.antiphon_check import check as lone
from antiphon.audit.certificates.antiphon_check_losses import check as lone_losses
from antiphon.audit.certificates.certificate import READER, Certificate
from antiphon.composition import (
    BasicFilter,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.conjectures import AnyRenyi, GamePattern, conjecture
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.protocol import Approximate, Status
from antiphon.protocol.spaces import BITS
from antiphon.verifiers import bounded, event_level

TENTH = Fraction(1, 10)


def walking(often=3, states=4):
    """A mechanism of few states that remembers messages, and answers by them, often."""
    return Walk(often, states)


@attrs.frozen
class HiddenCoin(ap.ContinualMechanism):
    """It says a message, mostly; tosses a coin unseen; and next says whether they are equal."""

    initial_state = None
    signature = ap.Signature(BITS, BITS)

    @property
    def claims(self):
        f = ap.verifiers.event_level()
        return (ap.Claim(Approximate(9, 0), f, Status.ASSUMED, "to be computed"),)

    def step(self, state, message, coins):
        if state is None:
            heard = (message + int(coins.bernoulli(Fraction(1, 3)))) % 2
            return int(coins.bernoulli(Fraction(1, 3))), heard
        if state == 2:
            return state, ap.HALT
        return 2, (state + message) % 2


@attrs.frozen
class Upwards:
    """A relation that is not symmetric."""

    def holds(self, zero, one):
        return zero < one


def responses(*ratios):
    return [RandomizedResponse(epsilon=ap.Log(q)) for q in ratios]


def asked(system, f, **search):
    return ap.PrivacyGame(system, f).question(report=None, **search)


def walk(events=2):
    return asked(walking(), ap.verifiers.event_level(events=events))


def upwards():
    return asked(walking(), ap.verifiers.event_level(Upwards()))


def leaky(most=2, f=None):
    f = f or sparse_parallel([(0, TENTH)])
    return asked(ap.ExtConComp(), f, catalogue=[LeakyBit(delta=TENTH)], max_creations=most)


def fixed(*ratios):
    return asked(ap.ExtConComp(), fixed_mechanisms(responses(*ratios)))


def filtered(limit=4, **search):
    budget = BasicFilter(epsilon=ap.Log(limit))
    search = {"catalogue": responses(2, 3), "max_creations": 2, **search}
    return asked(ap.ExtConComp(budget=budget), adaptive_parameters(budget), **search)


def hidden():
    f = sparse_parallel([(9, 0)])
    return asked(ap.ExtConComp(), f, catalogue=[HiddenCoin()], max_creations=2)


GAMES = {
    "one mechanism": (walk, 3, ap.Log(Fraction(5, 4))),
    "not symmetric": (upwards, 3, ap.Log(Fraction(5, 4))),
    "a purse": (leaky, 5, 0),
    "a hidden coin": (hidden, 5, ap.Log(Fraction(5, 4))),
    "one message": (lambda: asked(HiddenCoin(), bounded(event_level(), 1)), 2, 0),
    "fixed": (lambda: fixed(2, 3), 4, ap.Log(2)),
    "a filter": (filtered, 4, ap.Log(2)),
}


LOSSES = [(name, order) for name in GAMES if name != "a purse" for order in (1, 3)]
"""Games whose privacy loss is finite: at order 1 its range, at order 3 a moment is certified."""


def certificate(name, epsilon=None):
    make, rounds, own = GAMES[name]
    question = make()
    return question, question.certify(epsilon=own if epsilon is None else epsilon, rounds=rounds)


def of_loss(name, order):
    make, rounds, _ = GAMES[name]
    return make().certify(order=order, rounds=rounds)


def check(lines):
    """What the reader of that kind of certificate checks."""
    others = any(re.match(r'\s*\[\s*"(loss|epsilon)"', line) for line in lines)
    return (lone_losses if others else lone)(lines)


def numbered(rows):
    """The lines of a file with these rows, and the end that they have."""
    return [json.dumps(row) for row in (*rows, ["end", len(rows)])]


def rows_of(found):
    return [json.loads(line) for line in found.lines[:-1]]


# --- it is written, read and derived --------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_certificate_is_checked_derived_and_true(name):
    question, found = certificate(name)
    rounds, epsilon = GAMES[name][1:]
    delta = question.solve(epsilon, rounds).delta
    assert f"δ = {delta} " in found.check()
    assert found.against(GAMES[name][0]()) == f"{found.check()}. {OF_THIS}"
    assert TableGame(found.lines).holds()
    assert TableGame(found.lines).claims[0][1] == delta > 0


OF_THIS = "Its tables are those of the game that was given"


def test_a_solution_has_a_certificate():
    solution = walk().solve(0, 3)
    assert f"δ = {solution.delta} at e^ε = 1" in solution.certificate().check()


@pytest.mark.parametrize(("name", "order"), LOSSES)
def test_a_moment_and_a_range_have_certificates(name, order):
    found, rounds, question = of_loss(name, order), GAMES[name][1], GAMES[name][0]()
    if order == 1:
        figure = question.tight_range(rounds).argument
    else:
        figure = question.tight_renyi(order, rounds).moment
    assert found.check().endswith(f" is {figure}")
    assert found.against(question) == f"{found.check()}. {OF_THIS}"
    assert TableGame(found.lines).holds()
    with pytest.raises(NotAccepted, match="a bad line"):  # it is no certificate of a δ
        lone(found.lines)
    with pytest.raises(NotAccepted, match="of form 2, and this reader takes form 3"):
        check([found.lines[0].replace("3", "2", 1), *found.lines[1:]])


def test_no_certificate_of_an_infinite_loss():
    for order in (1, 2):
        with pytest.raises(ap.InvalidArgument, match="the loss is infinite"):
            of_loss("a purse", order)


def test_a_curve_is_one_certificate_and_an_epsilon_has_one():
    points = [0, ap.Log(2), 1, Fraction(1, 3)]
    found = fixed(2, 3).certify(epsilon=points, rounds=4)
    assert len(TableGame(found.lines).claims) == 4
    assert TableGame(found.lines).holds()
    tight = fixed(2, 3).certify(delta=TENTH, rounds=4)
    least = fixed(2, 3).tight_epsilon(TENTH, 4)
    assert f"e^ε = {least.argument} is the least with δ <= 1/10" in tight.check()
    assert (
        "e^ε = 1 is the least with δ <= 99/100" in fixed(2, 3).certify(delta=0.99, rounds=4).check()
    )


def test_an_epsilon_that_is_not_the_least_is_refused():
    rows = rows_of(fixed(2, 3).certify(delta=TENTH, rounds=4))
    *rest, (kind, delta, *points) = rows
    assert kind == "epsilon"
    for target in (Fraction(11, 100), Fraction(9, 100)):
        with pytest.raises(NotAccepted):
            check(numbered([*rest, [kind, [*target.as_integer_ratio()], *points]]))
    growth, low, high = points
    for others in ([growth], [low, low, high], [growth, high, growth], [growth, high, high]):
        with pytest.raises(NotAccepted):
            check(numbered([*rest, [kind, delta, *others]]))


def test_the_lone_file_checks_without_the_library(tmp_path):
    path, loss, least = (tmp_path / name for name in ("found", "loss", "least"))
    found = fixed(2, 3).certify(path, epsilon=ap.Log(2), rounds=4)
    losses = fixed(2, 3).certify(loss, order=2, rounds=4)
    assert found.reader == READER
    assert losses.reader == fixed(2, 3).certify(least, delta=TENTH, rounds=4).reader != READER
    for reader in (READER, losses.reader):
        (tmp_path / reader.name).write_bytes(reader.read_bytes())
    bare = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(file, reader=READER):
        command = [sys.executable, "-S", str(tmp_path / reader.name), str(file)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=bare)

    said = "checked, against 4 messages, in the game of its tables: "
    assert run(path).stdout.startswith(f"{said}δ = ")
    assert run(path, losses.reader).stdout == run(path).stdout
    assert run(loss, losses.reader).stdout == f"{said}the moment of order 2 is 7/2\n"
    assert "is the least with δ <= 1/10" in run(least, losses.reader).stdout
    for file in (loss, least):
        assert run(file).stderr.startswith("not accepted: a bad line")
        assert "checked by antiphon_check_losses.py" in run(file).stderr
    path.write_text(path.read_text().replace('"delta",[],[2,1]', '"delta",[],[3,1]'))
    refused = run(path)
    assert refused.returncode == 1
    assert refused.stderr.startswith("not accepted: ")
    assert "losses" not in refused.stderr
    assert "Traceback" not in refused.stderr
    code = READER.read_text().splitlines()
    assert not any("antiphon" in line for line in code if line.startswith(("import", "from")))


def test_zero_beliefs():
    found = asked(LeakyBit(delta=TENTH), LeakyBit(delta=TENTH).claims[0].verification)
    empty = found.certify(epsilon=0, rounds=0)
    assert empty.beliefs == 0
    assert "against 0 messages, in the game of its tables: δ = 0" in empty.check()


def test_it_is_saved_and_loaded(tmp_path):
    path = tmp_path / "found.jsonl"
    found = walk().certify(path, epsilon=0, rounds=2)
    assert Certificate.load(path) == found
    with pytest.raises(ap.FileError, match="not overwritten"):
        found.save(path)
    path.write_bytes(b"\xff")
    with pytest.raises(ap.TranscriptError, match="no ASCII"):
        Certificate.load(path)


def test_no_certificate_of_a_system_with_a_step_of_its_own():
    f = ap.verifiers.bounded(sparse_parallel([(0, TENTH)]), 3)
    question = asked(ap.ExtConComp(), f, catalogue=[walking()], max_creations=1)
    with pytest.raises(ap.InvalidArgument, match="no certificate is written"):
        question.certify(epsilon=0, rounds=2)
    with pytest.raises(ap.InvalidArgument, match="certify takes one of"):
        walk().certify(rounds=2)


def test_an_equivalence_has_certificates_that_it_holds_or_fails():
    coin, other = walking(2), walking(2, 8)
    same, unlike = ap.equivalent(coin, other, rounds=2), ap.equivalent(coin, walking(3), rounds=2)
    for found, distance in ((same, 0), (unlike, unlike.distance)):
        (made,) = found.certificates()
        assert f"δ = {distance} at e^ε = 1" in made.check()
        assert TableGame(made.lines).holds()
        ((systems, _),) = found.compared
        assert made.against(systems).endswith(OF_THIS)
    assert same
    assert unlike.distance > 0
    with pytest.raises(ap.TranscriptError, match="another game"):
        same.certificates()[0].against(unlike.compared[0][0])


def test_a_refuted_conjecture_has_a_certificate_of_its_moment():
    """Of two Rényi divergences the larger one is not all that is lost."""
    parts = (AnyRenyi(order=2, moment=Fraction(6, 5)),) * 2
    pattern = GamePattern(
        parts=parts, order=2, rounds=6, compose=lambda *two: ap.PrivacyGame(
            ap.ExtConComp(), fixed_mechanisms(two)
        ),
    )  # fmt: skip
    found = conjecture(pattern, bound=Fraction(6, 5), seed=1, starts=2)
    assert found.refuted
    made = pattern.question(found.judged.mechanisms).certify(order=2, rounds=6)
    assert made.check().endswith(f"the moment of order 2 is {found.loss}")


# --- random games ---------------------------------------------------------------------------------


def agrees(seed):
    """Whether a random game has a certificate, which then is of the engine's figure."""
    random = Random(seed)
    game = drawn(random, rounds=random.choice((3, 4, 4, 5)))
    growth = random.choice((Fraction(1), Fraction(3, 2), Fraction(2)))
    try:
        found = game.question.certify(epsilon=ap.Log(growth), rounds=game.rounds)
    except ap.InvalidArgument:  # f takes nothing of the catalogue, or the budget is of a user
        return False
    if seed % 4 == 0 and game.question.tight_renyi(2, 3).moment is not None:
        assert game.question.certify(order=2, rounds=3).check()  # the engine's figure
        assert game.question.certify(order=1, rounds=3).check()
    assert found.against(game.question).endswith(OF_THIS)
    return True


def test_random_games():
    assert sum(map(agrees, range(20))) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("first", range(20, 1020, 100))
def test_a_thousand_random_games(first):
    assert sum(map(agrees, range(first, first + 100))) >= 70


# --- random changes -------------------------------------------------------------------------------


def places(value, path=()):
    """The paths of all numbers and lists in rows."""
    for index, each in enumerate(value):
        yield (*path, index)
        if isinstance(each, list):
            yield from places(each, (*path, index))


def changed(random, rows):
    """The rows with one change."""
    rows = json.loads(json.dumps(rows))
    kind, line = random.randrange(8), random.randrange(len(rows))
    if kind == 0:
        del rows[line]
    elif kind == 1:
        rows.insert(random.randrange(len(rows)), rows[line])
    elif kind == 2:
        other = random.randrange(len(rows))
        rows[line], rows[other] = rows[other], rows[line]
    else:
        path = random.choice([*places(rows[line], (line,))])
        *way, last = path
        inner = rows
        for each in way:
            inner = inner[each]
        value = inner[last]
        if isinstance(value, int):
            near = random.choice((value + 1, value - 1, 0, 1, 2, 2 * value, random.randrange(9)))
            inner[last] = near
        elif isinstance(value, list) and value:
            if kind % 2:
                del value[random.randrange(len(value))]
            else:
                value.insert(random.randrange(len(value) + 1), random.choice(value))
        else:
            inner[last] = []
    return rows


def survives(random, found):
    """Whether the reader accepts a changed file, whose figures then are those of its tables."""
    rows = changed(random, rows_of(found))
    try:
        check(numbered(rows))
    except NotAccepted:
        return False
    assert TableGame(numbered(rows)).holds(), rows
    return True


def all_changes(number):
    survived, names = 0, [name for name in GAMES if name != "a hidden coin"]  # that takes long
    for name in names:
        found = certificate(name)[1]
        random = Random(f"{name} {number}")
        survived += sum(survives(random, found) for _ in range(number // len(names)))
    return survived


def loss_changes(number):
    survived, losses = 0, [each for each in LOSSES if each[0] != "a hidden coin"]
    for each in losses:
        found, random = of_loss(*each), Random(f"{each} {number}")
        survived += sum(survives(random, found) for _ in range(number // len(losses)))
    return survived


def test_three_hundred_changes():
    assert all_changes(sized(120, 300)) < sized(80, 200)
    assert loss_changes(sized(40, 100)) < sized(28, 70)


@pytest.mark.slow
def test_ten_thousand_changes():
    assert 100 < all_changes(10_000) < 6_000
    assert 50 < loss_changes(5_000) < 3_000


# --- aimed changes: a true certificate of another game is refused as one of this ------------------

OTHERS = {
    "a weaker f": (walk, lambda: walk(events=3), 3, 0),
    "a stricter f": (lambda: walk(events=3), walk, 3, 0),
    "fewer messages": (walk, lambda: asked(walking(), walk().verification, queries=[0]), 3, 0),
    "other noise": (walk, lambda: asked(walking(4), walk().verification), 3, 0),
    "more states": (walk, lambda: asked(walking(3, 2), walk().verification), 3, 0),
    "fewer creations": (leaky, lambda: leaky(1), 5, 0),
    "more creations": (leaky, lambda: leaky(3), 5, 0),
    "fixed_parameters for f_∞": (
        leaky, lambda: leaky(f=fixed_parameters([(0, TENTH)])), 4, 0,
    ),
    "a larger purse": (leaky, lambda: leaky(f=sparse_parallel([(0, TENTH)] * 2)), 4, 0),
    "another order": (lambda: fixed(2, 3), lambda: fixed(3, 2), 4, 0),
    "a part more": (lambda: fixed(2, 3), lambda: fixed(2, 3, 4), 4, 0),
    "a wider filter": (filtered, lambda: filtered(6), 4, 0),
    "a shorter catalogue": (filtered, lambda: filtered(catalogue=responses(2)), 4, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_another_game(name):
    this, other, rounds, epsilon = OTHERS[name]
    found = other().certify(epsilon=epsilon, rounds=rounds)
    assert found.against(other()).endswith(OF_THIS)
    with pytest.raises(ap.TranscriptError, match="another game"):
        found.against(this())


def edited(name, edit):
    """The lines of a game's certificate, after an edit of each row."""
    return numbered([edit(row) or row for row in rows_of(certificate(name)[1])])


def refused(lines, why=None):
    with pytest.raises(NotAccepted, match=why):
        check(lines)


def test_another_horizon():
    first, *rest = rows_of(certificate("one mechanism")[1])
    for rounds in (2, 4):
        refused(numbered([[*first[:2], rounds, *first[3:]], *rest]))


def test_a_larger_growth_than_the_epsilon_has():
    _, found = certificate("one mechanism", epsilon=1)
    rows = rows_of(found)
    *rest, (kind, epsilon, growth, delta) = rows
    check(numbered(rows))
    assert (kind, epsilon) == ("delta", [1, 1])
    refused(numbered([*rest, [kind, [9, 10], growth, delta]]), "more than")
    refused(numbered([*rest, [kind, [], [1, 2], delta]]))


def test_a_purse_that_grows():
    """One response of two may differ: the purse 1, after it, pays for none."""
    f, parts = sparse_parallel([(ap.Log(2), 0)]), responses(2)
    question = asked(ap.ExtConComp(), f, catalogue=parts, max_creations=2)
    rows = rows_of(question.certify(epsilon=0, rounds=4))
    assert ["public", 1, 1, [[0, 1, 1]]] in rows

    def instead(*publics):
        return numbered([*(row for row in rows if row[0] != "public"), *publics])

    empty = ["public", 1, 1, [[0, 1, 1]]]
    check(instead(["public", 0, 1, [[0, 2, 1], [0, 1, 0]]], empty))
    refused(instead(["public", 0, 1, [[0, 2, 0], [0, 1, 0]]], empty))
    more = ["public", 1, 1, [[0, 2, 1], [0, 1, 1]]]
    refused(instead(["public", 0, 1, [[0, 2, 1], [0, 1, 0]]], more))
    refused(instead(["public", 0, 1, [[0, 1, 1]]], more), "grows")


def test_a_payment_by_a_dead_end_allows_no_more():
    """To ask part 0 ends it and tells nothing, but pays; then part 1, which tells all, may come."""
    rows = [
        ["game", 3, 4, 1, 1, 2, 0],
        ["part", 0, 1, 1, 0],
        ["part", 1, 1, 1, 1],
        *(["step", 0, 1, query, 1, [[1, 0, 1]]] for query in (0, 1)),
        *(["step", 1, 1, query, 1, [[2 + query, 0, 1]]] for query in (0, 1)),
        ["f", 0, 0, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]],
        ["f", 1, 1, [[0, 1, 1], [1, 0, 1]]],
        ["public", 0, 1, [[0, 2, 1], [0, 1, 0]]],
        ["public", 1, 1, [[1, 1, 1]]],
        ["delta", [], [1, 1], [0, 1]],
    ]
    assert TableGame(numbered(rows)).tight(Fraction(1)) == 1
    refused(numbered(rows), "a payment allows more")


def test_symmetric_is_claimed_and_false():
    refused(edited("not symmetric", lambda r: [*r[:3], 1, *r[4:]] * (r[0] == "game")), "bad line")


def test_laws_and_columns_have_one_number():
    rows = rows_of(certificate("one mechanism")[1])
    for kind in ("law", "column"):
        first, second, *_ = (place for place, row in enumerate(rows) if row[0] == kind)
        refused(numbered([*rows[:first], rows[second], *rows[first:]]), "bad line")
    changed = [[each[0], [*each[1], [99, 1]]] if each[0] == "law" else each for each in rows]
    refused(numbered(changed))


def test_a_delta_is_no_loss():
    def ordered(row):
        return [*row[:6], 2] if row[0] == "game" else None

    lines = edited("one mechanism", ordered)
    for reader in (lone, lone_losses):
        with pytest.raises(NotAccepted, match="a bad line"):
            reader(lines)


def test_what_a_public_state_allows_is_said_once():
    def twice(row):
        return [*row[:3], [*row[3], *row[3][:1]]] if row[0] == "public" else None

    refused(edited("a purse", twice), "bad line")


def test_probabilities_add_up_to_one():
    def less(row):
        return [*row[:4], row[4] + 1, row[5]] if row[0] == "step" else None

    refused(edited("one mechanism", less), "bad line")


def test_a_smaller_figure():
    def smaller(row):
        return [*row[:3], [row[3][0], row[3][1] + 1]] if row[0] == "delta" else None

    for name in GAMES:
        refused(edited(name, smaller), "another δ")


def roots(name, change):
    """The lines of a certificate, after a change of the values of the first beliefs, and the figure
    that then follows."""
    rows = rows_of(certificate(name)[1])
    found = {}
    for row in rows:
        if row[0] == "node" and row[1] == rows[0][2]:
            change(row)
            found[row[5], row[6]] = Fraction(row[7], row[8])
        elif row[0] == "delta":
            one, zero = row[2]
            best = [found[zero, one], zero - one + found.get((one, zero), 0)]
            row[3] = [*(max(best[: 1 + (not rows[0][3])]) / zero).as_integer_ratio()]
    return numbered(rows)


def lazy(row):
    """Stop at once, and so gain nothing."""
    row[7:] = [max(0, row[5] - row[6]), 1, []]


def boast(row):
    """A value between what is attained and all there is."""
    row[7:9] = [row[7] + row[5] * row[8], 2 * row[8]]


@pytest.mark.parametrize("name", GAMES)
def test_a_strategy_that_is_not_the_best_and_a_value_that_none_attains(name):
    check(roots(name, lambda row: None))
    refused(roots(name, lazy), "worth more")
    refused(roots(name, boast), "attains")


def test_a_column_whose_first_states_differ_is_not_left_out():
    """A part whose answer tells the worlds apart, though no pair to it may differ."""
    rows = [
        ["game", 3, 1, 0, 0, 0, 0],
        ["part", 0, 1, 2, 0],
        ["step", 0, 1, 0, 1, [[1, 0, 1]]],
        ["step", 0, 2, 0, 1, [[2, 0, 1]]],
        ["f", 0, 0, [[0, 0, 0]]],
        ["public", 0, 1, []],
    ]
    root = ["node", 1, 0, 0, [2], 1, 1, 1, 1, [2, 0, 0]]
    check(numbered([*rows, root, ["delta", [], [1, 1], [1, 1]]]))
    refused(numbered([*rows, ["delta", [], [1, 1], [0, 1]]]), "no value")


def test_an_identical_pair_pays_for_no_differing_one():
    def paid(row):
        if row[0] != "f":
            return None
        return [*row[:3], [[zero, one, to | (zero == one)] for zero, one, to in row[3]]]

    refused(edited("a purse", paid), "bad line")


def test_rows_that_are_missing():
    for name in GAMES:
        for kind in ("part", "step", "f", "public", "node"):
            rows = rows_of(certificate(name)[1])
            first = next(index for index, row in enumerate(rows) if row[0] == kind)
            refused(numbered(rows[:first] + rows[first + 1 :]))


def test_the_value_of_a_belief_rests_on_none_with_as_many_messages():
    """No circle: a node is worth what others with fewer messages are."""
    rows = rows_of(certificate("fixed")[1])
    top = max(row[1] for row in rows if row[0] == "node")
    for row in rows:
        if row[0] == "node" and row[1] == top:
            row[6:9] = [row[6] * row[8], 1, row[8]]
    refused(numbered(rows))


DAMAGED = {
    "cut": lambda lines: lines[:-1],
    "cut in a line": lambda lines: [*lines[:-1], lines[-1][:-1]],
    "empty": lambda lines: [],
    "doubled": lambda lines: [*lines[:-1], *lines],
    "a line twice": lambda lines: numbered([*map(json.loads, lines[:-1]), json.loads(lines[5])]),
    "reversed": lambda lines: lines[::-1],
    "no JSON": lambda lines: ["not JSON"],
    "nested": lambda lines: ["[" * 100_000],
    "a float": lambda lines: [lines[0].replace("1", "1.0", 1), *lines[1:]],
    "true": lambda lines: [lines[0].replace("1", "true", 1), *lines[1:]],
    "negative": lambda lines: [*lines[:-1], '["end", -1]'],
    "10^5 digits": lambda lines: [*lines[:5], lines[5].replace("1", "1" * 100_000, 1), *lines[6:]],
    "a method": lambda lines: [lines[0], '["__init__", 1]'],
    "an object": lambda lines: [lines[0], '{"a": 1}'],
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged(name):
    refused(DAMAGED[name](list(certificate("fixed")[1].lines)))


def test_reformatted_lines_are_the_same_certificate():
    lines = certificate("fixed")[1].lines
    assert check([json.dumps(json.loads(line), indent=1) for line in lines]) == check(lines)


def test_a_damaged_certificate_is_a_transcript_error():
    found = certificate("fixed")[1]
    with pytest.raises(ap.TranscriptError, match="does not hold: the end is missing"):
        Certificate(found.lines[:-1]).check()


def test_a_dead_part_does_not_come_back():
    """State 0 stays, and has one answer to all queries: no row of it may say otherwise."""
    lines = rows_of(certificate("one mechanism")[1])
    part = next(row[1] for row in lines if row[0] == "step")
    at = next(place for place, row in enumerate(lines) if row[0] == "step")
    for rows, fine in (
        ([[[0, 0, 1]], [[0, 0, 1]]], True), ([[[1, 0, 1]], [[1, 0, 1]]], True),
        ([[[0, 0, 1]], [[1, 0, 1]]], False), ([[[1, 0, 1], [0, 0, 1]]], False),
        ([[[1, 1, 1]]], False), ([[[0, 1, 1]]], False),
    ):  # fmt: skip
        more = [["step", part, 0, query, len(row), row] for query, row in enumerate(rows)]
        found = numbered([*lines[:at], *more, *lines[at:]])
        if fine:
            check(found)
        else:
            refused(found, "bad line")


def test_a_part_that_dies_by_chance_has_a_certificate():
    """Seed 132: in a composition a dead part answers HALT, which is an answer like others."""
    assert agrees(132)


# --- losses ---------------------------------------------------------------------------------------


def loss_rows(order):
    """Answers 1/5 : 4/5 in world 0 and 3/4 : 1/4 in world 1: the worlds have unlike moments."""
    return [
        ["game", 3, 1, 0, 0, 0, order],
        ["part", 0, 1, 2, 0],
        ["step", 0, 1, 0, 5, [[1, 0, 1], [2, 0, 4]]],
        ["step", 0, 2, 0, 4, [[1, 0, 3], [2, 0, 1]]],
        ["f", 0, 0, [[0, 0, 0]]],
        ["public", 0, 1, []],
    ]


def moment(p, q):
    return sum(a**2 / b for a, b in zip(p, q, strict=True))


def test_the_larger_moment_of_both_worlds_is_certified():
    p, q = (Fraction(1, 5), Fraction(4, 5)), (Fraction(3, 4), Fraction(1, 4))
    both = [moment(p, q), moment(q, p)]
    nodes = [
        ["node", 1, 0, 0, [2], *world, *each.as_integer_ratio(), [2, 0, 0]]
        for world, each in zip(((1, 0), (0, 1)), both, strict=True)
    ]
    assert both[1] > both[0]
    for given, fine in ((both[1], True), (both[0], False), (both[1] + 1, False)):
        found = numbered([*loss_rows(2), *nodes, ["loss", [*given.as_integer_ratio()]]])
        check(found) if fine else refused(found, "another figure")
    refused(
        numbered([*loss_rows(2), nodes[0], ["loss", [*both[0].as_integer_ratio()]]]), "no value"
    )


@pytest.mark.parametrize("order", [1, 2])
def test_a_value_of_a_loss_is_attained_and_none_is_more(order):
    lines = rows_of(of_loss("one mechanism", order))
    for number, row in enumerate(lines):
        if row[0] == "node" and row[1] == 1:
            for value, told in (
                ([0, 1, []], "to stop is worth more"), ([1, 1, []], "a continuation is worth more"),
                ([10**6, 1, row[9]], "no option attains"),
            ):  # fmt: skip
                changed = [*lines[:number], [*row[:7], *value], *lines[number + 1 :]]
                refused(numbered(changed), told)
            break


def test_a_coin_in_public_drives_two_losses_apart():
    """Heads: (0, 1), tails: (1, 0): ratios between 2/3 and 3/2, as for the engine."""
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([coin, lopsided]))
    found = game.question(report=None).certify(order=1, rounds=4)
    rows = rows_of(found)
    for row in rows:
        if row[0] == "public":  # nothing pays for a differing pair to the coin, which takes none
            row[3] = [each for each in row[3] if each[:2] != [0, 2]]
    for lines in (found.lines, numbered(rows)):
        assert check(lines).endswith("is 9/4")
        assert TableGame(lines).holds()


def test_an_infinite_loss_is_refused_by_the_reader():
    rows = loss_rows(2)
    rows[3] = ["step", 0, 2, 0, 1, [[1, 0, 1]]]
    for order in (1, 2):
        node = ["node", 1, 0, 0, [2], 1, int(order == 1), 9, 1, [2, 0, 0]]
        rows[0] = ["game", 3, 1, 0, 0, 0, order]
        refused(numbered([*rows, node, ["loss", [9, 1]]]), "infinite")
