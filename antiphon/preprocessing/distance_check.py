"""A test of a preprocessing's declared bounds by examples: whether records move further, or more of
them move, than is declared.

The check tries neighbours of the given data that differ in one record, and neighbours on paths from
the data, on which more and more records are replaced. Large movements on a path are found by
bisection: one half of the path has at least half of the movement between its ends.
"""

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.audit.check.report import Finding
from antiphon.audit.check.subject import source_place
from antiphon.numbers import InvalidArgument, told_apart
from antiphon.preprocessing.preprocessed import stated
from antiphon.preprocessing.tables.record_tables import TablePreprocessing, into_ball
from antiphon.protocol.records.labels import message_label
from antiphon.verifiers.preprocessing_distance import Records, lengths

_STILL: Final = 1e-9
"""The distance, in units of the radius, up to which a record counts as unmoved: it may be
rounding."""
_AXES: Final = 8
_CURES: Final = {
    "furthest": "declare the largest possible movement: 2η for records within η of a centre; "
    "coordinates along principal directions change sign, so project (PrincipalProjection)",
    "moved": "declare how many may move: all, if the fitted parameters affect each",
    "distance": "declare Δ₂·Δ_∞, or the most that all records move by together",
    "rows": "whether a record stays depends on others, so no record is safe: take group privacy, "
    "for as many records as may come to differ",
}


@attrs.frozen
class Movement:
    """The movement of records between two neighbouring datasets S and S': how far the images of the
    records in both differ under the fitted preprocessings π_S and π_S'."""

    furthest: float
    """The largest distance between the two images of one record."""
    moved: int
    total: float
    candidate: str
    """A name for the record that replaced another one, such as "the origin"."""
    before: int
    """The number of records of the given data that were already replaced in S."""
    neighbours: tuple[Records, Records] = attrs.field(eq=False, repr=False)
    """The neighbouring tables S and S', as secret as the data."""


@attrs.frozen
class MovementReport:
    """The outcome of a check: the largest movements of records that were seen, and the declared
    bounds that they exceed. It is true as a condition (``if``) if they exceed none.

    No finding is no proof. The report reveals data: keep it as secret as the data.
    """

    preprocessing: str
    tried: int
    """The number of pairs of neighbours that were tried."""
    furthest: Movement | None
    moved: Movement | None
    distance: Movement | None
    """The movement with the largest total distance; ``furthest`` has the largest distance of one
    record, and ``moved`` the most records. None if no neighbour could be tried."""
    findings: tuple[Finding, ...]
    interrupted: bool = False

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        count = len(self.findings)
        told = f"{self.preprocessing}: {count or 'no'} finding{'' if count == 1 else 's'}, "
        lines = [f"{told}{self.tried} pairs of neighbours", *map(str, self.findings)]
        return "\n".join([*lines, "interrupted"] if self.interrupted else lines)


def check_preprocessing(preprocessing: object, data: object, *, tries: int = 200) -> MovementReport:
    """Test by examples how far records move when another record is replaced, and compare with the
    declared bounds Δ₂ (on one record), Δ_∞ (number of records) and τ (in all).

    ``data``: an n × d table that the preprocessing takes; ``tries``: about how often it is fitted.
    Ctrl-C ends the check with the results so far. Raises: InvalidArgument unless it is a
    preprocessing of tables that takes these data.
    """
    pi = stated(preprocessing)
    if not isinstance(pi, TablePreprocessing):
        raise InvalidArgument(f"a preprocessing of tables can be tried, no {type(pi).__name__}")
    table = np.array(data)
    if not pi.datasets.contains(table):
        raise InvalidArgument(
            f"data must be a dataset of the preprocessing, {message_label(pi.datasets)}: see "
            "into_ball, and its premises"
        )
    if type(tries) is not int or tries < 1:
        raise InvalidArgument("tries is an int >= 1")
    search, interrupted = _Search(pi, tries), True
    with suppress(KeyboardInterrupt):
        search.run(table)
        interrupted = False
    return search.report(interrupted)


