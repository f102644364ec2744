"""Formulas: a tight δ as a function of a symbol is the engine's figure at every number of it; its
certificate is accepted, and no other; and a symbol never passes for a number."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import attrs
import pytest
import random_games
from exact_reference import Table
from trying import over, sized

import antiphon as ap
from antiphon.audit.certificates.antiphon_check import NotAccepted, check
from antiphon.audit.certificates.antiphon_formula_check import FormulaFile, Poly
from antiphon.audit.formulas.cuts import CutPoints
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import KaryResponse, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.numbers.polynomials import Polynomial
from antiphon.numbers.symbolic import SymbolError
from antiphon.protocol import Approximate, Status, spaces
from antiphon.verifiers import bounded, event_level

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@attrs.frozen
class NoisyThreshold(ap.ContinualMechanism):
    """AboveThreshold whose noise is -1 or 1 with probability ``flip`` each, and else 0."""

    flip: Fraction
    initial_state = None
    signature = ap.Signature(spaces.BITS, spaces.Finite((ap.TOP, ap.BOTTOM, ap.HALT)))

    @property
    def claims(self):
        return (ap.Claim(Approximate(9, 0), event_level(), Status.ASSUMED, "unknown"),)

    def noise(self, coins):
        if coins.bernoulli(1 - 2 * self.flip):
            return 0
        return 1 if coins.bernoulli(HALF) else -1

    def step(self, state, message, coins):
        if state == "over":
            return state, ap.HALT
        if state is None:
            state = self.noise(coins)
        return ("over", ap.TOP) if message + self.noise(coins) >= state else (state, ap.BOTTOM)


class GeometricThreshold(NoisyThreshold):
    """The same with clamped geometric noise of ratio ``flip``."""

    def noise(self, coins):
        return coins.clamped_geometric(0, self.flip, -1, 1)


def composed(f, parts, most=None):
    return ap.PrivacyGame(ap.ExtConComp(), f).question(
        catalogue=parts, max_creations=most, report=None
    )


def leaky(copies):
    def ask(x):
        return composed(sparse_parallel([(0, x)]), [LeakyBit(delta=x)], copies), 0, 2 * copies + 1

    return ask


def responses(copies, at, ratio=lambda x: x, delta=0):
    """Randomized responses of a ratio that depends on the symbol, at an e^ε that may, too."""

    def ask(x):
        epsilon, own = ap.Log(ratio(x)), delta if delta != "x" else x
        parts = [RandomizedResponse(epsilon=epsilon, delta=own)]
        f = fixed_parameters([(epsilon, own)] * copies)
        return composed(f, parts, copies), ap.Log(at(x)), 2 * copies

    return ask


def threshold(kind, rounds):
    def ask(x):
        game = ap.PrivacyGame(kind(x), bounded(event_level(events=99), rounds))
        return game.question(report=None), ap.Log(2), rounds

    return ask


def curve(x):
    parts = [RandomizedResponse(epsilon=ap.Log(q), delta=Fraction(1, 20)) for q in (2, 3, 5)]
    return composed(fixed_mechanisms(parts), None), ap.Log(x), 6


BIT, FLIP, RATIO = ap.Symbol("x", 0, 1), ap.Symbol("t", 0, HALF), ap.Symbol("q")
FAMILIES = {
    "leaky bits": (leaky(3), BIT),
    "more leaky bits": (leaky(5), BIT),
    "two responses": (responses(2, lambda q: q), RATIO),
    "three flips": (responses(3, lambda t: 2, lambda t: 1 / t - 1), FLIP),
    "a delta": (responses(2, lambda x: 2, lambda x: 3, "x"), BIT),
    "three rounds of noise": (threshold(NoisyThreshold, 3), FLIP),
    "four rounds of noise": (threshold(NoisyThreshold, 4), FLIP),
    "geometric noise": (threshold(GeometricThreshold, 3), BIT),
    "a whole curve": (curve, ap.Symbol("E", 1, 16)),
}


@cache
def formula(name):
    make, symbol = FAMILIES[name]
    question, epsilon, rounds = make(symbol)
    asked = {each: getattr(question, each) for each in ("catalogue", "max_creations", "report")}
    game = ap.PrivacyGame(question.system, question.verification)
    return game.tight_delta(epsilon=epsilon, rounds=rounds, **asked)


def inside(symbol, random):
    high = symbol.unknown.high or 50
    return symbol.unknown.low + (high - symbol.unknown.low) * Fraction(
        random.randrange(1, 997), 997
    )


# --- the figures ----------------------------------------------------------------------------------

WRITTEN = {
    "leaky bits": "x**3 - 3*x**2 + 3*x",
    "two responses": "q*(q - 1)/(q + 1)**2",
    "three flips": """6*t**3 - 9*t**2 + 1 for 0 <= t <= 1/3
