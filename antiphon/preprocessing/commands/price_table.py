"""``antiphon preprocess``: ε on the original data, over n, by four ways to reckon it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from antiphon.cli.output import print_json, progress
from antiphon.cli.written import shown
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.guarantees.curves import of_measure
from antiphon.composition.guarantees.derivation import Mark
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners.searching import budget, largest_rho
from antiphon.mechanisms import NoisyDescent
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.numbers.printed import shown_up
from antiphon.preprocessing import Preprocessed
from antiphon.preprocessing.as_stated import as_printed
from antiphon.preprocessing.behind_preprocessing import GROUP
from antiphon.preprocessing.tables import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    PrincipalProjection,
    StandardScaling,
    TablePreprocessing,
)

_SIZES: Final = (100, 1000, 10_000, 100_000)
_LITTLE: Final = 2
"""It pays if what is derived is at most so many times the naive ε."""


class PriceAsked(NamedTuple):
    """The preprocessing and the noise, as they are written."""

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
    """ε at a number of records. The naive one is wrong, and the printed one too large."""

    size: int
    apart: float
    """τ/Δ: how far the others move, in units of what one record changes."""
    naive: float
    printed: float
    derived: float
    group: float


def preprocessing_of(asked: PriceAsked, size: int) -> TablePreprocessing:
    """The preprocessing of n records in the unit ball. Raises: InvalidArgument."""
    dimension = asked.dimension
    kinds: dict[str, Callable[[], TablePreprocessing]] = {
        "imputation": lambda: MeanImputation(
            size=size, dimension=dimension, missing=_missing(asked.missing, size)
        ),
        "scaling": lambda: StandardScaling(
            size=size, dimension=dimension, sigma=rational(asked.sigma, "sigma")
        ),
        "projection": lambda: PrincipalProjection(
            size=size, dimension=dimension, components=1, gap=rational(asked.gap, "gap"),
            centred=asked.centred,
        ),
        "bins": lambda: BinCentres(size=size, dimension=dimension, bins=asked.bins),
        "clusters": lambda: ClusterCentres(
            size=size, dimension=dimension, clusters=1, eta=rational(asked.eta, "eta")
        ),
    }  # fmt: skip
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


def price(pi: TablePreprocessing, rho: Fraction, delta: Fraction) -> PriceRow:
    """What a mean with Gaussian noise costs behind it, calibrated to the range of π."""
    reach = pi.radius / pi.sigma if isinstance(pi, StandardScaling) else pi.radius
    noise = NoisyDescent(points=pi.size, dimension=pi.dimension, steps=1, rho=rho, clip=reach)
    promise = guarantee(Preprocessed(noise, pi))
    (group,) = (each for each in promise.derivation.parts if each.theorem == GROUP)
    apart = pi.distance / (2 * noise.clip)

    def at(curve: PrivacyCurve) -> float:
        return float(curve.epsilon_at(delta))

    naive, printed = guarantee(noise), of_measure(as_printed(rho, apart))
    curves = (naive.curve, printed, promise.curve, group.curve)
    return PriceRow(pi.size, float(apart), *map(at, curves))


def prices(asked: PriceAsked, sizes: Sequence[int], *, plot: Path | None, as_json: bool) -> int:
    """Reckon, print, draw."""
    if plot is not None:
        from antiphon.report.canvas import check_pictures

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
        from antiphon.report.prices import over_sizes

        title = f"{asked.kind}: ε on the original data, δ = {shown(delta)}"
        over_sizes([row._asdict() for row in rows], title=title, paths=[plot])
    if as_json:
        print_json(_data(asked, kinds[-1], rows, plot))
    else:
        _print(asked, kinds[-1], rows)
        if plot is not None:
            print(f"ε over n is drawn in {plot}")
    return 0


def falls(rows: Sequence[PriceRow]) -> bool | None:
    """Whether others move less with more records; None of one n."""
    return None if len(rows) < 2 else rows[-1].apart < 0.9 * rows[0].apart


def pays(row: PriceRow) -> bool:
    """Whether what is derived is near the naive ε, and better than group privacy."""
    return row.derived <= _LITTLE * row.naive and row.derived < row.group


def _data(
    asked: PriceAsked, pi: TablePreprocessing, rows: Sequence[PriceRow], plot: Path | None
) -> dict[str, object]:
    premises = [
        {"text": each.text, "mark": each.mark.value, "evidence": each.evidence}
        for each in pi.premises
    ]
    return {
        **asked._asdict(), "rows": [row._asdict() for row in rows], "premises": premises,
        "falls_with_n": falls(rows), "pays": pays(rows[-1]),
        "plot": None if plot is None else str(plot),
    }  # fmt: skip


# --- for people -----------------------------------------------------------------------------------


def _print(asked: PriceAsked, pi: TablePreprocessing, rows: Sequence[PriceRow]) -> None:
    from rich.console import Console

    from antiphon.report import table

    print(
        f"{asked.kind}: ε on the original data at δ = {asked.delta}, of a mean with Gaussian noise"
    )
    columns = ["n", "τ/Δ", "naive (wrong)", "printed, p = 2", "derived", "group privacy"]
    cells = [[f"{row.size:,}", *map(shown_up, row[1:])] for row in rows]
    console = Console(width=None if sys.stdout.isatty() else 124, highlight=False)
    console.print(table(columns, cells, numbers=columns))
    print(verdict(rows))
    for each in pi.premises:
        if each.mark is Mark.ASSUMED:
            print(f"assumed: {each.text} ({each.evidence})")


def verdict(rows: Sequence[PriceRow]) -> str:
    """Whether it pays, and whether more data helps: in plain words."""
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
