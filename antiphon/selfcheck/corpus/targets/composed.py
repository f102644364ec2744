# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Concurrent compositions under all four verification functions (CM §4-5), and broken twins."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.audit.counterexample import CounterexampleAdversary
from antiphon.composition import Create, fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.composition.concurrent import Child, ConcurrentState, ExtConComp, Extended
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import Epsilon, Log
from antiphon.protocol import Ask, Coins, Pair, Refused, Status, Verification, read, register, same
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth, one_by_one, saying
from antiphon.selfcheck.corpus.targets.neighbours import claimed
from antiphon.selfcheck.corpus.targets.sparse_vectors import SparseVectorVariant
from antiphon.selfcheck.theorems.components import ForgetsSparsity, ForgetsTheirs, ForgetsToCharge


@register("antiphon.corpus.SwapsStates/1")
@attrs.frozen
class SwapsStates(Extended):
    """A broken ExtConComp: after a question to mechanism 2i or 2i+1 it swaps the states of both.

    The verifier's record of each mechanism's messages is then wrong, so a mechanism can be asked
    more than its f allows.
    """

    def step(
        self, state: ConcurrentState, message: object, coins: Coins
    ) -> tuple[ConcurrentState, object]:
        after, answer = Extended.step(self, state, message, coins)
        if type(message) is not Ask:
            return after, answer
        mine, other = message.index, message.index ^ 1
        children = self.children(after)
        one, two = children.get(mine), children.get(other)
        if one is None or two is None:
            return after, answer
        children = children.set(mine, Child(one.created, two.state))
        return children.set(other, Child(two.created, one.state)), answer


@register("antiphon.corpus.LastMessageOnly/1")
@attrs.frozen
class LastMessageOnly(Verification[int]):
    """A broken verifier that checks only the last pair of messages, as if it were the first."""

    verification: Verification
    initial_state = 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        after = read(self.verification, self.verification.initial_state, zero, one)
        return after if type(after) is Refused else state


LEAKY: Final = Create(LeakyBit(delta=Fraction(1, 10)))
TWO: Final = Create(RandomizedResponse(epsilon=Log(2)))
THREE: Final = Create(RandomizedResponse(epsilon=Log(3)))
EITHER: Final = Create(RandomizedResponse(epsilon=Log(2), delta=Fraction(1, 10)))
RARELY: Final = Fraction(1, 50)
"""The δ of each M_δ in the counterexample to sparse composition with δ > 0."""
COPIES: Final = 50


def composition_targets() -> Iterator[Entry]:
    """The corpus entries for each verification function of CM §4-5, each beside a broken twin."""
    yield from _fixed_mechanisms()
    yield from _fixed_parameters()
    yield from _sparse()
    yield from _consistent()
    yield from _side_by_side()


def differ(*indices: int) -> list[Pair]:
    """Messages: the differing pair (0, 1) to each of the mechanisms with the given indices."""
    return [Pair(Ask(0, index), Ask(1, index)) for index in indices]


def agree(*indices: int) -> list[Pair]:
    """Messages: the identical pair (0, 0) to each of the mechanisms with the given indices."""
    return [same(Ask(0, index)) for index in indices]


def _asking(created: Iterable[Create], asked: list[Pair]) -> Player:
    made = list(created)
    return saying(f"{len(made)} created, {len(asked)} questions", [*map(same, made), *asked])


def _entry(
    name: str,
    f: Verification,
    player: Player,
    truth: Truth,
    source: str,
    *,
    epsilon: Epsilon,
    delta: object = 0,
    broken: bool = False,
    system: Extended | None = None,
) -> Entry:
    status = Status.REFUTED if broken else Status.PROVED
    (claim,) = claimed(f, status, source, epsilon=epsilon, delta=delta)
    return Entry(name, system or ExtConComp(), claim, (player,), truth)