-3*t**3 + 3*t**2 - 3*t + 1 for 1/3 <= t <= ≈0.442493334
0 for ≈0.442493334 <= t <= 1/2""",
    "geometric noise": """-x*(x + 2)*(3*x**2 - x - 1)/(x + 1)**4 for 0 <= x <= 1/2
-x*(3*x**2 - 2)/(x + 1)**3 for 1/2 <= x <= ≈0.767591879
-x*(3*x**3 - x - 1)/(x + 1)**4 for ≈0.767591879 <= x <= ≈0.851383073
0 for ≈0.851383073 <= x <= 1""",
}


@over("name", WRITTEN)
def test_formulas(name):
    assert formula(name).formula == WRITTEN[name]


def test_cuts_are_roots_in_isolating_intervals():
    found = formula("four rounds of noise")
    assert len(found.pieces) == 5
    cuts = [piece.low for piece in found.pieces[1:]]
    assert max(len(cut.root.polynomial) - 1 for cut in cuts) == 4
    for cut in cuts:
        m, low, high = cut.root
        assert m(low) * m(high) < 0 or low == high == cut.exact
        assert high - low < Fraction(1, 10**9)
    assert str(found.pieces[1].delta) == "-t**3 - 4*t**2 + 2*t"


def agree(name, points):
    make, symbol = FAMILIES[name]
    found, random = formula(name), Random(name)
    for _ in range(points):
        x = inside(symbol, random)
        question, epsilon, rounds = make(x)
        assert found.at(x) == question.solve(epsilon, rounds).delta, x
    return points


def test_each_family_is_the_engines_figure_elsewhere():
    assert sum(agree(name, 3) for name in FAMILIES) >= 20


@pytest.mark.slow
@over("name", FAMILIES)
def test_a_thousand_numbers_elsewhere(name):
    assert agree(name, 1_000)


def test_at():
    found = formula("two responses")
    assert found.at(3) == found.at(ap.Log(3)) == Fraction(3, 8)
    with pytest.raises(ap.InvalidArgument, match=r"about q in \[1, ∞\), not about 1/2"):
        found.at(0.5)
    flips = formula("three flips")
    assert flips.at(THIRD) == 6 * THIRD**3 - 9 * THIRD**2 + 1
    assert flips.at(HALF) == 0
    assert 0 < flips.at(Fraction("0.4424")) < Fraction(1, 1000)


def test_a_claim_for_all_numbers():
    found = formula("two responses")
    q = FAMILIES["two responses"][1]
    assert found.verify(1)
    assert found.verify((q - 1) / (q + 1))  # what one response has at ε = 0
    failing = found.verify(HALF)
    assert not failing
    assert found.at(failing.point) > HALF
    assert not found.verify(found.at(3))
    flips = formula("three flips")
    assert flips.verify(flips.pieces[0].delta) is not None
    crossing = flips.verify(flips.pieces[1].delta)  # from its first cut on only
    assert not crossing.holds or flips.pieces[1].delta.at(FLIP.unknown.inside) >= 0
    with pytest.raises(SymbolError, match="one symbol at a time"):
        found.verify(BIT)


def test_the_engine_reads_a_symbol_as_a_number_within():
    assert formula("two responses").by_engine(Fraction(3)) == Fraction(3, 8)


def test_in_a_notebook():
    found = formula("three flips")
    latex = found._repr_latex_()
    assert latex.startswith(
        "$\\delta(t) = \\begin{cases} 6t^{3} - 9t^{2} + 1 & 0 \\le t \\le 1/3 \\\\"
    )
    assert formula("two responses")._repr_latex_() == "$\\delta(q) = \\frac{q(q - 1)}{(q + 1)^{2}}$"
    assert "for all t in [0, 1/2], against 6 messages" in str(found)
    axes = found.plot()
    line = axes.get_lines()[0]
    assert line.get_ydata()[0] > 0.99
    assert line.get_ydata()[-1] == 0
    assert formula("two responses").plot().get_xlabel() == "q"


def test_any_number_of_messages_where_the_symbol_is_in_the_epsilon():
    game = ap.PrivacyGame(RandomizedResponse(epsilon=ap.Log(3)))
    found = game.tight_delta(epsilon=ap.Symbol("E"))
    assert found.formula == "(-E + 3)/4 for 1 <= E <= 3\n0 for E >= 3"
    assert game.tight_delta(epsilon=ap.Log(ap.Symbol("E"))).formula == found.formula


# --- random games ---------------------------------------------------------------------------------

WEIGHTS = (1, 2), (2, 1), (3, 1), (1, 5), (0, 1), (1, 0), (1, 1), (2, 3)


def weight(random, x):
    low, high = random.choice(WEIGHTS)
    return low * (1 - x) + high * x


def drawn(seed, x, monkeypatch):
    """A random composition whose weights depend on x, and an e^ε."""

    def outcome(random, states):
        return weight(random, x), random.randrange(states), random.choice(random_games.ANSWERS)

    monkeypatch.setattr(random_games, "outcome", outcome)
    random = Random(seed)
    game = random_games.drawn(random, rounds=random.choice((3, 4, 4, 5)))
    return game, ap.Log(random.choice((Fraction(1), Fraction(3, 2), Fraction(2))))


def alone(seed, x):
    """A random mechanism whose weights depend on x, and an e^ε that may."""
    random = Random(seed)
    states = random.choice((2, 3))
    rows = tuple(
        tuple(
            tuple((weight(random, x), random.randrange(states), random.randrange(3)) for _ in "abc")
            for _ in range(2)
        )
        for _ in range(states)
    )
    f = bounded(event_level(events=random.choice((1, 2))), 3)
    return ap.PrivacyGame(Table(rows), f), ap.Log(random.choice((1, 1 + x, 2)))


def composes(seed, monkeypatch, by_force):
    """Whether a random composition has a formula, which then is the engine's figure."""
    game, epsilon = drawn(seed, BIT, monkeypatch)
    search = {"catalogue": game.creations, "max_creations": game.most, "report": None}
    try:
        found = game.game.tight_delta(epsilon=epsilon, rounds=game.rounds, **search)
    except ap.InvalidArgument:  # f takes nothing of the catalogue, or the budget is of a user
        return False
    if isinstance(found, Fraction):
        return False
    random = Random(seed)
    for x in (Fraction(random.randrange(1, 100), 100) for _ in range(2)):
        numbers, epsilon = drawn(seed, x, monkeypatch)
        assert numbers.question.solve(epsilon, game.rounds).delta == found.at(x)
        if by_force:
            growth = getattr(epsilon, "argument", Fraction(1))
            assert numbers.brute.tight_delta(growth, game.rounds) == found.at(x)
    again, _ = drawn(seed, BIT, monkeypatch)
    assert found.certificate().against(again.question).endswith("of the game that was given")
    return True


