"""A preprocessing π, and what it declares: how far it takes what it does to one record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from antiphon.composition.guarantees.derivation import Premise
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.spaces import Space
from antiphon.verifiers.relations import Relation


class Preprocessing(ABC):
    """S ↦ π_S(S): a public function without coins, fitted to S and then applied to it. Abstract.

    Records that nobody changed may move, since π_S is not π_S'. So neighbours S, S' come apart in
    two steps, in the metric of the mechanism that stands behind: from π_S(S) to π_S(S'), by the
    one record that was changed (``images``: the *range* of π decides); and from there to π_S'(S'),
    by at most τ = Δ₂·Δ_∞ (``distance``), with Δ₂ how far one record moves and Δ_∞ how many do.
    """

    __slots__ = ()
    __immutable__ = True

    @property
    @abstractmethod
    def datasets(self) -> Space:
        """What it takes."""

    @property
    @abstractmethod
    def neighbours(self) -> Relation:
        """Which datasets are neighbours before it: who is replaced."""

    @property
    @abstractmethod
    def images(self) -> Relation:
        """How π_S(S) and π_S(S') are related, one π for both: what the mechanism has to allow.

        So are any two images of which one record is another one, anywhere in π's range: group
        privacy goes by such steps.
        """

    @property
    def range(self) -> Space | None:
        """A space that has all images, with those that lie between two of them; None: not known.

        The mechanism behind must take them all: an image that it refuses is an error that tells.
        """
        return None

    @property
    @abstractmethod
    def size(self) -> int:
        """n: how many records a dataset has."""

    @property
    @abstractmethod
    def moved(self) -> int:
        """Δ_∞: on how many of n records π_S and π_S' differ, at most."""

    @property
    @abstractmethod
    def distance(self) -> Fraction:
        """τ: how far π_S(S') and π_S'(S') are apart at most, in the mechanism's metric."""

    @property
    def apart(self) -> Fraction | None:
        """How far π_S(S) and π_S'(S') are apart in all, where that is known to be less; or None."""
        return None

    @property
    @abstractmethod
    def premises(self) -> tuple[Premise, ...]:
        """What the figures rest on, and how that is known: a gap or a least σ that is public, …"""

    @abstractmethod
    def __call__(self, dataset: Any) -> Any:
        """π_S(S), as the mechanism takes it."""


def stated(value: object) -> Preprocessing:
    """The preprocessing. Raises: InvalidArgument for what is none, with the cure."""
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
    """How many records of π_S(S) and π_S'(S') differ at most: those that move, and the replaced.

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
    """τ. Raises: InvalidArgument for what is no rational >= 0."""
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
