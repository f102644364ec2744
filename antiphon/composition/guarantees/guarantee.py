"""The function ``ap.guarantee``: a system's privacy guarantee with its proof; ``Certified``, a
mechanism that claims it."""

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve, points
from antiphon.composition.accounting.parameters import MOST_CREATED
from antiphon.composition.accounting.risk import Risk, risk_of
from antiphon.composition.accounting.trade_off_functions import TradeOffCurve
from antiphon.composition.across import across
from antiphon.composition.complex_mechanism import ComplexMechanism, Delegating
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.guarantees import text
from antiphon.composition.guarantees.derivation import Derivation
from antiphon.composition.guarantees.rulebook import Derived, Inquiry, derive
from antiphon.composition.guarantees.statement import Statement, stated
from antiphon.numbers import exact, shown_up
from antiphon.numbers.errors import Elsewhere, InvalidArgument, of_kind, written_as
from antiphon.protocol import Claim, Measure, Signature, Space, Status, Verification
from antiphon.protocol.display import Card, Displayed, Grid, Picture
from antiphon.protocol.mechanism import ContinualMechanism, Mechanism
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.verifiers.models import EventLevel, UserLevel

Style = Literal["text", "markdown", "mermaid", "svg"]


@attrs.frozen(eq=False, repr=False)
class Guarantee(Displayed):
    """A guarantee with its derivation: M is (ε, δ)-DP w.r.t. ``verification`` for every point of
    ``curve``.

    Never optimistic: every figure is rounded up, and ``status`` is PROVED only if no premise
    in the derivation is merely assumed. ``str`` explains.
    """

    system: Mechanism
    derivation: Derivation
    # The attributes ``epsilon`` and ``delta`` only raise an error with advice; hidden from type
    # checkers, which report them as missing.
    if not TYPE_CHECKING:
        epsilon = Elsewhere("a guarantee holds at each δ: write promise.epsilon_at(1e-6)")
        delta = Elsewhere("a guarantee holds at each ε: write promise.delta_at(1)")

    @property
    def verification(self) -> Verification:
        """The verification function f, which says what is neighbouring (CM Def. 3.7)."""
        return self.derivation.verification

    @property
    def status(self) -> Status:
        """The status PROVED, or ASSUMED if some premise of the derivation is assumed."""
        return self.derivation.status

    @property
    def theorem(self) -> str:
        """The theorem at the top of the derivation."""
        return self.derivation.theorem

    @property
    def curve(self) -> PrivacyCurve:
        """The privacy curve: δ as a function of ε, and back."""
        return self.derivation.curve

    @property
    def trade_off(self) -> TradeOffCurve:
        """The trade-off function that is promised (f-DP): ``at(α)`` and ``plot()``."""
        return TradeOffCurve(self.curve)

    @written_as("promise.epsilon_at(1e-6), at this δ")
    def epsilon_at(self, delta: float | Fraction) -> float:
        """An ε that is promised at δ. Raises: InvalidArgument below the curve's least δ."""
        return self.curve.epsilon_at(delta)

    @written_as("promise.delta_at(1), at this ε")
    def delta_at(self, epsilon: exact.Epsilon) -> float:
        """A δ that is promised at ε (nats)."""
        return self.curve.delta_at(epsilon)

    def claim(
        self, *, delta: float | Fraction | None = None, measure: type[Measure] | None = None
    ) -> Claim:
        """The guarantee as a claim, for a mechanism or a creation: (ε, δ), or another ``measure``.

        ``delta`` None: the floor of the curve, with exact parameters where they are known.
        ``measure=ZeroConcentrated``, or another kind: the promise in that measure. If the question
        was narrowed (``catalogue``, ``max_creations``) the claim is only assumed. Raises:
        InvalidArgument for a δ at which no ε is promised, or a measure without a promise.
        """
        return self.derivation.claim(delta, measure)

    def explain(self, style: Style = "text") -> str:
        """The derivation, with the mark of every premise: as text, Markdown or a drawn tree.

        Raises: InvalidArgument for another style.
        """
        if style == "text":
            return text.as_text(self.system, self.derivation)
        if style == "markdown":
            return text.as_markdown(self.system, self.derivation)
        if style == "svg":
            return text.as_svg(self.system, self.derivation)
        if style == "mermaid":
            return text.as_mermaid(self.derivation)
        raise InvalidArgument(f"style is text, markdown, mermaid or svg, not {style!r}")

    def statement(self) -> Statement:
        """A privacy statement in sentences for the people concerned, as text, HTML or JSON."""
        return stated(self.derivation)

    def risk(
        self, *, prior: float | Fraction = 0.5, false_positive: float | Fraction = 0.01
    ) -> Risk:
        """Bounds on an adversary's success, rounded up: advantage, true-positive rate, …; a
        picture.

        ``prior``: the adversary's prior probability of membership; ``false_positive``: the rate at
        which non-members are accused.
        """
        known = self.derivation
        return risk_of(
            known.curve, known.measures, prior=prior, false_positive=false_positive,
            proved=known.proved,
        )  # fmt: skip

    def to_dict(self) -> dict[str, object]:
        """The guarantee as JSON-ready data: strings, numbers, lists and dicts only."""
        return text.as_dict(self.system, self.derivation)

    def _card(self) -> Card:
        figures = [(f"ε = {shown_up(e)}", f"δ = {shown_up(d)}") for e, d in points(self.curve)]
        parts = (f"status: {text.status(self.derivation)}", Grid(figures), Picture(self._drawn))
        return Card(text.headline(self.system, self.derivation), parts)

    def _drawn(self) -> str:
        return self.explain("svg")

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return f"<Guarantee by {self.theorem}, {self.status.value}>"


