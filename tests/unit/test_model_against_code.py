"""What the Coq model computes against what the library computes: equal, on random systems.

A system is two or three random rational tables in an ExtConComp behind V[f_∞] and I(b). Of an
adversary that is random, or the best one that the exact engine finds, the chance of an event
in either world is computed by the engine and, in one file for all systems, by Coq's kernel.
"""

import random
from fractions import Fraction

import attrs
import pytest
from proved import FILES, MODEL, compiled, kept_by, needs_coq, tool

import antiphon as ap
from antiphon import HALT, Claim, Create
from antiphon.audit import law_of_views
from antiphon.composition import fixed_mechanisms, sparse_parallel
from antiphon.mechanisms import DiscreteLaplace, RandomizedResponse
from antiphon.numbers.errors import Intractable, InvalidArgument
from antiphon.numbers.exact import Log
from antiphon.protocol import Approximate, Status
from antiphon.protocol.messages import EMPTY, TOP, Ask, Pair
from antiphon.protocol.verification import Refused, Verification
from antiphon.selfcheck.theorems.finite import WALK, FiniteAboveThreshold, Table, promised
from antiphon.verifiers import bounded, event_level

BITS = (0, 1)
HEADER = """From Coq Require Import QArith List NArith.
From Antiphon Require Import Distributions Statements Tables Trials.
Import ListNotations.
Open Scope nat_scope.
"""


@attrs.frozen
class Listed(Verification):
    """f' as an automaton: for each state the pairs that it lets through, and the next state."""

    allowed: tuple

    @property
    def initial_state(self):
        return 0

    def step(self, state, zero, one):
        for first, second, after in self.allowed[state]:
            if (first, second) == (zero, one):
                return after
        return Refused("not listed")


def random_part(rng):
    """A component, created with a claim (E, 1), and its E: it is in the purse by its E alone."""
    states, answers = rng.randint(1, 2), rng.choice([(0, 1), (HALT, 0, 1)])
    weights = [0, 1, 1, 2, 3, 5]
    rows = tuple(
        tuple((1, *(rng.choice(weights) for _ in range(states * len(answers) - 1))) for _ in BITS)
        for _ in range(states)
    )
    pairs = [(q, r) for q in BITS for r in BITS]
    moods = rng.randint(1, 3)
    allowed = tuple(
        tuple((q, r, rng.randrange(moods)) for q, r in pairs if rng.random() < 0.8)
        for _ in range(moods)
    )
    growth = Fraction(rng.choice([1, 2, 3]))
    claim = Claim(Approximate(Log(growth), 1), Listed(allowed), Status.PROVED, "δ = 1")
    return Create(Table(f"t{rng.random()}", rows, answers, (claim,))), growth


@attrs.define(eq=False)
class Wanderer(ap.Adversary):
    """Says what comes to mind, once and for all after each sequence of answers."""

    rng: random.Random
    catalogue: tuple
    said: dict = attrs.field(factory=dict)
    """By what was heard: the message, and how many are created after it."""

    @property
    def initial_state(self):
        return ()

    def step(self, state, message, coins):
        heard = state if message is EMPTY else (*state, message)
        if heard not in self.said:
            self.said[heard] = self.think(self.said[heard[:-1]][1] if heard else 0)
        return heard, self.said[heard][0]

    def think(self, made):
        rng = self.rng
        if not made or (made < 3 and rng.random() < 0.3):
            create = rng.choice(self.catalogue)
            return Pair(create, create), made + 1
        index = rng.randrange(made + (rng.random() < 0.05))
        return Pair(Ask(rng.choice(BITS), index), Ask(rng.choice(BITS), index)), made


def in_coq(answer):
    """An answer as Trials.code numbers it."""
    return 0 if answer is HALT else 1 if answer is TOP else 2 + answer


def heard(view, rounds):
    """The answers of a view as numbers; after its end, HALT."""
    answers = [in_coq(each) for each in view.answers]
    return (*answers, *[0] * (rounds - len(answers)))


def said(message, catalogue):
    """A pair as Trials.say reads it."""
    zero, one = message.zero, message.one
    if type(zero) is Create:
        return 0, catalogue.index(zero), 0
    return zero.index + 1, zero.query, one.query


def strategy(laws, catalogue):
    """What was said after which answers, in all views."""
    return {
        tuple(in_coq(each) for each in view.answers[:place]): said(message, catalogue)
        for law in laws
        for view, _ in law.views
        for place, message in enumerate(view.messages)
    }


