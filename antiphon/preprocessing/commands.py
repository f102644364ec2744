# pyright: reportUnknownMemberType=false
"""The command ``antiphon preprocess``: ε on the original data, in four ways, for each size n."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

import attrs

from antiphon.cli.output import CommandOutcome, exact_number, progress, tell
from antiphon.composition import Mark, Premise, guarantee
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.calibration import budget, largest_rho
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.mechanisms import NoisyDescent
from antiphon.numbers import InvalidArgument, shown_up
from antiphon.numbers.exact import rational
from antiphon.preprocessing import Preprocessed, tables
from antiphon.preprocessing.behind_preprocessing import GROUP
from antiphon.preprocessing.printed_bounds import as_printed
from antiphon.protocol.display import Card, Grid, Part, as_data
from antiphon.protocol.pictures import COLOURS, check_pictures, headed, legend, picture, style_axes

_SIZES: Final = (100, 1000, 10_000, 100_000)
_LITTLE: Final = 2
"""The largest ratio of the derived ε to the naive ε at which a preprocessing is said to pay off."""


class PriceAsked(NamedTuple):
    """The command-line options for the preprocessing and the budget, as text."""

    kind: str
    missing: str
    sigma: str
    gap: str
    centred: bool
    bins: int
    eta: str
    dimension: int
    epsilon: str
    delta: str


class PriceRow(NamedTuple):
    """The ε behind a preprocessing for one number of records, computed in four ways. The naive ε
    ignores the preprocessing and is too small; the printed ε, by the bound of a talk, is too
    large."""

    size: int
    apart: float
    """The ratio τ/Δ: the total distance by which the other records may move, over the distance by
    which the replaced record may."""
    naive: float
    printed: float
    derived: float
    group: float


def preprocessing_of(asked: PriceAsked, size: int) -> tables.TablePreprocessing:
    """The preprocessing named in the options, for n records in the unit ball. Raises:
    InvalidArgument."""
    shape: dict[str, Any] = {"size": size, "dimension": asked.dimension}
    kinds: dict[str, Callable[[], tables.TablePreprocessing]] = {
        "imputation": lambda: tables.MeanImputation(**shape, missing=_missing(asked.missing, size)),
        "scaling": lambda: tables.StandardScaling(**shape, sigma=rational(asked.sigma, "sigma")),
        "projection": lambda: tables.PrincipalProjection(
            **shape, components=1, gap=rational(asked.gap, "gap"), centred=asked.centred
        ),
        "bins": lambda: tables.BinCentres(**shape, bins=asked.bins),
        "clusters": lambda: tables.ClusterCentres(
            **shape, clusters=1, eta=rational(asked.eta, "eta")
        ),
    }
    if asked.kind not in kinds:
        known = ", ".join(kinds)
        raise InvalidArgument(
            f"there is no preprocessing {asked.kind[:40]!r}; there are {known}. De-duplication "
            "is none of single records: it costs what group privacy does"
        )
    return kinds[asked.kind]()


def _missing(text: str, size: int) -> int:
    asked = rational(text, "missing")
    if asked >= 1 and asked.denominator > 1:
        raise InvalidArgument("missing is a share below 1, or a whole number of values")
    return int(asked) if asked >= 1 else int(asked * size)


def calibrated(pi: tables.TablePreprocessing, rho: Fraction) -> NoisyDescent:
    """A ρ-zCDP noisy mean of the images of π, with noise calibrated to one replaced record."""
    reach = pi.radius / pi.sigma if isinstance(pi, tables.StandardScaling) else pi.radius
    return NoisyDescent(points=pi.size, dimension=pi.dimension, steps=1, rho=rho, clip=reach)


def price(pi: tables.TablePreprocessing, rho: Fraction, delta: Fraction) -> PriceRow:
    """The ε at ``delta``, computed in four ways, of a noisy mean behind a preprocessing π; the mean
    is ρ-zCDP if π is ignored."""
    noise = calibrated(pi, rho)
    promise = guarantee(Preprocessed(noise, pi))
    (group,) = (each for each in promise.derivation.parts if each.theorem == GROUP)
    apart = pi.distance / (2 * noise.clip)

    def at(curve: PrivacyCurve) -> float:
        return float(curve.epsilon_at(delta))

    naive, printed = guarantee(noise), of_measure(as_printed(rho, apart))
    curves = (naive.curve, printed, promise.curve, group.curve)
    return PriceRow(pi.size, float(apart), *map(at, curves))


def prices(asked: PriceAsked, sizes: Sequence[int], *, plot: Path | None, as_json: bool) -> int:
    """Compute, print and plot the table of ε, for each number of records in four ways."""
    if plot is not None:
        check_pictures([plot])
    epsilon, delta = budget(rational(asked.epsilon, "epsilon"), rational(asked.delta, "delta"))
    kinds = [preprocessing_of(asked, size) for size in sorted(set(sizes or _SIZES))]
    rho = largest_rho(epsilon, delta)
    rows = list[PriceRow]()
    with progress("ε", len(kinds), quiet=as_json) as advance:
        for pi in kinds:
            rows.append(price(pi, rho, delta))
            advance(len(rows))
    if plot is not None:
        _draw(rows, f"{asked.kind}: ε on the original data, δ = {exact_number(delta)}", plot)
    tell(PriceTable(asked, rows, kinds[-1].premises, plot), as_json=as_json)
    return 0


def falls(rows: Sequence[PriceRow]) -> bool | None:
    """Whether the bound on the records' movement falls, by a tenth at least, from the least to the
    largest number of records; None for a single number."""
    return None if len(rows) < 2 else rows[-1].apart < 0.9 * rows[0].apart


def pays(row: PriceRow) -> bool:
    """Whether the derived ε is close to the naive ε, and better than group privacy."""
    return row.derived <= _LITTLE * row.naive and row.derived < row.group


_LINES: Final = {
    "naive": ("naive (wrong)", COLOURS[1], ":"),
    "printed": ("printed, p = 2", COLOURS[4], "--"),
    "group": ("group privacy", COLOURS[3], "-."),
    "derived": ("derived", COLOURS[0], "-"),
}


def _draw(rows: Sequence[PriceRow], title: str, path: Path) -> None:
    """Plot ε over the number n of records, with a line for each of the four ways."""
    with picture([path], width=8, height=5) as figure:
        axes = figure.subplots()
        style_axes(axes, "records n", "ε")
        sizes = [row.size for row in rows]
        for name, (label, colour, style) in _LINES.items():
            values = [getattr(row, name) for row in rows]
            axes.plot(sizes, values, style, color=colour, marker="o", markersize=4, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        legend(axes)
        headed(figure, title, 0.1)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.9, bottom=0.11)


@attrs.frozen
class PriceTable(CommandOutcome):
    """The table of ε, and the verdict whether the preprocessing pays off."""

    asked: PriceAsked
    rows: Sequence[PriceRow]
    premises: Sequence[Premise]
    plot: Path | None

    def to_dict(self) -> dict[str, Any]:
        found = {"rows": self.rows, "premises": self.premises}
        says = {"falls_with_n": falls(self.rows), "pays": pays(self.rows[-1]), "plot": self.plot}
        return {**self.asked._asdict(), **as_data(found), **as_data(says)}

    def _card(self) -> Card:
        kind, delta = self.asked.kind, self.asked.delta
        title = f"{kind}: ε on the original data at δ = {delta}, of a mean with Gaussian noise"
        return Card(title, self._parts())

    def _parts(self) -> Iterator[Part]:
        columns = ("n", "τ/Δ", "naive (wrong)", "printed, p = 2", "derived", "group privacy")
        cells = [(f"{row.size:,}", *map(shown_up, row[1:])) for row in self.rows]
        yield Grid(cells, columns, numbers=columns)
        yield verdict(self.rows)
        for each in self.premises:
            if each.mark is Mark.ASSUMED:
                yield f"assumed: {each.text} ({each.evidence})"
        if self.plot is not None:
            yield f"ε over n is drawn in {self.plot}"


def verdict(rows: Sequence[PriceRow]) -> str:
    """The verdict whether the preprocessing pays off, and whether more records would help."""
    last, change = rows[-1], falls(rows)
    if pays(last):
        times = shown_up(last.derived / last.naive)
        text = f"It pays: at n = {last.size:,} ε is {times} times the naive one, where group "
        text += f"privacy has {shown_up(last.group)}."
    elif last.derived < last.group:
        text = (
            f"It does not pay: at n = {last.size:,} ε is {shown_up(last.derived)}, the least known."
        )
    else:
        text = f"It does not pay: at n = {last.size:,} nothing is better than group privacy."
    if change is None:
        return text
    return f"{text} How far others move {'falls' if change else 'does not fall'} with n."