def pieces_of(seed):
    game, epsilon = alone(seed, BIT)
    found = game.tight_delta(epsilon=epsilon, rounds=3, report=None)
    random = Random(seed)
    for x in (Fraction(random.randrange(1, 100), 100) for _ in range(3)):
        numbers, epsilon = alone(seed, x)
        assert numbers.tight_delta(epsilon=epsilon, rounds=3, report=None) == found.at(x)
    assert found.certificate().check()
    return len(found.pieces)


def test_random_compositions(monkeypatch):
    seeds = range(sized(12, 600))
    assert sum(composes(seed, monkeypatch, seed % 4 == 0) for seed in seeds) >= len(seeds) / 3


@pytest.mark.slow
def test_random_mechanisms():
    assert sum(pieces_of(seed) for seed in range(40)) > 80


# --- certificates ---------------------------------------------------------------------------------


QUICK = {"leaky bits", "two responses", "three flips", "geometric noise"}


def certified(name):
    found = certificate(name)
    make, symbol = FAMILIES[name]
    assert found.check().startswith("against ")
    assert found.against(make(symbol)[0]).endswith(
        "Its tables are those of the game that was given"
    )


@over("name", QUICK)
def test_certificates(name):
    certified(name)


@pytest.mark.slow
@over("name", FAMILIES.keys() - QUICK)
def test_more_certificates(name):
    certified(name)


