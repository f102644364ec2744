"""Tables of records of bounded norm, and the common base of their preprocessings.

scikit-learn computes most of them; it is imported on first use.
"""

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.numbers import InvalidArgument, MissingExtra, exact, named, up
from antiphon.preprocessing.preprocessed import Preprocessing
from antiphon.protocol import Arrays, Space, register
from antiphon.verifiers import preprocessing_distance

ROUNDED: Final = 2.0**-30
"""A bound on the relative error of computed norms, deviations and eigenvalues of tables."""
_TINY: Final = 2.0**-1022
"""A bound on the absolute error of computed norms that are close to 0."""
_MOST: Final = 1 << 100


@attrs.frozen
class BallTables(Space):
    """A space of tables whose records lie in a ball; subclasses add conditions. Abstract."""

    rows: int
    columns: int
    radius: Fraction = Fraction(1)
    missing: int = 0

    def contains(self, value: Any) -> bool:
        if type(value) is not np.ndarray or value.shape != (self.rows, self.columns):
            return False
        if value.dtype != np.float64 or np.isinf(value).any():
            return False
        absent = np.isnan(value)
        if absent.sum() > self.missing:
            return False
        with np.errstate(over="ignore"):
            longest = float(preprocessing_distance.lengths(np.where(absent, 0.0, value)).max())
        return longest * (1 + ROUNDED) + _TINY <= self.radius and self.also(value)

    @abstractmethod
    def also(self, table: preprocessing_distance.Records) -> bool:
        """Whether a table with records in the ball meets the subclass's further condition."""

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return False


@register("antiphon.RecordTables/1")
@attrs.frozen
class RecordTables(BallTables):
    """The space of n × d float tables with rows in the ball; a limited number of entries may be
    NaN.

    Norms are computed from the entries that are not missing, and rounded up, so a row at the very
    edge is refused.
    """

    def also(self, table: preprocessing_distance.Records) -> bool:
        return True


def into_ball(table: Any, radius: float = 1.0) -> preprocessing_distance.Records:
    """The table as floats, with rows outside the ball shortened to its radius.

    It is a public function of single records, which never increases a distance; so it costs no
    privacy.

    >>> into_ball([[3, 4], [0.5, float("nan")]]).round(6).tolist()
    [[0.6, 0.8], [0.5, nan]]
    """
    found = np.array(table, np.float64)
    long = preprocessing_distance.lengths(np.nan_to_num(found)) * (1 + 4 * ROUNDED) / float(radius)
    return found / np.maximum(long, 1.0)[:, None]


def _radius(value: object) -> Fraction:
    """Check and convert a radius; squared norms must fit in doubles. Raises: InvalidArgument."""
    found = exact.positive(value, "radius")
    if not 1 <= found * _MOST <= _MOST**2:
        raise InvalidArgument(
            "radius must lie between 2^-100 and 2^100, or images overflow: use other units"
        )
    return found


class Declaration(NamedTuple):
    """The bounds on the movement of records that a preprocessing declares, and their premises."""

    furthest: Fraction
    reach: Fraction | None
    """The largest absolute value of an image's entries; None if it is not known."""
    premises: tuple[Premise, ...] = ()
    """The premises of the bounds, beyond the premises of all preprocessings of tables."""
    datasets: Space | None = None
    """The space of accepted tables; None for all tables with records in the ball."""
    moved: int | None = None
    """The number of records that may move; None for all of them."""
    distance: Fraction | None = None
    """The bound τ on the total distance; None for the product of ``moved`` and ``furthest``."""