def trial(rng):
    """A random system, adversary and event, and the chances that the engine finds, for Coq."""
    made = [random_part(rng) for _ in range(rng.choice([2, 3]))]
    catalogue = tuple(create for create, _ in made)
    fixed = [rng.choice(made)[1] for _ in range(rng.randint(1, 2))]
    f, rounds = sparse_parallel([(Log(each), 1) for each in fixed]), rng.randint(3, 5)
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    best = rng.random() < 0.3
    if best:
        rounds = 3
        asked = game.question(catalogue=catalogue, max_creations=2, report=None)
        adversary = asked.best_adversary(0, rounds)
    else:
        adversary = Wanderer(rng, catalogue)
    laws = [law_of_views(adversary, game.mechanism(bit), rounds=rounds) for bit in BITS]
    views = [{heard(view, rounds): (view, p) for view, p in law.views} for law in laws]
    everything = sorted({*views[0], *views[1]})
    if best:
        event = [h for h in everything if any(h in v and adversary.event(v[h][0]) for v in views)]
    else:
        event = [h for h in everything if rng.random() < 0.5]
    chances = [sum((v[h][1] for h in event if h in v), Fraction(0)) for v in views]
    if best:
        bit = adversary.bit
        assert chances[bit] - chances[1 - bit] == asked.solve(0, rounds).delta
    return gallina(made, fixed, rounds, strategy(laws, catalogue), event, chances)


def gallina(made, fixed, rounds, plays, event, chances):
    """One Trial."""
    export = tool("export")
    parts = listing(part_of(*each) for each in made)
    params = listing(f"({export.rational(each)}, 1%Q)" for each in fixed)
    plan = listing(f"({listing(map(str, past))}, {each})" for past, each in plays.items())
    views = listing(listing(map(str, view)) for view in event)
    expected = ", ".join(map(export.rational, chances))
    return f"Build_Trial {parts} {params} {rounds} {plan} {views} ({expected})"


def part_of(create, growth):
    component = tool("export").component(create, growth=growth)
    return f"({component.table}, {component.automaton}, {tool('export').rational(growth)})"


def listing(items):
    return tool("export").listing(items)


def disagreeing(text, folder):
    """The places that Coq finds different: the last line of what it prints."""
    printed = tool("check").run(text, folder)
    assert printed.split("=")[-1].split(":")[1].strip() == "list nat", printed
    return printed.split("=")[-1].split(":")[0].strip()


@pytest.fixture
def kept(request, tmp_path):
    return kept_by(request, tmp_path)


@pytest.fixture
def model(kept):
    return compiled(kept, MODEL)


@pytest.fixture
def proofs(kept):
    return compiled(kept, FILES)


def compared(number, folder, seed, broken=None):
    rng = random.Random(seed)
    trials = [trial(rng) for _ in range(number)]
    if broken is not None:
        trials[broken] = trials[broken].replace("Build_Trial", "mistaken")
    text = f"{HEADER}{MISTAKEN}Definition all := {listing(trials)}.\n"
    return disagreeing(text + "Eval vm_compute in failures agrees 0 all.\n", folder)


MISTAKEN = (
    "Definition mistaken parts fixed rounds strategy event (p : Q * Q) :=\n"
    "  Build_Trial parts fixed rounds strategy event (fst p, (snd p + (1 # 1000))%Q).\n"
)


@needs_coq
def test_the_model_and_the_engine_agree(model):
    assert compared(2, model, random.randrange(10**6), broken=1) == "[1]"


@needs_coq
@pytest.mark.slow
def test_they_agree_on_500_random_systems(model):
    assert compared(500, model, random.randrange(10**6)) == "[]"


def sequences(rng, number):
    """f_∞ of a random purse, and how many pairs of random sequences it lets through."""
    made = [random_part(rng) for _ in range(4)]
    fixed = [Fraction(rng.choice([1, 2, 3])) for _ in range(rng.randint(1, 3))]
    f = sparse_parallel([(Log(each), 1) for each in fixed])
    rows = []
    for _ in range(number):
        state, through, refused, digits = f.initial_state, 0, False, []
        count = 0
        for _ in range(rng.randint(1, 9)):
            digit, zero, one = event(rng, made, count)
            count += digit < 16
            digits.append(digit)
            if not refused:
                state = f.step(state, zero, one)
                refused = type(state) is Refused
                through += not refused
        encoded = 1
        for digit in reversed(digits):
            encoded = 64 * encoded + digit
        rows.append((encoded, through))
    return made, fixed, rows


def event(rng, made, count):
    """A pair, and its digit in Trials.let_through."""
    if not count or rng.random() < 0.3:
        place = rng.randrange(len(made))
        return place, made[place][0], made[place][0]
    index = min(rng.randrange(count + (rng.random() < 0.02)), 11)
    zero = rng.choice(BITS)
    one = rng.choice([zero, zero, 1 - zero])
    return 16 + 4 * index + 2 * zero + one, Ask(zero, index), Ask(one, index)


def let_through(purses, number, folder, broken=False):
    rng, texts = random.Random(random.randrange(10**6)), [HEADER]
    for place in range(purses):
        made, fixed, rows = sequences(rng, number)
        assert len({through for _, through in rows}) > 3
        if broken:
            rows[place] = rows[place][0], rows[place][1] + 1
        texts.append(
            f"Definition parts{place} := {listing(part_of(*each) for each in made)}.\n"
            f"Definition fixed{place} : list (Q * Q) := "
            f"{listing(f'(({each.numerator} # 1)%Q, 1%Q)' for each in fixed)}.\n"
            f"Definition rows{place} : list (N * nat) := "
            f"{listing(f'({n}%N, {through})' for n, through in rows)}.\n"
            f"Definition bad{place} := failures (fun r => let_through parts{place} fixed{place} "
            f"(fst r) =? snd r) 0 rows{place}.\n"
        )
    texts.append(f"Eval vm_compute in {' ++ '.join(f'bad{i}' for i in range(purses))}.\n")
    return disagreeing("".join(texts), folder)