def test_of_another_game_or_interval():
    found = certificate("three rounds of noise")
    make = threshold(NoisyThreshold, 3)
    for other in (make(ap.Symbol("t", 0, THIRD)), threshold(GeometricThreshold, 3)(FLIP)):
        with pytest.raises(ap.TranscriptError, match="of another"):
            found.against(other[0])


def test_two_files_suffice(tmp_path):
    """The reader of formulas and the one that it takes the rules of the game from."""
    folder = Path(sys.modules[FormulaFile.__module__].__file__).parent
    for name in ("antiphon_check.py", "antiphon_formula_check.py"):
        (tmp_path / name).write_text((folder / name).read_text())
    path = tmp_path / "found.jsonl"
    certificate("two responses").save(path)
    bare = {"PATH": os.environ["PATH"]}

    def run():
        command = [sys.executable, "-E", "-s", "-S", "antiphon_formula_check.py", str(path)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=bare)

    assert run().stdout.startswith(
        "checked, against 4 messages, in the game of its tables, for all"
    )
    path.write_text(path.read_text().replace("[0,-1,1]", "[0,-2,1]"))
    assert run().stderr.startswith("not accepted: ")


def refused(rows):
    """Whether the reader refuses some rows."""
    lines = [json.dumps(each) for each in (*rows, ["end", len(rows)])]
    try:
        check(lines, FormulaFile)
    except NotAccepted:
        return True
    return False


@cache
def certificate(name):
    return formula(name).certificate()


def rows_of(name):
    return [json.loads(line) for line in certificate(name).lines[:-1]]


def changed(random, pieces):
    """Some pieces, where one number of a polynomial or one first cut is another."""
    pieces = json.loads(json.dumps(pieces))
    piece = random.choice(pieces)
    piece[1] = piece[1] or [0]
    own = random.choice(piece[1:-1]) if any(piece[1]) else piece[1]  # 0/2 is 0/1
    if random.random() < 0.1:
        own = piece
    own[0 if own is piece else random.randrange(len(own))] += random.choice((-2, -1, 1, 2))
    return pieces


def survivors(name, kind, number):
    """How many changes of the pieces of a formula, or of its beliefs, are accepted."""
    rows, random = rows_of(name), Random(name)
    places = [place for place, row in enumerate(rows) if row[0] == kind]
    accepted = tried = 0
    while tried < number:
        place = random.choice(places)
        row = [*rows[place][:-1], changed(random, rows[place][-1])]
        if row != rows[place]:
            tried += 1
            accepted += not refused([*rows[:place], row, *rows[place + 1 :]])
    return accepted


def test_a_hundred_changed_pieces_are_refused():
    for name in ("three flips", "two responses"):
        assert survivors(name, "tight", 55) == 0


@pytest.mark.slow
@over("name", FAMILIES)
def test_changed_beliefs_are_refused(name):
    assert survivors(name, "tight", 30) == 0
    assert survivors(name, "node", 30) == 0


def is_irrational(cut):
    return cut[2] != cut[3]