def _fixed_mechanisms() -> Iterator[Entry]:
    made, delta = (TWO, LEAKY), Fraction(1, 10)
    player = _asking(made, [*agree(1), *differ(0, 1)])
    yield _entry("f^α: RR ‖ M_δ", fixed_mechanisms(made), player, Truth(math.log(2), delta=0.1),
                 "CM Thm 4.10", epsilon=Log(2), delta=delta)  # fmt: skip
    player = _asking(made, differ(1, 1, 1, 1, 1, 1))
    truth = Truth(math.inf, delta=1 - 0.9**5)
    yield _entry("f^α that forgets f_i", ForgetsTheirs(made), player, truth,
                 "no f_i is checked", epsilon=Log(2), delta=delta, broken=True)  # fmt: skip
    twice = (LEAKY, LEAKY)
    player = _asking(twice, [*agree(0, 1), *differ(0, 1)])
    both = 1 - Fraction(9, 10) ** 2
    yield _entry("f^α: M_δ ‖ M_δ", fixed_mechanisms(twice), player, Truth(0.0, delta=0.19),
                 "CM Thm 4.10", epsilon=0, delta=both)  # fmt: skip
    yield _entry("f^α: M_δ ‖ M_δ, states swapped", fixed_mechanisms(twice), player,
                 Truth(math.inf, delta=0.271), "ExtConComp mixes up states", epsilon=0,
                 delta=both, broken=True, system=SwapsStates())  # fmt: skip


def _fixed_parameters() -> Iterator[Entry]:
    parameters = (TWO.parameters, THREE.parameters)
    player = _asking((THREE, TWO), differ(1, 0))
    yield _entry("f^{ε,δ}: RR ‖ RR, chosen", fixed_parameters(parameters), player,
                 Truth(math.log(6)), "CM Thm 4.12", epsilon=Log(6))  # fmt: skip
    player = _asking((THREE,) * 2, differ(0, 1))
    f = ForgetsToCharge(fixed_parameters(parameters).parameters)
    yield _entry("f^{ε,δ} that forgets to charge", f, player, Truth(math.log(9)),
                 "parameters are used twice", epsilon=Log(6), broken=True)  # fmt: skip


def _sparse() -> Iterator[Entry]:
    one = (THREE.parameters,)
    player = _asking((THREE,) * 5, [*agree(0, 1, 2), *differ(3), *agree(4)])
    yield _entry("f_∞: one of five RR", sparse_parallel(one), player, Truth(math.log(3)),
                 "CM Thm 5.2", epsilon=Log(3))  # fmt: skip
    player = _asking((THREE,) * 5, differ(0, 1, 2, 3, 4))
    f = ForgetsSparsity(sparse_parallel(one).parameters)
    yield _entry("f_∞ that forgets sparsity", f, player, Truth(5 * math.log(3)),
                 "all of them may differ", epsilon=Log(3), broken=True)  # fmt: skip


def _consistent() -> Iterator[Entry]:
    one = (EITHER.parameters,)
    player = _asking((EITHER,) * 5, [*agree(0, 1, 2), *differ(3), *agree(4)])
    f = sparse_parallel(one, first_pair_consistent=True)
    yield _entry("f_{∞,FPC}: one of five RR", f, player, Truth(math.log(2), delta=0.1),
                 "CM Thm 5.5", epsilon=Log(2), delta=Fraction(1, 10))  # fmt: skip
    breaker = CounterexampleAdversary(delta=RARELY, copies=COPIES)
    truth = Truth(math.inf, delta=float(breaker.success))
    f = sparse_parallel(((0, RARELY),))
    fifty = _entry("f_∞ with δ > 0: fifty M_δ", f, Player("the counterexample's", breaker), truth,
                   "CM Thm 1.4", epsilon=0, delta=RARELY, broken=True)  # fmt: skip
    near = 0.98 * float(breaker.success)
    # Only 500,000 interactions in each world, since each takes long.
    yield attrs.evolve(fifty, goal=near, goal_of="delta", thorough=500_000)


def _side_by_side() -> Iterator[Entry]:
    made = (Create(SparseVectorVariant("1")), Create(SparseVectorVariant("1")))
    (stream,) = (each for each in one_by_one(5) if each.name.endswith("0…"))
    pairs: list[Pair] = list(stream.adversary.messages)  # type: ignore[attr-defined]
    asked = [Pair(Ask(p.zero, i), Ask(p.one, i)) for p in pairs for i in (0, 1)]
    (claim,) = claimed(
        fixed_mechanisms(made), Status.ASSUMED, "CM Thm 4.10", epsilon=Fraction(1, 5)
    )
    yield Entry("f^α: SVT1 ‖ SVT1", ExtConComp(), claim, (_asking(made, asked),))