@pytest.mark.slow
@needs_coq
def test_f_inf_and_the_verifier_agree(model):
    assert let_through(2, 20, model, broken=True) == "[0; 1]"


@needs_coq
@pytest.mark.slow
def test_f_inf_and_the_verifier_agree_on_10_000_sequences(model):
    assert let_through(10, 1_000, model) == "[]"


# --- whole systems ----------------------------------------------------------------------------


def tight(growths, growth):
    """The tight δ of randomized responses with these e^ε, as the kernel computes it."""
    laws = [(Fraction(1), Fraction(1))]
    for each in growths:
        likely, rare = each / (1 + each), 1 / (1 + each)
        laws = [(p * a, q * b) for p, q in laws for a, b in ((likely, rare), (rare, likely))]
    return sum((max(Fraction(0), p - growth * q) for p, q in laws), Fraction(0))


def two_responses():
    part = tool("export").component(Create(RandomizedResponse(epsilon=Log(3))))
    delta = tight([3, 3], Fraction(3))
    assert delta == Fraction(3, 8)
    runs = [[(0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 1), (3, 1, 0), (2, 1, 1)]]
    return tool("export").of_parameters(
        "two_responses", [part], Fraction(3), delta, fixed=[Fraction(3)] * 2, runs=runs, sparse=True
    )


def two_steps_and_a_sparse_vector():
    f = bounded(event_level(), 2)
    made = [promised(WALK, f, 2), promised(FiniteAboveThreshold(reach=1), f, 2)]
    parts = [tool("export").component(Create(each)) for each in made]
    growth = parts[1].growth
    delta = tight([each.growth for each in parts], growth)
    known = ap.guarantee(ap.ExtConComp(), fixed_mechanisms(made))
    assert known.derivation.mechanised.name == "fixed_mechanisms"
    assert abs(known.delta_at(Log(growth)) - delta) < 1e-12
    return tool("export").fixed_mechanisms("two_steps", parts, growth, delta)


def created_adaptively():
    """The second is a walk or a response, as the first answered; both are allowed."""
    made = [RandomizedResponse(epsilon=Log(2)), promised(WALK, bounded(event_level(), 2), 2)]
    parts = [tool("export").component(Create(each)) for each in made]
    third = RandomizedResponse(epsilon=Log(parts[1].growth))
    parts.append(tool("export").component(Create(third)))
    start = [(0, 0, 0), (1, 0, 1)]
    runs = [[*start, (0, 1, 0), (2, 1, 0)], [*start, (0, 2, 0), (2, 0, 1), (1, 0, 0)]]
    fixed = [each.growth for each in parts[:2]]
    return tool("export").of_parameters(
        "adaptive", parts, Fraction(2), tight(fixed, Fraction(2)), fixed=fixed, runs=runs
    )


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    "system", [two_responses, two_steps_and_a_sparse_vector, created_adaptively]
)
def test_a_whole_system_is_one_theorem(proofs, system):
    assert "Closed under the global context" in tool("check").run(system(), proofs)


@needs_coq
@pytest.mark.slow
def test_what_is_not_true_is_no_theorem(proofs):
    text = two_responses()
    with pytest.raises(SystemExit, match="coqc refuses it"):
        tool("check").run(text.replace("(3 # 8)", "(37 # 100)"), proofs)
    part = tool("export").component(Create(RandomizedResponse(epsilon=Log(3))))
    claims = tool("export").claims([attrs.evolve(part, growth=Fraction(29, 10))])
    with pytest.raises(SystemExit, match="coqc refuses it"):
        tool("check").run(tool("export").HEADER + claims, proofs)


# --- what cannot be exported -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("created", "error", "text"),
    [
        (RandomizedResponse(epsilon=1), InvalidArgument, r"e\^ε must be rational in Coq"),
        (RandomizedResponse(epsilon=Log(3), delta=0.1), InvalidArgument, "δ = 0 only"),
        (Table("no claim", ((((1, 1),) * 2),)), InvalidArgument, r"asserts no \(ε, δ\)"),
    ],
)
def test_what_cannot_be_exported_is_said(created, error, text):
    with pytest.raises(error, match=text) as caught:
        tool("export").component(Create(created))
    assert "\n" not in str(caught.value)


def test_a_system_past_the_limits_is_refused():
    rows = tuple(((1,) * 160, (1,) * 160) for _ in range(80))
    growth = Claim(Approximate(0, 1), event_level(), Status.PROVED, "δ = 1")
    large = Create(Table("large", rows, claims=(growth,)))
    with pytest.raises(Intractable, match="the outcomes of a table for Coq"):
        tool("export").component(large, growth=Fraction(1))
    with pytest.raises(Intractable, match="infinite"):
        tool("export").component(Create(DiscreteLaplace(epsilon=1)), growth=Fraction(3))
