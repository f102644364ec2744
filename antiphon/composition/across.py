"""Event level and user level for a ConComp: differing pairs count over all its mechanisms."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

import attrs

from antiphon.composition.concurrent import ConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import given_creations, swap_symmetric_claims
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Ask, column_safe, identical, register
from antiphon.protocol.verification import Refused, Verification, read, swap_symmetric
from antiphon.verifiers.models import EventLevel, UserLevel

Counted: TypeAlias = Union[EventLevel, UserLevel]
"""The verification functions (event and user level) that bound the number of differing pairs."""


def _is_counted(_: object, __: object, value: Any) -> None:
    if type(value) is not EventLevel and type(value) is not UserLevel:
        raise InvalidArgument("the model is event_level(events=…) or user_level(events=…)")


@register("antiphon.Across/1")
@column_safe(of="model")
@attrs.frozen
class Across(Verification[Any, Any]):
    """The verification function f of a ConComp that counts differing pairs over all its mechanisms.

    The model is event level or user level. Besides, each differing pair, taken by itself, must be
    allowed by the f_i of its own mechanism. State: that of the model.
    """

    model: Counted = attrs.field(validator=_is_counted)
    created: tuple[Create, ...] = attrs.field(converter=given_creations)

    @property
    def swap_symmetric(self) -> bool:  # type: ignore[override]
        return swap_symmetric(self.model) and swap_symmetric_claims(self.created)

    @property
    def initial_state(self) -> object:
        return self.model.initial_state

    def step(self, state: object, zero: Any, one: Any, /) -> object:
        if type(zero) is not Ask or type(one) is not Ask or not identical(zero.index, one.index):
            return Refused("the two sides are not queries to the same mechanism")
        index = zero.index
        if type(index) is not int or not 0 <= index < len(self.created):
            return Refused(f"the index asked for is not one of the {len(self.created)} mechanisms")
        created = self.created[index]
        if not (created.accepts(zero.query) and created.accepts(one.query)):
            return Refused("a query is outside the space of the mechanism asked")
        if identical(zero.query, one.query):
            return state
        claim = created.claim
        alone = claim and created.verify(claim.verification.initial_state, zero.query, one.query)
        if alone is None or type(alone) is Refused:
            return Refused("a differing pair is not allowed by the f of its mechanism")
        model: Any = self.model
        return read(model, state, zero.query, one.query)


def across(composition: ConComp, model: Counted) -> Across:
    """The verification function f of a ConComp at event or user level, over all its mechanisms.

    >>> from antiphon.mechanisms import TreeCounter
    >>> from antiphon.verifiers import user_level
    >>> counter = TreeCounter(horizon=8, epsilon=1, users=True)
    >>> f = across(ConComp([counter, counter]), user_level(events=3))
    >>> f.model
    UserLevel(relation=AnyTwo(), events=3)
    """
    return Across(model, composition.created)
