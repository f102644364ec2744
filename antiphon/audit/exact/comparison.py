"""Equivalence of interactive mechanisms (CM Def. 2.10), and exact laws of views."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from antiphon.audit.certificates.certificate import Certificate, TightPoint, certified
from antiphon.audit.certificates.derived_rows import ComparedSystems
from antiphon.audit.exact.arena import comparison_arena, elements, guarded_step
from antiphon.audit.exact.beliefs import Columns
from antiphon.audit.exact.cost import LIMIT
from antiphon.audit.exact.kernel import REFUSAL, branches, ends
from antiphon.audit.exact.question import horizon
from antiphon.audit.exact.solver import Solver
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyBuilder
from antiphon.numbers.errors import InvalidArgument, of_kind, written_as
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import Adversary, AnyChain, Coins, Draw, Ending, Mechanism, Round, View
from antiphon.protocol.coins.tapes import RecordedCoins, outcomes
from antiphon.protocol.display import Card, Grid, Part, Shown, Verbatim
from antiphon.protocol.messages import EMPTY, HALT, identical
from antiphon.protocol.records.codec import encode_any
from antiphon.protocol.records.headers import Header
from antiphon.protocol.records.labels import counted, message_label
from antiphon.protocol.registry import name_of
from antiphon.protocol.session import sealed
from antiphon.protocol.spaces import Pairs, Space
from antiphon.verifiers.verifier import Verifier

_MOST: Final = 20
"""The largest number of views that a law shows when it is printed."""


@attrs.frozen(repr=False)
class Equivalence(Shown):
    """The result of a comparison: whether two IMs have equal view laws against every adversary of
    ``rounds`` messages.

    True or False in a condition. ``distance`` is the largest total variation distance an adversary
    attains. If they differ, ``adversary`` attains it, from the initial state ``initial``, and
    ``transcript`` is one of its views (it saves and replays) with different ``probabilities`` under
    the two (None if they differ only in that one refuses a message, as a refusal is no answer).
    """

    rounds: int
    distance: Fraction
    adversary: StrategyAdversary | None = None
    initial: object = None
    transcript: View | None = attrs.field(default=None, repr=False)
    probabilities: tuple[Fraction, Fraction] | None = None
    compared: tuple[tuple[ComparedSystems, Fraction], ...] = attrs.field(
        default=(), eq=False, repr=False
    )
    """For each initial state: (the two systems in that state, the distance between them)."""

    def certificates(self) -> tuple[Certificate, ...]:
        """Certificates of the largest total variation distance, one from each initial state.

        Raises: Intractable.
        """
        about, zero = "two mechanisms that single messages tell apart", Fraction(0)
        return tuple(
            certified(each, about, [TightPoint(zero, Fraction(1), distance, self.rounds)])
            for each, distance in self.compared
        )

    def __bool__(self) -> bool:
        return self.distance == 0

    def _card(self) -> Card:
        against = f"against {counted(self.rounds, 'message')}"
        if self:
            return Card(f"the laws of all views are equal, {against}")
        title = f"they differ by {message_label(self.distance)}, {against}"
        return Card(title, tuple(self._parts()))

    def _parts(self) -> Iterator[Part]:
        if self.transcript is not None and self.probabilities is not None:
            zero, one = map(message_label, self.probabilities)
            yield Grid([("the view below", f"has probability {zero} under one, {one} under two")])
            pairs = zip(self.transcript.messages, self.transcript.answers, strict=True)
            rows = [(message_label(m), message_label(a)) for m, a in pairs]
            yield Grid(rows, ("message", "answer"))
        if self.adversary is not None:
            yield Verbatim(self.adversary.tree())


@written_as("ap.equivalent(M1, M2, rounds=3)")
def equivalent(
    mechanism_a: Mechanism,
    mechanism_b: Mechanism,
    *,
    rounds: int,
    queries: Iterable[object] | None = None,
    limit: int = LIMIT,
) -> Equivalence:
    """Decide M_a ≡ M_b (CM Def. 2.10) up to a horizon, in Fractions.

    Args: ``rounds``, how many messages an adversary sends; ``queries``, the messages to
    try, by default all of both query spaces. A message that one mechanism refuses and the other
    answers distinguishes them. IMs with several initial states must agree from each. Raises:
    Intractable for an infinite alphabet or past ``limit`` beliefs; InvalidArgument if the initial
    states differ.
    """
    rounds = horizon(rounds)
    for each in (mechanism_a, mechanism_b):
        if not isinstance(each, Mechanism):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgument(
                f"two mechanisms are compared, not {of_kind(each)}; "
                "write ap.equivalent(M1, M2, rounds=3)"
            )
    starts, others = mechanism_a.initial_states, mechanism_b.initial_states
    if not (starts.includes(others) and others.includes(starts)):
        raise InvalidArgument("the mechanisms have different sets of initial states")
    if queries is None:
        both = mechanism_a, mechanism_b
        queries = [q for each in both for q in elements(message_space(each), name_of(each))]
    messages = tuple(queries)
    for message in messages:
        if not any(each.signature.queries.contains(message) for each in (mechanism_a, mechanism_b)):
            raise InvalidArgument(
                f"queries lists {of_kind(message)} that neither mechanism takes: "
                f"{mechanism_a.signature.queries}; {mechanism_b.signature.queries}"
            )
    worst, compared = Equivalence(rounds, Fraction(0)), list[tuple[ComparedSystems, Fraction]]()
    for initial in starts.enumerate():
        states = mechanism_a.enter(initial), mechanism_b.enter(initial)
        arena = comparison_arena(Columns(limit), (mechanism_a, mechanism_b), states, messages)
        solver = Solver(arena, 0, limit)
        distance = solver.solve(Fraction(1), rounds)
        compared.append((ComparedSystems((mechanism_a, mechanism_b), states, messages), distance))
        if distance > worst.distance:
            nodes = StrategyBuilder(solver, limit).build(Fraction(1), rounds)
            adversary = StrategyAdversary(nodes, 0, Fraction(1), distance)
            told = _told_apart(adversary, (mechanism_a, mechanism_b), initial)
            worst = Equivalence(rounds, distance, adversary, initial, *told)
    return attrs.evolve(worst, compared=tuple(compared))


def _told_apart(
    adversary: StrategyAdversary, mechanisms: tuple[Mechanism, Mechanism], initial: object
) -> tuple[View | None, tuple[Fraction, Fraction] | None]:
    """A view in the adversary's distinguishing event, with its probability under each mechanism."""
    path = adversary.accusing_path(without=REFUSAL)
    if path is None:
        return None, None
    said, halted = path
    zero, one = (_followed(said, halted, each, initial) for each in mechanisms)
    header = Header(encode_any(adversary), encode_any(mechanisms[0]), seeded=True)
    rounds = tuple(Round(message, answer) for message, answer in said)
    ending = Ending.MECHANISM if halted else Ending.ADVERSARY
    return View(header, rounds, ending), (zero, one)


