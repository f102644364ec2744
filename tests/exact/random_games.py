"""Random games of compositions, and what their best adversary attains, by brute force.

The recursion below goes over all that may be said, valid or not, to the real chains
V[f] ∘* I(b) ∘* ExtConComp of both worlds. A belief is the joint law of the chain's whole state, and
only beliefs that are the very same law are met once. Nothing of the exact engine is used.
"""

import math
from fractions import Fraction
from itertools import product

import attrs
from exact_reference import PARAMETERS, VERIFICATIONS, Table

import antiphon as ap
from antiphon import Claim
from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    Odometer,
    Refusal,
    RenyiFilter,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.filters.budget import Budget
from antiphon.protocol import Approximate, Pure, Status, ZeroConcentrated

# --- brute force --------------------------------------------------------------------------------


class BruteForce:
    """The best of all adversaries of one game that say these messages.

    States and laws are numbered, so that a law met again is known at once.
    """

    def __init__(self, game, messages):
        self.systems = game.mechanism(0), game.mechanism(1)
        self.messages, self._steps, self._after = messages, {}, {}
        self._states, self._laws, self._ids = [], [], {}

    def _state(self, state):
        return self._numbered(self._states, state)

    def _law(self, weights):
        return self._numbered(self._laws, tuple(sorted(weights.items())))

    def _numbered(self, values, value):
        number = self._ids.setdefault((id(values), value), len(values))
        if number == len(values):
            values.append(value)
        return number

    def _mass(self, law):
        return sum((p for _, p in self._laws[law]), Fraction(0))

    def _start(self, bit):
        return self._law({self._state(self.systems[bit].initial_state): Fraction(1)})

    def tight_delta(self, growth, rounds):
        """max over adversaries, events and worlds of Pr_b[S] − growth · Pr_{1−b}[S]."""

        def gain(ahead, behind):
            return max(Fraction(0), ahead - growth * behind)

        return max(self._largest(gain, rounds, bit) for bit in (0, 1))

    def moment(self, order, rounds):
        """max over adversaries and worlds of Σ over views of P^α Q^(1−α)."""

        def term(ahead, behind):
            if not ahead:
                return Fraction(0)
            return ahead**order / behind ** (order - 1) if behind else math.inf

        return max(self._largest(term, rounds, bit) for bit in (0, 1))

    def _largest(self, leaf, rounds, bit):
        return self._most(leaf, self._start(bit), self._start(1 - bit), bit, rounds, {})

    def _most(self, leaf, ahead, behind, bit, left, known):
        key = ahead, behind, left
        if key not in known:
            best = leaf(self._mass(ahead), self._mass(behind))
            for number in range(len(self.messages)) if left else ():
                total = Fraction(0)
                for own, other, over in self._branches(bit, ahead, behind, number):
                    rest = 0 if over else left - 1
                    total += self._most(leaf, own, other, bit, rest, known)
                best = max(best, total)
            known[key] = best
        return known[key]

    def range(self, rounds):
        """The largest quotient of two likelihood ratios of views of one deterministic adversary."""
        found = self._arranged(self._start(0), self._start(1), rounds, {})
        return max(math.inf if not low or high == math.inf else high / low for low, high in found)

    def _arranged(self, zero, one, left, known):
        """The (smallest ratio, largest ratio) of views that adversaries can arrange."""
        key = zero, one, left
        if key not in known:
            own, other = self._mass(zero), self._mass(one)
            ratio = own / other if other else math.inf
            found = {(ratio, ratio)}
            for number in range(len(self.messages)) if left else ():
                each = [
                    self._arranged(ahead, behind, 0 if over else left - 1, known)
                    for ahead, behind, over in self._branches(0, zero, one, number)
                ]
                for views in product(*each):
                    found.add((min(low for low, _ in views), max(high for _, high in views)))
            known[key] = undominated(found)
        return known[key]

    def _branches(self, bit, ahead, behind, number):
        """(law ahead, law behind, whether nothing may follow) for each answer to a message."""
        laws, nothing = (
            (self._said(bit, ahead, number), self._said(1 - bit, behind, number)),
            self._law({}),
        )
        for heard in laws[0] | laws[1]:
            yield laws[0].get(heard, nothing), laws[1].get(heard, nothing), heard[2]

    def _said(self, bit, law, number):
        """{(answer, its type, whether nothing may follow): the law of what follows}."""
        key = bit, law, number
        if key not in self._after:
            found = {}
            for state, weight in self._laws[law]:
                for p, after, heard in self._step(bit, state, number):
                    own = found.setdefault(heard, {})
                    own[after] = own.get(after, 0) + weight * p
            self._after[key] = {heard: self._law(own) for heard, own in found.items()}
        return self._after[key]

    def _step(self, bit, state, number):
        key = bit, state, number
        if key not in self._steps:
            self._steps[key] = list(self._outcomes(self.systems[bit], state, number))
        return self._steps[key]

    def _outcomes(self, system, number, message):
        state = self._states[number]

        def run(coins):
            try:
                after, answer = system.step(state, self.messages[message], coins)
            except ap.AntiphonError:
                return (state, "refused") if coins.draws == 0 else (None, ap.HALT)
            return after, answer

        for p, (after, answer) in ap.outcomes(run):
            over = answer == "refused" or after is None
            over = over or (answer is ap.HALT and system.is_over(after))
            yield p, self._state(after), (answer, type(answer), over)