@attrs.frozen(kw_only=True)
class TablePreprocessing(Preprocessing):
    """A preprocessing of tables of n records in R^d, each of norm at most ``radius``; neighbours
    differ in one record. Abstract.

    For a mechanism on tables whose neighbours may also have moved rows (``PreprocessingDistance``).
    ``furthest`` and ``moved`` are about the rows other than the replaced one.
    """

    size: int = attrs.field(converter=named.whole)
    dimension: int = attrs.field(converter=named.whole)
    radius: Fraction = attrs.field(default=Fraction(1), converter=_radius)

    @property
    @abstractmethod
    def declares(self) -> Declaration:
        """The declared bounds and premises of this preprocessing."""

    @property
    def datasets(self) -> Space:
        found = self.declares.datasets
        return RecordTables(self.size, self.dimension, self.radius) if found is None else found

    @property
    def neighbours(self) -> preprocessing_distance.OneRow:
        return preprocessing_distance.OneRow()

    @property
    def images(self) -> preprocessing_distance.PreprocessingDistance:
        return preprocessing_distance.PreprocessingDistance(Fraction(0), 1)

    @property
    def range(self) -> Arrays | None:  # type: ignore[override]
        """The space of tables with entries within the declared reach, and a little more for
        rounding."""
        reach = self.declares.reach
        if reach is None:
            return None
        edge = up(reach) * (1 + ROUNDED)
        return Arrays((self.size, self.dimension), "float64", -edge, edge)

    @property
    def moved(self) -> int:
        found = self.declares.moved
        return self.size if found is None else found

    @property
    def furthest(self) -> Fraction:
        """The bound Δ₂: the largest distance between the images of one record under π_S and
        π_S'."""
        return self.declares.furthest

    @property
    def distance(self) -> Fraction:
        found = self.declares.distance
        return self.furthest * self.moved if found is None else found

    @property
    def premises(self) -> tuple[Premise, ...]:
        return (
            Premise(f"every record has norm at most {self.radius}", Mark.ENFORCED, "or is refused"),
            Premise(
                "scikit-learn computes what it documents", Mark.ASSUMED,
                "in doubles: movement by rounding is not counted",
            ),
            *self.declares.premises,
        )  # fmt: skip


def public_bound(text: str) -> Premise:
    """A premise with this text: a bound that holds for all datasets, by the user's word."""
    why = "a public bound, of all datasets, by the user's word: never computed from the data"
    return Premise(text, Mark.ASSUMED, why)


def gap(value: object) -> Fraction:
    """The eigengap, checked and converted to a number > 0. Raises: InvalidArgument."""
    found = exact.fraction(value, "gap")
    if found <= 0:
        raise InvalidArgument(
            "gap must be positive: with an eigengap of 0 a projection may turn to any side when a "
            "record is replaced; project on another number of components, or take group privacy"
        )
    return found


def sklearn(module: str) -> Any:
    """A module of scikit-learn. Raises: MissingExtra without it."""
    if find_spec("sklearn") is None:
        raise MissingExtra("scikit-learn", "preprocess")
    return import_module(f"sklearn.{module}")


@attrs.frozen(kw_only=True)
class Transformed(TablePreprocessing):
    """The preprocessing ``make().fit_transform(S)``, with Δ₂ and Δ_∞ as you state them: *assumed*.

    ``make`` returns a fresh transformer without coins (a fixed ``random_state``), as
    ``partial(PCA, 1)`` does. ``within``: the datasets, if not all tables in the ball.
    ``check_preprocessing`` searches for data that contradict them.
    Raises: InvalidArgument for a Δ₂ below 0, a Δ_∞ outside of 0, …, n.
    """

    make: Callable[[], Any]
    stated_furthest: Fraction = attrs.field(alias="furthest", converter=named.fraction)
    stated_moved: int | None = attrs.field(default=None, alias="moved")
    within: Space | None = None

    def __attrs_post_init__(self) -> None:
        if not callable(self.make):
            raise InvalidArgument("make is a function that returns a fresh transformer")
        if self.stated_furthest < 0:
            raise InvalidArgument("furthest must be >= 0")

    @property
    def declares(self) -> Declaration:
        text = f"a record moves by at most {self.stated_furthest}"
        stated = Premise(text, Mark.ASSUMED, "stated by the user")
        furthest, moved = self.stated_furthest, self.stated_moved
        return Declaration(furthest, None, (stated,), self.within, moved)

    def __call__(self, dataset: preprocessing_distance.Records) -> preprocessing_distance.Records:
        return np.asarray(self.make().fit_transform(dataset), np.float64)
