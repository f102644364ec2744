"""Slow references, written straight from the papers' definitions.

Nothing here uses the automata, the cursor or the codec that it checks. A
verification function is a predicate on a whole sequence of pairs; ``closed`` is its
conjunction over the non-empty prefixes (theory.md §2.1).
"""

from collections import Counter
from fractions import Fraction

import antiphon as ap
from antiphon import Side
from antiphon.composition import BasicFilter, GaussianFilter, RenyiFilter, ResidueFilter
from antiphon.composition.validity import (
    FixedMeasures,
    FixedParameters,
    OfCreations,
    SparseMeasures,
    SparseParallel,
)
from antiphon.protocol import Approximate, BoundedRange, GaussianDP, Pure, Status, ZeroConcentrated
from antiphon.protocol.measures import Measure
from antiphon.verifiers.models import (
    Bounded,
    EventLevel,
    EveryPair,
    NeighbouringStart,
    UpdatesAndQueries,
    UserLevel,
)


def alike(left, right):
    """Equality of the plain messages that the tests use: same type, same value."""
    if type(left) is not type(right):
        return False
    if type(left) is tuple:
        return len(left) == len(right) and all(map(alike, left, right))
    if type(left) is float:
        return left.hex() == right.hex()
    return left == right


def closed(f):
    """The conjunction of f over the non-empty prefixes of a sequence."""
    return lambda pairs: all(f(pairs[:t]) for t in range(1, len(pairs) + 1))


def differing(pairs):
    return [pair for pair in pairs if not alike(*pair)]


# --- verification functions of single mechanisms (CM §3.1-3.2, §5.3) -------------------


def neighbouring_start(relation, initial=None):
    def f(pairs):
        starts = initial is None or all(map(initial.contains, pairs[0]))
        return starts and relation(*pairs[0]) and not differing(pairs[1:])

    return closed(f)


def event_level(relation, events=1):
    def f(pairs):
        changed = differing(pairs)
        return len(changed) <= events and all(relation(*pair) for pair in changed)

    return closed(f)


def user_level(relation, events=None):
    def of_user(record, user):
        return record is ap.EMPTY or (type(record) is tuple and record and alike(record[0], user))

    def f(pairs):
        changed = differing(pairs)
        records = [r for pair in changed for r in pair if type(r) is tuple and r]
        if events is not None and len(changed) > events:
            return False
        return not changed or any(
            all(of_user(side, user) for pair in changed for side in pair)
            and all(relation(*pair) for pair in changed)
            for user in {record[0] for record in records}
        )

    return closed(f)


def every_pair(relation, monotone=False):
    def f(pairs):
        ups, downs = (any(a < b for a, b in pairs), any(a > b for a, b in pairs))
        numbers = all(a == a and b == b for a, b in pairs)
        if not all(relation(*pair) for pair in pairs):
            return False
        return not monotone or (numbers and not (ups and downs))

    return closed(f)


def updates_and_queries(updates, is_query):
    def f(pairs):
        asked = [pair for pair in pairs if any(map(is_query, pair))]
        return not differing(asked) and updates([pair for pair in pairs if pair not in asked])

    return closed(f)


def bounded(f, count):
    return closed(lambda pairs: len(pairs) <= count and f(pairs))


def reference_of(verification):
    """The reference of a verification function of ours, by its type and parameters."""
    if isinstance(verification, NeighbouringStart):
        return neighbouring_start(verification.relation.holds, verification.initial)
    if isinstance(verification, EventLevel):
        return event_level(verification.relation.holds, verification.events)
    if isinstance(verification, UserLevel):
        return user_level(verification.relation.holds, verification.events)
    if isinstance(verification, EveryPair):
        return every_pair(verification.relation.holds, verification.monotone)
    if isinstance(verification, UpdatesAndQueries):
        inner = reference_of(verification.updates)
        return updates_and_queries(inner, verification.queries.contains)
    if isinstance(verification, Bounded):
        return bounded(reference_of(verification.verification), verification.pairs)
    raise AssertionError(f"no reference for {verification}")