class _Search:
    """A search over pairs of neighbours for the largest movements of records."""

    def __init__(self, pi: TablePreprocessing, tries: int) -> None:
        self.pi, self.left, self.tried = pi, tries, 0
        self.worst = dict[str, Movement]()
        self.shapes = set[tuple[int, ...]]()

    def run(self, table: Records) -> None:
        candidates = dict(_candidates(table, self.pi))
        paths = [_Path(table, name, record) for name, record in candidates.items()]
        # In one dimension the mirror image of a record is the record itself.
        if self.pi.dimension > 1:
            paths.append(_mirrored(table))
        for share in (1, len(table) // 2):
            for path in paths:
                if self.left <= 0 or not self.fits:
                    return
                self.follow(path, max(1, share))

    def follow(self, path: "_Path", end: int) -> None:
        """Search a path of datasets for two neighbours between which a record moves far."""
        while not self.pi.datasets.contains(path.at(end)):
            if end == 1:
                return
            end //= 2
        low, zero, one = 0, self.images(path, 0), self.images(path, end)
        while end - low > 1 and self.fits:
            middle = (low + end) // 2
            if not self.pi.datasets.contains(path.at(middle)):
                return
            between = self.images(path, middle)
            if not self.fits:
                return
            sides = _gaps(zero, between, path, low, middle), _gaps(between, one, path, middle, end)
            if sides[0].max(initial=0) >= sides[1].max(initial=0):
                end, one = middle, between
            else:
                low, zero = middle, between
        if self.fits:
            self.keep(_gaps(zero, one, path, low, end), path, low)

    @property
    def fits(self) -> bool:
        """Whether each image so far was a table of n rows, and all of them of the same shape."""
        tables = all(len(each) == 2 and each[0] == self.pi.size for each in self.shapes)
        return tables and len(self.shapes) <= 1

    def images(self, path: "_Path", count: int) -> Records:
        self.left -= 1
        with np.errstate(all="ignore"):  # Where π cannot be fitted to the data, the image is NaN.
            found = np.asarray(self.pi(path.at(count)), np.float64)
        self.shapes.add(found.shape)
        return found

    def keep(self, gaps: Records, path: "_Path", low: int) -> None:
        """Record the movement between two neighbours, where it is larger than all before."""
        self.tried += 1
        moved = int((gaps > _STILL * float(self.pi.radius)).sum())
        pair = path.at(low), path.at(low + 1)
        found = Movement(float(gaps.max(initial=0)), moved, math.fsum(gaps), path.name, low, pair)
        sizes = {"furthest": found.furthest, "moved": found.moved, "distance": found.total}
        for name, size in sizes.items():
            known = self.worst.get(name)
            if known is None or size > _size(known, name):
                self.worst[name] = found

    def report(self, interrupted: bool) -> MovementReport:
        label, worst = message_label(self.pi), self.worst
        seen = tuple(self.findings())
        return MovementReport(
            label, self.tried, worst.get("furthest"), worst.get("moved"), worst.get("distance"),
            seen, interrupted,
        )  # fmt: skip

    def findings(self) -> Iterator[Finding]:
        place = source_place(self.pi, "__call__")
        if not self.fits:
            told = f"images have the shapes {sorted(self.shapes)}, of {self.pi.size} records"
            yield Finding("rows", told, place, _CURES["rows"])
        for name, seen in self.worst.items():
            declared, size = getattr(self.pi, name), _size(seen, name)
            if not size <= float(declared) * (1 + _STILL) + _STILL * float(self.pi.radius):
                what = {"furthest": "one record moves by", "moved": "records that move:"}
                seen_size, allowed = told_apart(size, declared)
                told = f"{what.get(name, 'all records move by')} {seen_size}"
                told += f", and {allowed} is declared; one is replaced by "
                told += f"{seen.candidate}, after {seen.before} others"
                yield Finding(name, told, place, _CURES[name])


class _Path:
    """A path of datasets that begins at the given data: in each step ``record`` replaces one more
    record, of those left the farthest from it; first of all record number ``first``, if given."""

    def __init__(
        self, table: Records, name: str, record: Records, first: int | None = None
    ) -> None:
        self.table, self.name, self.record = table, name, record
        away = lengths(np.nan_to_num(table) - np.nan_to_num(record))
        if first is not None:
            away[first] = math.inf
        self.order = np.argsort(-away, kind="stable")

    def at(self, count: int) -> Records:
        found = self.table.copy()
        found[self.order[:count]] = self.record
        return found


def _candidates(table: Records, pi: TablePreprocessing) -> Iterator[tuple[str, Records]]:
    """The candidates, by name, for the record that replaces others: in the ball and at its edge,
    along the axes and along the data's principal directions."""
    known = np.nan_to_num(table)
    yield "the origin", np.zeros(pi.dimension)
    middle: Records = known.mean(axis=0)
    axes = np.linalg.svd(known - middle, full_matrices=False)[2]
    for name, directions in (("principal direction", axes), ("axis", np.eye(pi.dimension))):
        for number, each in enumerate(directions[:_AXES], 1):
            for sign in (1, -1):
                edge = into_ball(2 * sign * float(pi.radius) * each[None], float(pi.radius))[0]
                yield f"{'+' if sign > 0 else '-'}{name} {number}", edge
    yield "the mean", middle
    yield "the longest record", table[int(np.argmax(lengths(known)))]
    if np.isnan(table).any():
        yield "a record of which nothing is known", np.full(pi.dimension, np.nan)


def _mirrored(table: Records) -> _Path:
    """A path of datasets whose first step replaces a record by its mirror image in the line from
    the origin through the mean of the others: the record that is farthest from its image.

    No replacement turns principal directions more: two such datasets reach the bound of
    ``PrincipalProjection``.
    """
    known = np.nan_to_num(table)
    means = (known.sum(axis=0) - known) / max(1, len(known) - 1)
    scale = (means**2).sum(axis=1)
    shares = (known * means).sum(axis=1) / np.where(scale > 0, scale, 1.0)
    images = 2 * shares[:, None] * means - known
    number = int(np.argmax(lengths(images - known)))
    return _Path(table, f"record {number}, mirrored", images[number], number)


def _gaps(zero: Records, one: Records, path: _Path, low: int, high: int) -> Records:
    """The distance between the two images of each record in both datasets; ∞ for NaN."""
    kept: NDArray[np.bool_] = np.ones(len(zero), bool)
    kept[path.order[low:high]] = False
    found = lengths(zero[kept] - one[kept])
    return np.where(np.isnan(found), math.inf, found)


def _size(found: Movement, name: str) -> float:
    return found.total if name == "distance" else float(getattr(found, name))