def aimed(rows, kind, edit):
    places = [place for place, row in enumerate(rows) if row[0] == kind]
    place = next(
        (place for place in places if kind == "cut" and is_irrational(rows[place])), places[0]
    )
    row = json.loads(json.dumps(rows[place]))
    edit(row)
    return [*rows[:place], row, *rows[place + 1 :]]


def moves(cut):
    cut[2] = cut[3] = [2 * cut[3][0], cut[3][1]]


def nears(cut):
    """A cut at another number of the same interval, on whose side a sign is another."""
    low, high = Fraction(*cut[2]), Fraction(*cut[3])
    middle = (low + high) / 2
    cut[1] = [-middle.numerator, middle.denominator]


AIMED = {
    "a probability below 0": ("step", lambda row: row.__setitem__(4, [[1, 1, [2]], [2, 2, [-1]]])),
    "a sum above 1": ("step", lambda row: row[4][0].__setitem__(2, [3])),
    "a cut elsewhere": ("cut", moves),
    "a cut near": ("cut", nears),
    "a cut at no root": ("cut", lambda row: row.__setitem__(1, [1])),
    "a factor for a sign": ("sign", lambda row: row[2][0].__setitem__(1, 5)),
    "a wider interval": ("interval", lambda row: row.__setitem__(2, [3, 4])),
    "no denominator": ("interval", lambda row: row.__setitem__(4, [])),
    "a sample outside": ("interval", lambda row: row.__setitem__(3, [7, 1])),
    "fewer pairs": ("f", lambda row: row.__setitem__(3, row[3][:1])),
    "a smaller e^ε": ("tight", lambda row: row.__setitem__(1, [1])),
    "a world that is none": ("tight", lambda row: row[3][0].__setitem__(3, 2)),
    "a negative number": ("game", lambda row: row.__setitem__(5, -1)),
    "a number that is none": ("game", lambda row: row.__setitem__(2, True)),
    "a text": ("node", lambda row: row.__setitem__(1, "1")),
}


@over("name", AIMED)
def test_aimed_changes(name):
    rows = rows_of("three rounds of noise")
    assert not refused(rows)
    assert refused(aimed(rows, *AIMED[name]))


def test_a_value_below_a_continuation():
    """The root stops, and says that nothing is worth more."""
    rows = rows_of("leaky bits")
    place = max(place for place, row in enumerate(rows) if row[0] == "node")
    rows[place][7] = [[0, [], []]]
    assert refused([*rows[:-1], [*rows[-1][:3], [[0, [], [1], 0]]]])


@attrs.frozen
class Upwards:
    """A relation that is not symmetric."""

    def holds(self, zero, one):
        return zero < one


def test_the_better_world():
    """World 1 says 1 with probability x, and world 0 never does."""
    rows = (((1, 0, 0),), ((BIT, 0, 1), (1 - BIT, 0, 0)))
    game = ap.PrivacyGame(Table((rows,)), bounded(event_level(Upwards()), 1))
    found = game.tight_delta(epsilon=ap.Log(2), rounds=1, report=None)
    assert found.formula == "x"
    said = [json.loads(line) for line in found.certificate().lines[:-1]]
    assert said[-1] == ["tight", [2], [1], [[0, [0, 1], [1], 1]]]
    assert not refused(said)
    lesser = [[0, [], [1], 0], [1, [-1, 2], [1], 0]]
    assert refused([*said[:-1], [*said[-1][:3], lesser]])
    assert refused([*said[:-1], [*said[-1][:3], [[0, [0, 1], [1], 0]]]])


def test_a_value_that_no_option_attains():
    rows = rows_of("leaky bits")
    place = max(place for place, row in enumerate(rows) if row[0] == "node")
    rows[place][7][0][1] = [1]
    assert refused([*rows[:-1], [*rows[-1][:3], [[0, [1], [1], 0]]]])


def test_a_sign_that_nobody_asks_for():
    rows = rows_of("leaky bits")
    assert not refused([*rows, ["sign", [7, 1], [[0, 1]]]])
    assert refused([*rows, ["sign", [7, 1], [[0, 5]]]])
    assert refused([*rows, ["sign", [7, 1], [[0, 0]]]])


