"""A bound on the total change over all counters of a board: the verification function f', and
Theorem T1 on its privacy.

*Units of change*. Counters are created first, the same in both worlds. Then pairs may differ by
any number of units, in any updates of any of them; all units together are at most B.

**Theorem T1.** If one unit, in one update of one counter, costs each counter at most ε₁, then the
composition is Bε₁-DP w.r.t. this f', however many counters there are. *Proof.* Take an adversary
and its answers; they fix both sides of all pairs. The side of world 0 becomes that of world 1 in at
most B steps, each of one unit in one update of one counter: an int moves towards the other one, so
it stays in the counter's space, which is an interval. Each of these streams is an allowed stream,
and consecutive ones differ as f of one unit allows. Given the answers, the counters are
independent: the probability of the view is a product over them, of which a step changes one factor,
by e^ε₁ at most (δ = 0, so answer by answer; answers are discrete). ∎ (Counting k counters, each of
which may see all B units, would give k·Bε₁; Comp[RR_ε₁ × B] would be too low: two units in one
counter may cost RR_{2ε₁}.)
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final

import attrs

from antiphon.composition import Create, Derivation, ExtConComp, Mark, NoGuarantee, Premise
from antiphon.composition.accounting.bounds import of_measure, times
from antiphon.composition.guarantees.inclusion import includes, verification_of
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.fixed_compositions import leaf_claims
from antiphon.composition.suitable import Purse, SuitableState, Unpaid, asked_child
from antiphon.composition.validity import OfCreations
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.numbers import exact, shown_short
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import Ask, Pure, Refused, identical, message_label, register
from antiphon.protocol.spaces import Either, Finite, Integers, Space
from antiphon.verifiers import Within, event_level, updates_and_queries

THEOREM: Final = "Theorem T1 (docs/boards.md)"
UNIT: Final = updates_and_queries(event_level(Within(1)), QUERIES)
"""The verification function of one unit of change: a single update differs, by one."""


class OfUnits(Unpaid):
    """A verification function that lets pairs of updates (x, x') cost |x - x'| units. Abstract."""

    swap_symmetric = True  # Swap-symmetric as |x - x'| is, whatever the counters' own f' are.

    def step(self, state: SuitableState, zero: object, one: Any, /) -> SuitableState | Refused:
        if type(zero) is not Ask:
            return self._create(state, zero, one)
        child = asked_child(state.children, self.prescribed, zero, one)
        if type(child) is Refused:
            return child
        x, y = zero.query, one.query
        if not child.created.accepts(x) or not (x is y or child.created.accepts(y)):
            return Refused("a query is outside the space of the mechanism asked")
        if x is y or identical(x, y):
            return state
        left = self._pay(state.purse, zero.index, x, y)
        return left if type(left) is Refused else SuitableState(state.children, left)

    @abstractmethod
    def _pay(self, purse: Purse, index: object, x: object, y: object) -> Vector[int] | Refused:
        """The purse after a pair of updates (x, y) to the mechanism ``index``; or a refusal."""


@register("antiphon.SharedPurse/1")
@attrs.frozen
class SharedPurse(OfUnits, OfCreations):
    """The verification function f': the creations ``created`` first, then pairs of updates that
    differ by at most ``units`` in all.

    Σ|x - x'| over all pairs of updates (x, x'), whichever counters they go to. Queries are the same
    on both sides. State: the counters, and the units that are left.
    """

    units: int = attrs.field(kw_only=True, converter=fields.size, metadata=fields.VALUES)

    @property
    def purse(self) -> Vector[int]:
        return Vector((self.units,))

    def _pay(self, purse: Purse, index: object, x: object, y: object) -> Vector[int] | Refused:
        left = moved(sum(purse), x, y)
        return left if type(left) is Refused else Vector((left,))


def moved(units: int, x: object, y: object) -> int | Refused:
    """The number of units left of ``units`` after a pair of updates (x, y), which costs |x - y|; or
    a refusal."""
    if type(x) is not int or type(y) is not int:
        return Refused("a pair differs that is no pair of updates")
    left = units - abs(x - y)
    return left if left >= 0 else Refused(f"pairs differ by more than the {units} units left")


def interval(queries: Space) -> bool:
    """Whether the ints of a query space form an interval, and its other queries are all texts."""
    parts = queries.spaces if type(queries) is Either else (queries,)
    return sum(type(each) is Integers for each in parts) == 1 and all(
        type(each) is Integers
        or (type(each) is Finite and all(type(value) is str for value in each.values))
        for each in parts
    )


@rule(THEOREM, ExtConComp, about=SharedPurse)
def shared(system: ExtConComp, f: SharedPurse, inquiry: Inquiry) -> Steps:
    """The guarantee of ExtConComp w.r.t. f' by Theorem T1: (Bε₁, 0), if B units may differ, and
    each costs a counter at most ε₁.

    Raises: NoGuarantee if a counter's claim is not pure, or not w.r.t. one unit; if its answers are
    not discrete; or if its updates are no interval of ints.
    """
    worst = Pure(0)
    for create in dict.fromkeys(f.created):
        price = price_of_unit(create, THEOREM)
        worst = price if exact.at_most(worst.epsilon, price.epsilon) else worst
    known = yield from leaf_claims(f.created)
    total, number = Pure(times(worst.epsilon, f.units)), len(f.created)
    of_all, are = ("the one counter", "is") if number == 1 else (f"the {number:,} counters", "are")
    premises = (
        Premise(f"{of_all} {are} fixed in advance, and created first", Mark.ENFORCED, "by V[f']"),
        Premise(f"all updates together differ by at most {f.units:,} units", Mark.ENFORCED,
                "by V[f']"),
        Premise("each counter is pure w.r.t. one unit in one update", Mark.CHECKED,
                lambda: f"ε₁ = {shown_short(worst.epsilon)}"),
        Premise("the updates of each are an interval of ints, and its answers are discrete",
                Mark.CHECKED),
    )  # fmt: skip
    return Derivation(
        THEOREM,
        lambda: (
            f"units of change, at most {f.units:,}, at ε₁ = {shown_short(worst.epsilon)} each, "
            f"however they are spread over {of_all}"
        ),
        f,
        of_measure(total),
        premises,
        tuple(dict.fromkeys(known)),
        (total,),
    )


def price_of_unit(create: Create, theorem: str) -> Pure:
    """The pure ε that a counter loses by one unit of change. Raises: NoGuarantee."""
    name, claim, signature = create.mechanism, create.claim, create.mechanism.signature
    cure = "create counters such as TreeCounter(sensitivity=1, clip=True, …)"

    def missing(needs: str, but: str) -> NoGuarantee:
        return NoGuarantee(theorem, needs, f"{message_label(name)} {but}", cure)

    if claim is None or type(claim.measure) is not Pure:
        raise missing("a pure ε of each counter", "claims none")
    if not (
        includes(verification_of(claim), UNIT) or includes(verification_of(claim), UNIT.updates)
    ):
        raise missing("a claim w.r.t. one unit in one update", "claims of fewer streams")
    if not signature.answers.discrete:
        raise missing("discrete answers of each counter", "answers otherwise")
    if not interval(signature.queries):
        raise missing("that each counter takes an interval of ints", "takes other updates")
    return claim.measure