# --- verification functions of compositions (CM Def. 4.4, 4.9, 4.11, 5.1, 5.4) ---------


def asserts_a_claim(create):
    claim = create.claim
    return (
        claim is not None
        and claim.status is not Status.REFUTED
        and isinstance(claim.measure, Pure | Approximate | BoundedRange)
    )


def asserts_any(create):
    claim = create.claim
    return claim is not None and claim.status is not Status.REFUTED


def same_creation(left, right):
    return left.mechanism == right.mechanism and left.claim == right.claim


def asserts_what_adds_up(create, budget):
    """As ``asserts_a_claim``, but of the measures that a budget adds up."""
    claim = create.claim
    taken = {
        BasicFilter: Pure | Approximate | BoundedRange,
        RenyiFilter: Measure,
        GaussianFilter: Pure | Approximate | BoundedRange | GaussianDP,
        ResidueFilter: Pure | Approximate | BoundedRange | GaussianDP,
        type(None): Measure,
    }.get(type(budget), Pure | Approximate | BoundedRange | GaussianDP | ZeroConcentrated)
    return (
        claim is not None
        and claim.status is not Status.REFUTED
        and isinstance(claim.measure, taken)
    )


def split(messages, asserts=asserts_a_claim):
    """Suitable sequences (Def. 4.4): the creations and each one's pairs; None if unsuitable."""
    created, pairs = [], []
    for message in messages:
        if type(message) is not ap.Pair:
            return None
        zero, one = message.zero, message.one
        if type(zero) is ap.Create and type(one) is ap.Create:
            if not (same_creation(zero, one) and asserts(zero)):
                return None
            created.append(zero)
            pairs.append([])
        elif type(zero) is ap.Ask and type(one) is ap.Ask:
            index = zero.index
            if type(index) is not int or not alike(index, one.index):
                return None
            if not 0 <= index < len(created):
                return None
            space = created[index].mechanism.signature.queries
            if not (space.contains(zero.query) and space.contains(one.query)):
                return None
            pairs[index].append((zero.query, one.query))
        else:
            return None
    return created, pairs


def parameters(create):
    measure = create.claim.measure
    if isinstance(measure, BoundedRange):
        return measure.eta, Fraction(0)
    return measure.epsilon, getattr(measure, "delta", Fraction(0))


def valid_for(create, pairs):
    """Whether the pairs of a created mechanism are f'-valid."""
    return reference_of(create.claim.verification)(pairs)


def sub_multiset(some, fixed):
    return not Counter(some) - Counter(fixed)


def fixed_mechanisms(alphas):
    def f(messages):
        parts = split(messages, asserts_any)
        if parts is None:
            return False
        created, pairs = parts
        first = [type(m.zero) is ap.Create for m in messages[: len(alphas)]]
        return (
            all(first)
            and len(created) <= len(alphas)
            and all(map(same_creation, created, alphas))
            and all(
                reference_of(c.claim.verification)(p) for c, p in zip(created, pairs, strict=True)
            )
        )

    return closed(f)


def fixed_parameters(fixed):
    def f(messages):
        parts = split(messages)
        if parts is None:
            return False
        created, pairs = parts
        return (
            len(created) <= len(fixed)
            and sub_multiset(map(parameters, created), fixed)
            and all(c.mechanism.signature.answers.discrete for c in created)
            and all(
                reference_of(c.claim.verification)(p) for c, p in zip(created, pairs, strict=True)
            )
        )

    return closed(f)


def sparse_parallel(fixed, consistent=False):
    def f(messages):
        parts = split(messages)
        if parts is None:
            return False
        created, pairs = parts
        chosen = [(c, p) for c, p in zip(created, pairs, strict=True) if differing(p)]
        return (
            all(c.mechanism.signature.answers.discrete for c in created)
            and (not consistent or all(c.claim.verification.first_pair_consistent for c in created))
            and sub_multiset([parameters(c) for c, _ in chosen], fixed)
            and all(valid_for(*each) for each in chosen)
        )

    return closed(f)