@written_as("ap.guarantee(M), or ap.guarantee(M, f)")
def guarantee(
    system: Mechanism,
    verification: Verification | None = None,
    *,
    inner: Verification | None = None,
    catalogue: Iterable[ContinualMechanism | Create] | None = None,
    max_creations: int | None = None,
) -> Guarantee:
    """The privacy guarantee of a system w.r.t. f, with its derivation: theorems and their premises.

    Finds the theorem (claims, group privacy, CM Lemma 2.15, Cor. 3.8, Thms 4.10, 4.12, 5.2,
    5.5, 6.1, filters), checks every premise it can and marks what it cannot as *assumed*.
    Args: ``verification``, f; None where the system suggests one (its claim, a verifier in
    the chain, a budget). ``inner``, f' of a complex mechanism (CM §6). ``catalogue`` and
    ``max_creations`` restrict the adversary to these creations, and to that many. For a ConComp,
    event or user level counts over all its mechanisms together (``across``). Raises: NoGuarantee, a
    CompositionError, that names the premise that fails and the cure.

    >>> from antiphon import ConComp, ExtConComp, verifiers
    >>> from antiphon.composition import sparse_parallel
    >>> from antiphon.mechanisms import TreeCounter
    >>> counter = TreeCounter(horizon=8, epsilon=1)
    >>> one_of_many = sparse_parallel([(1, 0)])
    >>> promise = guarantee(ExtConComp(), one_of_many, catalogue=[counter])
    >>> promise.theorem, promise.status.value, promise.epsilon_at(0)
    ('CM Thm 5.2', 'proved', 1.0)
    >>> guarantee(ExtConComp(), one_of_many).status.value        # who knows what may be created
    'assumed'
    >>> visits = TreeCounter(horizon=8, epsilon=1, users=True)
    >>> guarantee(ConComp([visits, visits]), verifiers.user_level(events=3)).epsilon_at(0)
    3.0
    """
    if max_creations is not None and (type(max_creations) is not int or max_creations < 0):
        raise InvalidArgument(f"max_creations must be an int >= 0, not {max_creations!r}")
    if max_creations is not None and max_creations > MOST_CREATED:
        raise InvalidArgument(f"max_creations is at most {MOST_CREATED:.0e}: no session is longer")
    for f in (verification, inner):
        if f is not None and not isinstance(f, Verification):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgument(f"f is a verification function, event_level(), not {of_kind(f)}")
    if catalogue is not None and not isinstance(catalogue, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(f"catalogue lists mechanisms, and is no {type(catalogue).__name__}")
    if type(system) is ConComp and isinstance(verification, EventLevel | UserLevel):
        # At event and user level the differing pairs of all mechanisms are counted together.
        verification = across(system, verification)
    listed = None if catalogue is None else tuple(map(_creation, catalogue))
    inquiry = Inquiry(system, verification, inner, listed, max_creations=max_creations)
    return Guarantee(system, derive(inquiry))


def _creation(each: ContinualMechanism | Create) -> Create:
    return each if type(each) is Create else Create(each)


@register("antiphon.Countable/1")
@column_safe
@attrs.frozen
class Countable(Space):
    """The countable space of the answers of a composition of mechanisms with discrete answers."""

    discrete = True

    def contains(self, value: object) -> bool:
        return True


@register("antiphon.Certified/1")
@attrs.frozen
class Certified(Delegating):
    """The mechanism M with the claim of ``guarantee(M, f)`` at ``delta`` (None: the least δ).

    Other measures of the derivation (ρ, μ or a Rényi curve) are claimed, too; without ``delta``
    only these, if no finite ε attains the floor.

    So compositions nest: all sparse vectors of a histogram are one mechanism, an ExtConComp
    w.r.t. f_∞, beside others (CM §7). ``truth`` cites the proof that creations in M assert true
    claims; empty: that is assumed, and so is the claim. Raises: NoGuarantee.

    >>> from antiphon import Create
    >>> from antiphon.composition import fixed_mechanisms, sparse_parallel
    >>> one_of_many = Certified(ExtConComp(), sparse_parallel([(1, 0)]))
    >>> Create(one_of_many).parameters
    (Fraction(1, 1), Fraction(0, 1))
    """

    verification: Verification
    delta: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(exact.probability)
    )
    truth: str = ""
    claims: tuple[Claim, ...] = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        claims = derive(self.derived.inquiry).claims(self.delta)
        own = self.mechanism.signature
        if any(type(self.mechanism) is each for each in (ConComp, ExtConComp, ComplexMechanism)):
            # V[f] or the theorem requires discrete answers, so the space of answers is countable.
            own = attrs.evolve(own, answers=Countable())
        set_derived(self, claims=claims, signature=own)

    @property
    def derived(self) -> Derived:
        """The inquiry that the claim answers; a guarantee that uses the claim derives it again."""
        return Derived(Inquiry(self.mechanism, self.verification, truth=self.truth), self.delta)