def _followed(
    path: Sequence[tuple[object, object]], halted: bool, mechanism: Mechanism, initial: object
) -> Fraction:
    """The probability with which a mechanism gives the answers of a path of (message, answer).

    ``halted``: the last answer ends the interaction.
    """
    start = mechanism.enter(initial)
    states: Hidden = {fingerprint(start): (start, Fraction(1))}
    for place, (message, answer) in enumerate(path, start=1):
        last = halted and place == len(path)
        found = _answers(mechanism, states, message, Fraction(1))
        alike = [law for said, over, law in found if identical(said, answer) and over == last]
        states = alike[0] if alike else {}
    return _mass(states)


def message_space(mechanism: Mechanism) -> Space:
    """The query space of a mechanism; behind a verifier, the space of the pairs that may pass."""
    if isinstance(mechanism, AnyChain) and isinstance(mechanism.links[0], Verifier):
        queries = mechanism.links[0].queries
        if isinstance(queries, Pairs):
            return queries
    return mechanism.signature.queries


@attrs.frozen(repr=False)
class Law(Shown):
    """The exact law (distribution) of the views of one adversary: each view with its probability.

    The ending is part of a view: the adversary knows whether a HALT was the end of the interaction,
    or only of a part of the mechanism.
    """

    views: tuple[tuple[View, Fraction], ...]

    def _card(self) -> Card:
        likely = sorted(self.views, key=lambda each: -each[1])
        rows = [
            (message_label(p), " ".join(map(message_label, view.answers)))
            for view, p in likely[:_MOST]
        ]
        title = counted(len(likely), "view")
        more = [f"… and {len(likely) - _MOST:,} more"] if len(likely) > _MOST else []
        return Card(title, (Grid(rows, ("probability", "answers")), *more))

    def answers(self) -> dict[tuple[object, ...], Fraction]:
        """The law of the answers alone."""
        found: dict[tuple[object, ...], Fraction] = {}
        for view, p in self.views:
            found[view.answers] = found.get(view.answers, Fraction(0)) + p
        return found

    def hockey_stick(self, other: Law, growth: Fraction = Fraction(1)) -> Fraction:
        """The hockey-stick divergence Σ max(0, p − e^ε q) over the views, with p and q the
        probabilities of a view under this law and the other; ``growth`` is e^ε."""
        theirs = {_key(view): p for view, p in other.views}
        gaps = (p - growth * theirs.get(_key(view), 0) for view, p in self.views)
        return sum((max(gap, Fraction(0)) for gap in gaps), Fraction(0))

    def moment(self, other: Law, order: int) -> Fraction:
        """The moment Σ p^α q^(1−α) at a whole order α, with p and q the probabilities of a view
        under this law and the other. It is e^((α−1)D), D the Rényi divergence.

        Raises: InvalidArgument where a view has q = 0 and p > 0, so that it is infinite.
        """
        theirs = {_key(view): p for view, p in other.views}
        total = Fraction(0)
        for view, p in self.views:
            q = theirs.get(_key(view), Fraction(0))
            if p and not q:
                raise InvalidArgument("the moment is infinite: a view is possible in one law only")
            total += p * (p / q) ** (order - 1) if p else 0
        return total


