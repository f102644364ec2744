"""Creation queries (M, s, ε, δ, f) and the messages of ExtConComp (CM Def. 4.1)."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias, final

import attrs

from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.exact import ExactEpsilon
from antiphon.numbers.interning import fingerprint
from antiphon.populations.each_replica import accepting
from antiphon.protocol import Claim, Coins, ContinualMechanism, Refused, Space, Status
from antiphon.protocol.measures.kinds import MEASURES, Measure, parameters_of
from antiphon.protocol.messages import Ask, Creation
from antiphon.protocol.provenance import claims_of
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.verifiers.verifier import checking

_Step: TypeAlias = Callable[[object, object, Coins], tuple[object, object]]
_Check: TypeAlias = Callable[[object, object, object], object]


def _unclaimed(state: object, zero: object, one: object) -> Refused:
    return Refused("a mechanism without a claim is private with respect to no f")


def _weakened(measure: Measure, claims: Sequence[Claim]) -> Claim:
    """The most certain of the claims that imply this measure, weakened to the measure."""
    for each in sorted(claims, key=lambda claim: -claim.status.certainty):
        weaker = attrs.evolve(each, measure=measure)
        if weaker.follows_from(each):
            return weaker
    known = ", ".join(message_label(each.measure) for each in claims) or "nothing"
    raise InvalidArgument(
        f"{message_label(measure)} does not follow from a claim of the mechanism, which claims "
        f"{known}: give a weaker measure"
    )


@final
@register("antiphon.Create/1")
@attrs.frozen
class Create(Creation):
    """The creation query (M, s, ε, δ, f): create M in state s, claimed to be (ε, δ)-DP w.r.t. f.

    ``claim`` defaults to the mechanism's first claim and may only weaken one of its claims. A
    measure, such as ``Pure(2)``, stands for its most certain claim that implies it, weakened to
    this measure. A mechanism without claims can be created in live use, but no verifier lets it
    pass (CM Def. 4.4: every creation asserts a true claim).

    Raises: InvalidArgument if ``mechanism`` is no CM, or the claim does not follow.
    """

    __immutable__ = True
    mechanism: ContinualMechanism
    _given: Claim | Measure | None = attrs.field(default=None, alias="claim", eq=False, repr=False)
    claim: Claim | None = attrs.field(init=False)
    # The functions that check and answer every later message are looked up once, at the creation.
    accepts: Callable[[object], bool] = attrs.field(init=False, eq=False, repr=False)
    step: _Step = attrs.field(init=False, eq=False, repr=False)
    verify: _Check = attrs.field(init=False, eq=False, repr=False)
    _key: Hashable = attrs.field(init=False, eq=False, repr=False, default=None)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.mechanism, ContinualMechanism):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgument(
                f"Create takes a continual mechanism, not {of_kind(self.mechanism)}; wrap an IM in "
                "InteractiveAsContinual"
            )
        claims = claims_of(self.mechanism)
        claim = self._given
        if isinstance(claim, MEASURES):
            claim = _weakened(claim, claims)
            # A transcript records the whole claim, also where only a measure was given.
            set_derived(self, _given=claim)
        if claim is not None and type(claim) is not Claim:
            raise InvalidArgument(
                f"a claim is a Claim, or a measure such as Pure(1), not {of_kind(claim)}"
            )
        if claim is None and claims:
            claim = claims[0]
        elif claim is not None and not any(map(claim.follows_from, claims)):
            raise InvalidArgument(
                "the claim does not follow from a claim of the mechanism: give the same "
                "verification function with epsilon and delta no smaller, and no better status"
            )
        set_derived(
            self,
            claim=claim,
            accepts=accepting(self.mechanism.signature.queries),
            step=self.mechanism.step,
            verify=_unclaimed if claim is None else checking(claim.verification),
        )

    def __fingerprint__(self) -> Hashable:
        """The content that identifies the creation; cached, as exact searches compare creations
        often."""
        if self._key is None:
            set_derived(self, _key=fingerprint((self.mechanism, self.claim)))
        return self._key

    @property
    def asserts(self) -> bool:
        """Whether the creation asserts an (ε, δ) claim that is not known to be false."""
        if self.claim is None or self.claim.status is Status.REFUTED:
            return False
        return parameters_of(self.claim.measure) is not None

    @property
    def parameters(self) -> tuple[ExactEpsilon, Fraction]:
        """The (ε, δ) of the claim. Raises: InvalidArgument without a claim or without an (ε, δ)."""
        if self.claim is None:
            raise InvalidArgument("this creation carries no claim")
        return self.claim.parameters


@column_safe
@attrs.frozen
class CompositionMessages(Space):
    """The space of a composition's queries: creations, and questions (q, i) with an index i >= 0.

    Whether q belongs to the i-th mechanism's own space depends on what has been
    created, so it is checked by the automaton of f, and by ExtConComp.
    """

    creations: bool = True

    def contains(self, value: object) -> bool:
        if type(value) is Ask:
            # An Ask that was not made by its constructor has no index.
            index = getattr(value, "index", None)
            return type(index) is int and index >= 0
        return self.creations and type(value) is Create

    def cure(self, value: object) -> str:
        if type(value) is Ask or type(value) is tuple:
            return f"; {QUERY_FIRST}"
        if isinstance(value, ContinualMechanism) and self.creations:
            return "; write session.create(M), or session.send(Create(M))"
        return ""


QUERY_FIRST: Final = "a question has the query first, then the index: write Ask(query, index)"
