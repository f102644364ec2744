"""Boards that open keys: the verification function f' of the opener and its counters, and its
price.

**Theorem T3.** The opener is created first. Then counters, all alike, are created in any number;
all pairs of updates of counters differ by at most B units, and of the opener's cells at most m
differ, each by one user. If one unit costs a counter at most ε₁, and the opener is (ε, δ)-DP for
one cell, the composition is as private as Comp[RR_{ε,δ} × m, RR_{Bε₁}]. *Proof.* Each cell is a
NIM that gets its number as its only query, so that it is first-pair consistent; all texts in all
windows are the universe, and those of number 0 in both worlds are never sent, as they answer "no"
surely. So the opener is CM Thm 5.5's composition of NIMs of which m differ: interactive
post-processing of RR_{ε,δ} × m. The counters are Theorem T1's: the view fixes their creations, too,
which are the same in both worlds and toss no coins, so its proof holds as it stands, and they are
interactive post-processing of RR_{Bε₁} (CM Thm 4.10). Both together are that of all RR. ∎
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from antiphon.boards.opener import THEOREM, CellsWithin, KeyOpener
from antiphon.boards.purse import moved, price_of_unit, times
from antiphon.composition import Create, Derivation, ExtConComp, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees import composing
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.fixed_compositions import leaf_claims
from antiphon.composition.suitable import Purse, SuitableState, Unpaid, asked_child
from antiphon.mechanisms import fields
from antiphon.numbers import shown_up
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import Ask, Measure, Refused, identical, register


@register("antiphon.OpeningPurse/1")
@attrs.frozen(kw_only=True)
class OpeningPurse(Unpaid):
    """The verification function f' of a board that opens keys: the opener first, then any number
    of counters.

    Creations are identical pairs. At most ``cells`` cells of the opener differ, each by one; all
    updates of all counters differ by at most ``units``. State: the created mechanisms; the units
    and the cells that are left.
    """

    swap_symmetric = True
    opener: Create
    counter: Create
    units: int = attrs.field(converter=fields.size, metadata=fields.VALUES)
    cells: int = attrs.field(converter=fields.size, metadata=fields.VALUES)
    prescribed: int = attrs.field(default=1, init=False, eq=False, repr=False)

    @property
    def purse(self) -> Vector[int]:
        return Vector((self.units, self.cells))

    def reads(self, measure: Measure) -> bool:
        return True

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        wanted = self.counter if count else self.opener
        return purse if identical(created, wanted) else Refused("no such creation is next")

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
        units, cells = state.purse
        if zero.index == 0:
            left = CellsWithin(cells=self.cells).step(cells, x, y)
            if type(left) is Refused:
                return left
            return SuitableState(state.children, Vector((units, left)))
        left = moved(units, x, y)
        if type(left) is Refused:
            return left
        return SuitableState(state.children, Vector((left, cells)))


@rule(THEOREM, ExtConComp, about=OpeningPurse)
def opened(system: ExtConComp, f: OpeningPurse, inquiry: Inquiry) -> Steps:
    """Theorem T3, ExtConComp w.r.t. f': the figure is that of Comp[RR_{ε,δ} × m, RR_{Bε₁}].

    Raises: NoGuarantee if the first creation is no ``KeyOpener``, or a counter is none of T1's.
    """
    opener = f.opener.mechanism
    if type(opener) is not KeyOpener or f.opener.claim is None:
        raise NoGuarantee(
            THEOREM, "a KeyOpener, whose cells are independent", "the first creation is none",
            "create KeyOpener(epsilon=…, delta=…) first",
        )  # fmt: skip
    price = price_of_unit(f.counter, THEOREM)
    known = yield from leaf_claims((f.opener, f.counter))
    total = times(f.units, price.epsilon)
    parameters = [(opener.epsilon, opener.delta)] * f.cells
    premises = (
        Premise("all counters are alike, and creations the same in both worlds", Mark.ENFORCED,
                "by V[f']"),
        Premise(f"at most {f.cells:,} cells differ, each by one user", Mark.ENFORCED, "by V[f']"),
        Premise(f"all updates together differ by at most {f.units:,} units", Mark.ENFORCED,
                "by V[f']"),
        Premise("a counter is pure w.r.t. one unit in one update", Mark.CHECKED,
                lambda: f"ε₁ = {shown_up(price.epsilon)}"),
        Premise("its updates are an interval of ints, and its answers are discrete", Mark.CHECKED),
    )  # fmt: skip
    return Derivation(
        THEOREM,
        lambda: (
            f"{f.cells:,} cells at ε = {shown_up(opener.epsilon)}, δ = {shown_up(opener.delta)} "
            f"each, and {f.units:,} units at ε₁ = {shown_up(price.epsilon)}"
        ),
        f,
        composing.composed([*parameters, (total, Fraction(0))]),
        premises,
        tuple(dict.fromkeys(known)),
    )