def _key(view: View) -> Hashable:
    return fingerprint(tuple(view.rounds)), view.ending


Hidden: TypeAlias = dict[object, tuple[object, Fraction]]
"""For one view, the possible hidden states: a map from a state's key to (state, joint probability
of the state and the view)."""


def _answers(
    mechanism: Mechanism, states: Hidden, message: object, weight: Fraction
) -> Collection[tuple[object, bool, Hidden]]:
    """The possible answers to a message: (answer, whether it ends the interaction, law of the next
    hidden state)."""
    found: dict[object, tuple[object, bool, Hidden]] = {}
    step = guarded_step(mechanism)
    for state, p in states.values():
        for q, (after, answer) in branches(step, state, message):
            over = ends(after, answer, mechanism.is_over)
            hidden = found.setdefault((fingerprint(answer), over), (answer, over, {}))[2]
            key = fingerprint(after)
            hidden[key] = after, hidden.get(key, (after, Fraction(0)))[1] + weight * p * q
    return found.values()


def law_of_views(
    adversary: Adversary, mechanism: Mechanism, *, rounds: int, initial: object = None
) -> Law:
    """The exact law of the views of adversary × mechanism (CM Def. 2.9).

    The two play as in ``interact``; the adversary's coins for its HALT are left out. Both parties'
    draws must be finite. Cost: one step for each view and hidden state. Raises: Intractable at a
    continuous draw; InvalidArgument if the adversary sends a message that the mechanism may refuse,
    without a verifier in front: ``interact`` would raise.
    """
    if not mechanism.initial_states.contains(initial):
        raise InvalidArgument("law_of_views needs one of the mechanism's initial states")
    rounds = horizon(rounds)
    queries = mechanism.signature.queries
    header = Header(encode_any(adversary), encode_any(mechanism), seeded=True)
    laws: dict[object, tuple[View, Fraction]] = {}

    def add(said: tuple[Round, ...], ending: Ending, weight: Fraction) -> None:
        view = View(header, said, ending)
        key = _key(view)
        laws[key] = view, laws.get(key, (view, Fraction(0)))[1] + weight

    def play(own: object, states: Hidden, heard: object, said: tuple[Round, ...]) -> None:
        weight = _mass(states)
        if len(said) == rounds:
            add(said, Ending.ROUNDS, weight)
            return

        def speak(coins: Coins) -> tuple[object, object, tuple[Draw, ...]]:
            tape = RecordedCoins(coins)
            return *adversary.step(own, heard, tape), tape.take()

        for p, (next_own, message, draws) in outcomes(speak):
            if message is HALT:
                add(said, Ending.ADVERSARY, weight * p)
                continue
            message = sealed(message, queries)
            for answer, over, after in _answers(mechanism, states, message, p):
                if answer is REFUSAL:
                    raise InvalidArgument("the mechanism refuses a message of the adversary")
                longer = (*said, Round(message, answer, draws))
                if over:
                    add(longer, Ending.MECHANISM, _mass(after))
                else:
                    play(next_own, after, answer, longer)

    start = mechanism.enter(initial)
    play(adversary.initial_state, {fingerprint(start): (start, Fraction(1))}, EMPTY, ())
    return Law(tuple(laws.values()))


def _mass(states: Hidden) -> Fraction:
    return sum((p for _, p in states.values()), Fraction(0))