def test_a_step_that_nobody_takes():
    rows = rows_of("leaky bits")
    assert not refused([*rows, ["step", 9, 1, 0, [[1, 1, [1, -1]], [1, 2, [0, 1]]]]])
    assert refused([*rows, ["step", 9, 1, 0, [[1, 1, [1, 1]], [1, 2, [0, -1]]]]])
    assert refused([*rows, ["step", 9, 1, 0, [[1, 1, [1]], [1, 2, [0, 1]]]]])


def test_a_double_root_is_no_cut():
    cuts = CutPoints(BIT.unknown)
    assert cuts.signs(Polynomial.of([1, -4, 4])) == [(cuts.first, 1)]
    (_, before), (root, after) = cuts.signs(Polynomial.of([-1, 6, -12, 8]))
    assert (before, root.exact, after) == (0, HALF, 1)


@over(
    "coefficients, low, high, expected",
    [
        ((1, -2, 1), 0, 2, True),  # (x - 1)²
        ((-2, 0, 1), 0, 2, False),
        ((4, 0, -4, 0, 1), 0, 2, True),  # (x² - 2)²
        ((-4, 0, 4, 0, -1), 0, 2, False),
        ((0, 4, 0, -4, 0, 1), -1, 2, False),  # x·(x² - 2)²
        ((0, 4, 0, -4, 0, 1), 0, None, True),
        ((1, -1), 0, 1, True),
        ((1, -1), 0, None, False),
        ((-1, 1), 1, None, True),
        ((2, -3, 1), 2, None, True),
        ((2, -3, 1), 1, None, False),
        ((), 0, 1, True),
    ],
)
def test_signs_that_the_reader_proves(coefficients, low, high, expected):
    assert Poly(coefficients).nonnegative(Fraction(low), high and Fraction(high)) is expected


def test_signs_of_random_polynomials():
    """A sign that is proven is that of every sample; and one that is not, has one that differs."""
    random = Random(5)
    for _ in range(60):
        roots = [Fraction(random.randint(-6, 6), random.randint(1, 3)) for _ in range(3)]
        poly = Poly([random.choice((-1, 1))])
        for root in roots:
            factor = Poly([-root.numerator, root.denominator])
            poly = poly * factor * (factor if random.random() < 0.5 else Poly([1]))
        low, high = sorted({Fraction(random.randint(-8, 8), 4), Fraction(5, 2)})[:2] or (0, 1)
        inner = sorted({low, high, *(root for root in roots if low < root < high)})
        samples = [(one + two) / 2 for one, two in pairwise(inner)]
        assert poly.nonnegative(low, high) is all(poly(x) >= 0 for x in samples)


# --- a symbol is no number ------------------------------------------------------------------------


def test_arithmetic():
    x, q = BIT, RATIO
    assert x - x == 0
    assert type(x / x) is Fraction
    assert str((1 - 2 * x) / (3 * x)) == "-(2*x - 1)/(3*x)"
    assert str(1 / q - q**-2 + Fraction(1, 3)) == "(q**2 + 3*q - 3)/(3*q**2)"
    assert (q * q - 1) / (q + 1) == q - 1
    assert 0 <= x <= 1 < 1 + q
    assert (x - HALF) ** 2 >= 0
    assert not q < 1
    assert q < float("inf")
    assert x != HALF
    assert hash(x) == hash(ap.Symbol("x", 0, 1))
    with pytest.raises(ZeroDivisionError):
        x / 0


class InfiniteNoise(NoisyThreshold):
    """Noise that cannot be enumerated."""

    def noise(self, coins):
        return coins.discrete_laplace(1 + self.flip)