def of_measures(verification):
    """The same of a purse of measures, each created one asserting one of its kind."""
    kind, fixed = type(verification.measures[0]), list(verification.measures)

    def f(messages):
        parts = split(messages, asserts_any)
        if parts is None:
            return False
        created, pairs = parts
        together = list(zip(created, pairs, strict=True))
        if isinstance(verification, SparseMeasures):
            paying = [(c, p) for c, p in together if differing(p)]
            consistent = verification.require_first_pair_consistent
        else:
            paying, consistent = together, False
        return (
            all(type(c.claim.measure) is kind for c in created)
            and all(c.mechanism.signature.answers.discrete for c in created)
            and (not consistent or all(c.claim.verification.first_pair_consistent for c in created))
            and sub_multiset([c.claim.measure for c, _ in paying], fixed)
            and all(valid_for(*each) for each in paying)
        )

    return closed(f)


def reference_of_composition(verification):
    if isinstance(verification, OfCreations):
        return fixed_mechanisms(verification.created)
    if isinstance(verification, FixedMeasures | SparseMeasures):
        return of_measures(verification)
    if isinstance(verification, FixedParameters):
        return fixed_parameters(verification.parameters)
    assert isinstance(verification, SparseParallel)
    return sparse_parallel(verification.parameters, verification.require_first_pair_consistent)


# --- interactions (CM Alg. 1 and 2), by recursion ---------------------------------------


class Live:
    """A stateful party around a pure step, for the two algorithms below."""

    def __init__(self, party, coins, state=None):
        self.party, self.coins = party, coins
        self.state = party.initial_state if state is None else state


class LiveMechanism(Live):
    def send(self, message):
        self.state, answer = self.party.step(self.state, message, self.coins)
        return answer


class LivePostProcessor(Live):
    def send(self, side, message):
        self.state, to, message = self.party.step(self.state, side, message, self.coins)
        return to, message


class OneAnother:
    """P ∘* M (CM Def. 2.14, Alg. 1): an IM."""

    def __init__(self, processor, mechanism):
        self.processor, self.mechanism = processor, mechanism

    def send(self, message):
        side, message = self.processor.send(Side.LEFT, message)
        while side is Side.RIGHT:
            side, message = self.processor.send(Side.RIGHT, self.mechanism.send(message))
        return message


class TwoProcessors:
    """P₁ ∘* P₂ (CM Def. 2.16, Alg. 2): an IPM."""

    def __init__(self, left, right):
        self.left, self.right = left, right

    def send(self, side, message):
        at_left = side is Side.LEFT
        while True:
            if at_left:
                to, message = self.left.send(side, message)
                if to is Side.LEFT:
                    return Side.LEFT, message
                at_left, side = False, Side.LEFT
            else:
                to, message = self.right.send(side, message)
                if to is Side.RIGHT:
                    return Side.RIGHT, message
                at_left, side = True, Side.RIGHT


# --- exact laws ------------------------------------------------------------------------


def law(mechanism, adversary, initial=None):
    """The exact law of the answers, for an adversary that draws no coins."""
    laws = Counter()

    def walk(state, own, heard, answers, weight):
        own, message = adversary.step(own, heard, None)
        if message is ap.HALT or heard is ap.HALT:
            laws[answers] += weight
            return
        for p, (after, answer) in ap.outcomes(lambda c: mechanism.step(state, message, c)):
            walk(after, own, answer, (*answers, answer), weight * p)

    walk(mechanism.enter(initial), adversary.initial_state, ap.EMPTY, (), Fraction(1))
    return dict(laws)


def hockey_stick(law0, law1, factor):
    """max over both directions of Σ max(0, p − e^ε q)."""
    outcomes = set(law0) | set(law1)

    def one_way(p, q):
        return sum(max(Fraction(0), p.get(o, 0) - factor * q.get(o, 0)) for o in outcomes)

    return max(one_way(law0, law1), one_way(law1, law0))