def undominated(found):
    """The pairs of which no other has both a smaller and a larger end."""
    return frozenset(
        (low, high)
        for low, high in found
        if not any((a, b) != (low, high) and a <= low and high <= b for a, b in found)
    )


# --- random games -------------------------------------------------------------------------------


@attrs.frozen
class AtMost(Budget):
    """A budget of a user's, that grows by what it refuses: (0, δ) claims cost two, others one."""

    limit: int
    initial_state = 0

    def charge(self, state, measure):
        cost = 1 if getattr(measure, "delta", 0) == 0 else 2
        if state + cost <= self.limit:
            return state + cost
        nothing = Fraction(0), Fraction(0)
        return Refusal(nothing, nothing, nothing)


MEASURES = (*(Approximate(*each) for each in PARAMETERS), Pure(ap.Log(3)), ZeroConcentrated(1))
ANSWERS = (0, 0, 1, 1, ap.HALT)


def outcome(random, states):
    return random.randint(1, 3), random.randrange(states), random.choice(ANSWERS)


def table(random, measure):
    """A mechanism of one or two states, that may halt or refuse; its f allows a few messages."""
    states, queries = random.choice(((1, 1), (1, 2), (1, 2), (2, 1), (2, 2)))
    rows = tuple(
        tuple(
            tuple(outcome(random, states) for _ in range(random.choice((0, *[1, 2] * 8))))
            for _ in range(queries)
        )
        for _ in range(states)
    )
    f = random.choice(VERIFICATIONS)
    if random.random() < 0.7:
        f = ap.verifiers.bounded(f, random.choice((1, 1, 2)))
    if random.random() < 0.2:
        f = ap.verifiers.neighbouring_start()
    claim = Claim(measure, f, Status.ASSUMED, "drawn")
    return Table(rows, (claim,), random.choice(((), (0,))))


def measures(random, number):
    """What is claimed: (ε, δ) all of it, or zCDP all of it, or each as it comes."""
    kind = random.choice(("pairs", "pairs", "rho"))
    if kind == "rho":
        return [ZeroConcentrated(Fraction(random.randint(1, 2), 2)) for _ in range(number)]
    return [random.choice(MEASURES[:3]) for _ in range(number)]


@attrs.frozen
class Drawn:
    """A game, what may be created, and how many messages are sent."""

    game: ap.PrivacyGame
    creations: tuple
    most: int
    rounds: int

    @property
    def question(self):
        return self.game.question(catalogue=self.creations, max_creations=self.most, report=None)

    @property
    def brute(self):
        asks = [
            ap.Pair(ap.Ask(zero, index), ap.Ask(one, index))
            for index in range(self.most) for zero in (0, 1) for one in (0, 1)
        ]  # fmt: skip
        return BruteForce(self.game, [*map(ap.same, self.creations), *asks])


BUDGETS = (
    lambda random: BasicFilter(epsilon=ap.Log(random.choice((2, 3, 6))), delta=Fraction(1, 10)),
    lambda random: ConcentratedFilter(rho=Fraction(random.randint(1, 3), 2)),
    lambda random: RenyiFilter(order=2, budget=random.randint(1, 3), delta=Fraction(1, 10)),
    lambda random: Odometer(delta=Fraction(1, 5)),
    lambda random: AtMost(random.randint(1, 3)),
)


def drawn(random, rounds=4):
    """A random game: with a budget or not, and any f of ``composition``."""
    most = random.choice((1, 2, 2, 3))
    kinds = random.randint(1, 2)
    made = [table(random, measure) for measure in measures(random, kinds)]
    creations = tuple(map(ap.Create, made))
    budget = random.choice(BUDGETS)(random) if random.random() < 0.5 else None
    f = verification(random, creations, budget, most)
    most = max(most, f.prescribed)
    return Drawn(ap.PrivacyGame(ap.ExtConComp(budget=budget), f), creations, most, rounds)


def verification(random, creations, budget, most):
    claimed = [each.claim.measure for each in creations]
    if all(type(each) is not ZeroConcentrated for each in claimed):
        claimed = [each.parameters for each in creations]
    kind = random.choice(("mechanisms", "parameters", "sparse", "FPC", "adaptive"))
    if kind == "mechanisms":
        return fixed_mechanisms([random.choice(creations) for _ in range(most)])
    if kind == "adaptive":
        return adaptive_parameters(budget if random.random() < 0.7 else None)
    fixed = [random.choice(claimed) for _ in range(random.randint(1, most))]
    if kind == "parameters":
        return fixed_parameters(fixed)
    return sparse_parallel(fixed, first_pair_consistent=kind == "FPC")
