"""Preprocessings π that are not private themselves, with declared bounds; and a mechanism behind
such a preprocessing.

One example is exact: missing values filled by the mean of the others, and summed.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import attrs

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.mechanisms import fields
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind
from antiphon.protocol import EMPTY, Claim, Coins, assumed, column_safe, register, why_untrusted
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.spaces import Either, Finite, Integers, Listed, Signature, Space, Tuples
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import OneEntry, Relation, Within


class Preprocessing(ABC):
    """A preprocessing S ↦ π_S(S): a public deterministic function, fitted to S and applied to S.
    Abstract.

    Unchanged records may move, since π_S is not π_S'. So the distance of neighbours S, S', in the
    metric of the mechanism behind π, grows in two steps: from π_S(S) to π_S(S'), by the one changed
    record (``images``: limited by the *range* of π); and from π_S(S') to π_S'(S'), by at most τ =
    Δ₂·Δ_∞ (``distance``), with Δ₂ a bound on the movement of one record and Δ_∞ on the number of
    moved records.
    """

    __slots__ = ()
    __immutable__ = True

    @property
    @abstractmethod
    def datasets(self) -> Space:
        """The space of the datasets to which the preprocessing can be fitted."""

    @property
    @abstractmethod
    def neighbours(self) -> Relation:
        """The neighbouring relation before the preprocessing: one record is replaced."""

    @property
    @abstractmethod
    def images(self) -> Relation:
        """The relation between the images π_S(S) and π_S(S') of neighbours, under one fitted π_S.

        The relation must hold for any two images that differ in one record, anywhere in π's range:
        group privacy uses such steps.
        """

    range: Space | None = None
    """A space that contains all images and all values between two of them; None if it is not known.

    The mechanism behind π must accept all values of this space: a refused image would be an error
    that reveals data.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """The number n of records in a dataset."""

    @property
    @abstractmethod
    def moved(self) -> int:
        """The bound Δ_∞ on the number of records whose images under π_S and π_S' differ."""

    @property
    @abstractmethod
    def distance(self) -> Fraction:
        """The bound τ on the sum of the distances between a record's images under π_S and under
        π_S', over all records of S'."""

    @property
    def apart(self) -> Fraction | None:
        """A bound on the distance between the images π_S(S) and π_S'(S') of neighbours, where one
        is known that is better than the triangle inequality's; else None."""
        return None

    @property
    @abstractmethod
    def premises(self) -> tuple[Premise, ...]:
        """The premises of the declared bounds, such as a public eigengap, and how each is known."""

    @abstractmethod
    def __call__(self, dataset: Any) -> Any:
        """The preprocessed dataset π_S(S), as the mechanism takes it."""


def stated(value: object) -> Preprocessing:
    """Check the declared bounds of a Preprocessing and return it. Raises: InvalidArgument."""
    if not isinstance(value, Preprocessing):
        raise InvalidArgument(
            f"preprocessing is a Preprocessing, which says how far records move, no "
            f"{type(value).__name__}; of one that is no function of single records, such as "
            "de-duplication, only group privacy is known"
        )
    changed(value)
    travelled(value)
    return value


def changed(preprocessing: Preprocessing) -> int:
    """The largest number of records in which the images π_S(S) and π_S'(S') differ: the records
    that may move, and the replaced one.

    Raises: InvalidArgument for a Δ_∞ that is negative or more than n.
    """
    size, moved = preprocessing.size, preprocessing.moved
    if type(moved) is not int or type(size) is not int or not 0 <= moved <= size:
        raise InvalidArgument(
            f"{type(preprocessing).__name__} says that {moved} of {size} records move: "
            "moved is an int between 0 and size"
        )
    return min(size, moved + 1)


def travelled(preprocessing: Preprocessing) -> Fraction:
    """The declared distance τ of a preprocessing, after a check. Raises: InvalidArgument if it is
    no rational >= 0."""
    found = preprocessing.distance
    if type(found) is not Fraction or found < 0:
        raise InvalidArgument(
            f"the distance of {type(preprocessing).__name__} is a Fraction >= 0: cap Δ₂ at the "
            "diameter of the range"
        )
    whole = preprocessing.apart
    if whole is not None and (type(whole) is not Fraction or whole < 0):
        raise InvalidArgument(
            f"apart of {type(preprocessing).__name__} is a Fraction >= 0, or None"
        )
    return found


def _noninteractive(_: object, __: "attrs.Attribute[Any]", value: object) -> None:
    if not isinstance(value, NoninteractiveMechanism):
        raise InvalidArgument(
            f"a NoninteractiveMechanism stands behind a preprocessing, no {type(value).__name__}"
        )


def _preprocessing(_: object, __: "attrs.Attribute[Any]", value: object) -> None:
    stated(value)


@register("antiphon.Preprocessed/1")
@column_safe(of=("mechanism", "preprocessing"))
@attrs.frozen
class Preprocessed(NoninteractiveMechanism[Any, Any]):
    """The mechanism S ↦ M(π_S(S)): a noninteractive mechanism M behind a preprocessing π.

    The first message is a dataset, and the answer is M's on the preprocessed dataset. Privacy
    w.r.t. f_∼ for neighbours *before* π; ``ap.guarantee`` derives it with its premises. If M has
    ``claims_at``, the privacy is M's claim for neighbours at the distance of images under one π,
    plus τ (CM Thm 6.1 with π as P). Otherwise it is the smaller of the weak triangle inequality
    (``Hoelder``), if M has a claim for neighbours τ apart, and group privacy of M for the Δ_∞ moved
    records and the changed one. Raises: InvalidArgument for an M that is interactive, or does not
    take all images; a π that is no ``Preprocessing``, a Δ_∞ above n, a distance below 0.
    """

    mechanism: NoninteractiveMechanism[Any, Any] = attrs.field(validator=_noninteractive)
    preprocessing: Preprocessing = attrs.field(validator=_preprocessing)

    def __attrs_post_init__(self) -> None:
        images, taken = self.preprocessing.range, self.mechanism.signature.queries
        if images is not None and not taken.includes(images):
            raise InvalidArgument(
                f"the images of {type(self.preprocessing).__name__} are {images}, and "
                f"{type(self.mechanism).__name__} takes {taken}: what it refused would tell; give "
                "it a larger space"
            )

    @property
    def signature(self) -> Signature:
        datasets = self.preprocessing.datasets
        return Signature(datasets, self.mechanism.signature.answers, datasets)

    @property
    def verification(self) -> NeighbouringStart:
        """The verification function f: neighbouring datasets before the preprocessing."""
        return neighbouring_start(self.preprocessing.neighbours)

    @property
    def claims(self) -> tuple[Claim, ...]:
        from antiphon.composition.guarantees.derivation import NoGuarantee
        from antiphon.composition.guarantees.rulebook import Inquiry, derive

        plain = Preprocessed(self.mechanism, self.preprocessing)
        try:
            claims = derive(Inquiry(plain, self.verification)).claims()
        except (NoGuarantee, InvalidArgument):
            return ()
        return claims if why_untrusted(self) is None else tuple(map(assumed, claims))

    def respond(self, dataset: Any, coins: Coins) -> Any:
        found = self.preprocessing(dataset)
        if not self.mechanism.signature.queries.contains(found):
            raise CompositionError(
                f"{type(self.preprocessing).__name__} gave {of_kind(found)} that is no "
                f"dataset of {type(self.mechanism).__name__}"
            )
        return self.mechanism.respond(found, coins)


@column_safe
@attrs.frozen
class _Known(Listed):
    """The space of tuples of records of which at most ``missing`` are missing (``EMPTY``)."""

    records: Tuples
    missing: int

    def contains(self, value: Any) -> bool:
        return self.records.contains(value) and _missing(value) <= self.missing

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return True

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self.records.finite

    def elements(self) -> Any:
        return filter(self.contains, self.records.enumerate())


def _missing(dataset: tuple[Any, ...]) -> int:
    return sum(each is EMPTY for each in dataset)


@register("antiphon.ImputedSum/1")
@column_safe
@attrs.frozen(kw_only=True)
class ImputedSum(Preprocessing):
    """The sum of n ints in 0, …, high, at most p of them missing (``EMPTY``), with ⌊mean⌋ in place
    of each missing one.

    For neighbours that differ in one entry, and a mechanism on one int.
    *Images*: with one filling for both, the entry that differs changes the sum by ``high`` at most.
    *Distance*: τ = p·⌈high/(n-p)⌉. *Proof*: let k >= n-p be the larger number of present entries.
    If both have k, their means differ by |x - x'|/k; if x is missing in one, by |x - m|/k, m the
    mean of the k-1 others. Either is at most high/k, so the floors differ by ⌈high/(n-p)⌉ at most,
    and at most p entries are filled. Raises: InvalidArgument for p >= n, without a mean.

    >>> ImputedSum(size=4, missing=2, high=9)((1, EMPTY, 4, EMPTY))
    9
    """

    size: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    missing: int = attrs.field(validator=fields.integer)
    high: int = attrs.field(converter=fields.size, metadata=fields.VALUES)

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.missing < self.size:
            raise InvalidArgument(
                "missing is an int from 0 to size - 1: a mean needs a record that is present"
            )

    @property
    def datasets(self) -> Space:
        record = Either((Integers(0, self.high), Finite((EMPTY,))))
        return _Known(Tuples((record,) * self.size), self.missing)

    @property
    def neighbours(self) -> OneEntry:
        return OneEntry()

    @property
    def images(self) -> Within:
        return Within(Fraction(self.high))

    @property
    def range(self) -> Integers:  # type: ignore[override]
        """The space of possible sums."""
        return Integers(0, self.size * self.high)

    @property
    def moved(self) -> int:
        return self.missing

    @property
    def distance(self) -> Fraction:
        return Fraction(self.missing * math.ceil(Fraction(self.high, self.size - self.missing)))

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"at most {self.missing} of {self.size} are missing, in both datasets"
        return (Premise(text, Mark.ENFORCED, "others are no datasets of it"),)

    def __call__(self, dataset: tuple[Any, ...]) -> int:
        known: list[int] = [each for each in dataset if each is not EMPTY]
        return sum(known) + (len(dataset) - len(known)) * (sum(known) // len(known))