REFUSED = {
    "a comparison": lambda: BIT < HALF,
    "a comparison that holds at one number": lambda: (BIT - HALF) ** 2 <= 0,
    "a pole": lambda: 1 / (BIT - HALF) > 0,
    "a float": lambda: float(BIT),
    "two symbols": lambda: BIT * RATIO,
    "a power that is no whole number": lambda: RATIO**HALF,
    "a sampled coin": lambda: LeakyBit(delta=BIT).start(seed=1).send(1),
    "an ε that is a divisor": lambda: TreeCounter(horizon=2, epsilon=RATIO),
    "infinite noise": lambda: ap.PrivacyGame(InfiniteNoise(BIT), event_level()).tight_delta(
        epsilon=0, rounds=1
    ),
    "two symbols in a game": lambda: composed(
        fixed_parameters([(0, BIT)] * 2),
        [LeakyBit(delta=BIT), KaryResponse(epsilon=RATIO, values=2)],
    ).solve(ap.Log(2), 3),
}


@over("name", REFUSED)
def test_where_a_number_is_needed(name):
    with pytest.raises((SymbolError, ap.Intractable)):
        REFUSED[name]()


def test_a_probability_has_an_interval():
    with pytest.raises(ap.InvalidArgument, match=r'not q: write ap.Symbol\("x", 0, 1\)'):
        LeakyBit(delta=RATIO)


def test_two_symbols_in_a_game():
    game = ap.PrivacyGame(LeakyBit(delta=BIT))
    with pytest.raises(SymbolError, match="one symbol at a time: this game has E"):
        game.tight_delta(epsilon=ap.Symbol("E"), rounds=2)


def test_messages_must_be_counted():
    with pytest.raises(ap.InvalidArgument, match="rounds=3"):
        ap.PrivacyGame(RandomizedResponse(epsilon=RATIO)).tight_delta(epsilon=0)


@attrs.frozen
class Deciding(ap.ContinualMechanism):
    """It decides by a comparison that is not the same for all numbers of a symbol."""

    bias: Fraction
    initial_state = None
    signature = ap.Signature(spaces.BITS, spaces.BITS)

    def step(self, state, message, coins):
        return state, message if self.bias > HALF else 0


def test_a_comparison_in_a_step_is_no_refusal():
    """A refusal would answer the same in both worlds, and pass for privacy."""
    game = ap.PrivacyGame(Deciding(BIT), event_level())
    with pytest.raises(SymbolError, match=r"changes near 0\.5"):
        game.tight_delta(epsilon=0, rounds=2)
    assert ap.PrivacyGame(Deciding(ap.Symbol("x", HALF, 1)), event_level()).tight_delta(
        epsilon=0, rounds=2
    ) == 1  # fmt: skip


@over(
    "given",
    [
        ("x", 1, 0),
        ("x", 0.5, 1),
        ("x y", 0, 1),
        (1, 0, 1),
        ("x", None, 1),
        ("x", True, 2),
        ("x", 1, 1),
    ],
)
def test_symbols_that_are_none(given):
    with pytest.raises(ap.InvalidArgument, match=r"ap\.Symbol"):
        ap.Symbol(*given)


def test_the_extra_is_named():
    code = (
        "import sys; sys.modules['flint'] = None\n"
        "import antiphon as ap\n"
        "try: ap.Symbol('x', 0, 1)\n"
        "except ap.MissingExtra as error: print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "antiphon[formulas]" in found.stdout


def test_polynomials_of_both_kinds_compute_alike():
    """Those of the reader, and those of python-flint."""
    random = Random(3)
    for _ in range(40):
        one, two, three = (
            [random.randint(-3, 3) for _ in range(random.randint(1, 5))] for _ in range(3)
        )
        if not any(one) or not any(two):
            continue
        mine = [Poly(each) for each in (one, two, three)]
        theirs = [Polynomial.of(each) for each in (one, two, three)]
        by, other = mine[0] * mine[2], mine[1] * mine[2]
        common = (theirs[0] * theirs[2]).common(theirs[1] * theirs[2])
        assert by.common(other) in (Poly(common.coefficients), Poly(common.coefficients) * -1)
        assert tuple(by) == (theirs[0] * theirs[2]).coefficients
        assert by // mine[0] == mine[2]
        assert mine[0](HALF) == theirs[0](HALF)
