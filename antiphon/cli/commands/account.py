# pyright: reportUnknownMemberType=false
"""The command ``antiphon account``: the privacy of a composition, by every known bound."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs
import numpy as np

from antiphon.cli.output import CommandOutcome, exact_number, tell
from antiphon.composition import accounting
from antiphon.composition.accounting.curve import reach
from antiphon.composition.accounting.curve_lines import draw_lines
from antiphon.composition.accounting.pairs.pairs_curve import LossPair
from antiphon.composition.accounting.parameters import pairs, parameters
from antiphon.numbers import InvalidArgument, exact
from antiphon.numbers.exact import rational
from antiphon.numbers.rounded_text import Figure, shown_down, shown_up
from antiphon.protocol.display import Card, Grid, Part
from antiphon.protocol.pictures import INK, picture

_KINDS: Final[dict[str, Callable[..., LossPair]]] = {
    "gaussian": accounting.GaussianPair,
    "discrete-gaussian": accounting.DiscreteGaussianPair,
    "discrete-laplace": accounting.DiscreteLaplacePair,
    "bounded-range": accounting.BoundedRangePair,
}
_LOG = "ln "
_ROWS = 12
_WIDE: Final = 150
"""The width of the printed table in columns where the output is no terminal."""
_DRAWN: Final = 160
"""The number of points from which each curve of the picture is drawn."""
_DIGITS = 10
"""The number of significant digits of each printed figure."""


@attrs.frozen
class AccountQuestion:
    """The options of ``antiphon account``: the composition, and each ε or δ to answer for."""

    responses: Sequence[str]
    pairs: Sequence[str]
    times: int
    epsilons: Sequence[str]
    deltas: Sequence[str]
    width: str


@attrs.frozen
class Answered(CommandOutcome):
    """The result of ``antiphon account``: for every bound, its δ at the requested ε, then its ε at
    the requested δ."""

    composition: str
    count: int
    floor: accounting.Interval[float]
    curves: Sequence[accounting.PrivacyCurve]
    epsilons: Sequence[exact.ExactEpsilon]
    deltas: Sequence[Fraction]
    answers: Sequence[Sequence[accounting.Interval[float]]]
    plot: Path | None
    _told = "composition count floor bounds plot"

    @property
    def bounds(self) -> list[dict[str, object]]:
        """The figures of each bound at the requested ε and δ, as JSON data."""
        first = len(self.epsilons)
        return [
            {
                "method": curve.method, "source": curve.source,
                "delta_at": [
                    {"epsilon": _shown(at), **attrs.asdict(ends)}
                    for at, ends in zip(self.epsilons, answers[:first], strict=True)
                ],
                "epsilon_at": [
                    {"delta": str(at), **attrs.asdict(ends)}
                    for at, ends in zip(self.deltas, answers[first:], strict=True)
                ],
            }
            for curve, answers in zip(self.curves, self.answers, strict=True)
        ]  # fmt: skip

    def _card(self) -> Card:
        head = f"Comp[{self.composition}]: {self.count:,} mechanism{'s' if self.count > 1 else ''}"
        floor = self.floor.upper
        head += f", δ >= {shown_up(floor, _DIGITS)} at every ε" if floor else ""
        return Card(head, self._parts())

    def _parts(self) -> Iterator[Part]:
        asked = bool(self.epsilons or self.deltas)
        columns, rows = _asked(self) if asked else _curves(self)
        numbers = [each for each in columns if each not in ("bound", "source")]
        yield Grid(rows, columns, numbers)
        yield "Upper bounds are rounded up, the lower one down." if asked else "δ at ε, rounded up."
        if self.plot is not None:
            yield f"The curves are in {self.plot}"


def _asked(outcome: Answered) -> tuple[list[str], list[list[str]]]:
    columns = ["bound"]
    columns += [f"δ at ε = {_shown(each)}" for each in outcome.epsilons]
    columns += [f"ε at δ = {exact_number(each)}" for each in outcome.deltas]
    rows = [
        [curve.method, *(shown_up(each.upper, _DIGITS) for each in answers), curve.source]
        for curve, answers in zip(outcome.curves, outcome.answers, strict=True)
    ]
    lower = [shown_down(each.lower, _DIGITS) for each in outcome.answers[-1]]
    rows.append(["not below", *lower, "the lower end of the certified interval"])
    return [*columns, "source"], rows


def _curves(outcome: Answered) -> tuple[list[str], list[list[str]]]:
    last = reach(outcome.curves)
    epsilons = [float(f"{each:.3g}") for each in np.linspace(0.0, last, _ROWS)]
    deltas = [curve.delta_at(epsilons) for curve in outcome.curves]
    rows = [
        [shown_up(epsilon), *(shown_up(float(column[i]), 4) for column in deltas)]
        for i, epsilon in enumerate(epsilons)
    ]
    return ["ε", *(curve.method for curve in outcome.curves)], rows


def account(question: AccountQuestion, *, plot: Path | None, as_json: bool) -> int:
    """Print every bound of the composition's privacy at the requested ε and δ; without any, print
    the curves as a table."""
    outcome = _answered(question, plot)
    if plot is not None:
        draw_curves(outcome.curves, title=_title(outcome), marks=_points(outcome), path=plot)
    tell(outcome, as_json=as_json, width=_WIDE)
    return 0


def draw_curves(
    curves: Sequence[accounting.PrivacyCurve],
    *,
    title: str,
    path: Path,
    marks: Sequence[tuple[Figure, Figure]] = (),
) -> None:
    """Draw the curve δ(ε) of every bound, until all are near their lowest δ, and the points
    ``marks`` = (ε, δ)."""
    finite = sorted((each for each in marks if each[0] != math.inf), key=_across)
    far = max([reach(curves), *(1.08 * _across(each) for each in finite)])
    with picture([path], width=9.0, height=5.4 + 0.24 * len(curves)) as figure:
        lines = [curve.line(far, _DRAWN) for curve in curves]
        draw_lines(figure.subplots(), lines, finite)
        figure.legend(loc=(0.08, 0.005), frameon=False, fontsize=9, labelcolor=INK)
        figure.text(0.09, 0.955, title, fontsize=12.5, fontweight="bold", color=INK)
        figure.subplots_adjust(left=0.09, right=0.975, top=0.93, bottom=0.09 + 0.033 * len(curves))


def _across(mark: tuple[Figure, Figure]) -> float:
    return float(mark[0])


def _title(outcome: Answered) -> str:
    """The description of the composition in words."""
    many = "One mechanism" if outcome.count == 1 else f"{outcome.count:,} mechanisms together"
    return f"The promise of {many[0].lower()}{many[1:]}: {outcome.composition}"


def _points(outcome: Answered) -> list[tuple[Figure, Figure]]:
    """The points (ε, δ) at the requested ε and δ, by the last and sharpest of the bounds."""
    answers = outcome.answers[-1]
    points: list[tuple[Figure, Figure]] = []
    points += [(each, ends.upper) for each, ends in zip(outcome.epsilons, answers, strict=False)]
    rest = answers[len(outcome.epsilons) :]
    points += [(ends.upper, each) for each, ends in zip(outcome.deltas, rest, strict=True)]
    return points


def _answered(question: AccountQuestion, plot: Path | None) -> Answered:
    if not question.responses and not question.pairs:
        raise InvalidArgument(
            "give at least one --rr EPSILON,DELTA, such as --rr 0.1,1e-6, or a --pair"
        )
    width = float(rational(question.width, "width"))
    curves, names, count = (_of_pairs if question.pairs else _of_responses)(question, width)
    epsilons = [read_epsilon(each) for each in question.epsilons]
    deltas = [exact.probability(rational(each, "delta")) for each in question.deltas]
    answers = [
        [curve.delta_between(each) for each in epsilons]
        + [curve.epsilon_between(each) for each in deltas]
        for curve in curves
    ]
    some = [name + (f" × {n:,}" if n > 1 else "") for name, n in names[:4]]
    listed = ", ".join(some) + (f", … ({len(names):,} kinds)" if len(names) > 4 else "")
    floor = curves[-1].floor
    return Answered(listed, count, floor, curves, epsilons, deltas, answers, plot)


Named = list[tuple[str, int]]
"""The name of each composed mechanism, and the number of times it is composed."""


def _of_responses(
    question: AccountQuestion, width: float
) -> tuple[list[accounting.PrivacyCurve], Named, int]:
    given = [_pair(each) for each in question.responses]
    composed = parameters(given, question.times)
    curves: list[accounting.PrivacyCurve] = [
        make(composed)
        for make in (
            accounting.basic,
            accounting.advanced,
            accounting.concentrated,
            accounting.renyi,
        )
    ]
    curves.append(accounting.optimal(composed, width=width))
    counts = pairs(given, question.times)
    names = [(f"RR_{{{_shown(e)},{exact_number(d)}}}", n) for (e, d), n in counts.items()]
    return curves, names, composed.count


def _of_pairs(
    question: AccountQuestion, width: float
) -> tuple[list[accounting.PrivacyCurve], Named, int]:
    given = [_dominating(each) for each in question.pairs]
    given += [accounting.ResponsePair(*_pair(each)) for each in question.responses]
    texts = [*question.pairs, *(f"RR_{{{each}}}" for each in question.responses)]
    curves: list[accounting.PrivacyCurve] = [accounting.renyi_curve(given, times=question.times)]
    curves.append(accounting.compose(given, times=question.times, width=width))
    names = [(text, n * question.times) for text, n in Counter(texts).items()]
    return curves, names, len(given) * question.times


def _dominating(text: str) -> LossPair:
    """The dominating pair that a text such as gaussian:1/2 states as family:parameters."""
    kind, _, values = text.partition(":")
    if kind not in _KINDS:
        raise InvalidArgument(f"a pair is KIND:VALUES, KIND one of {', '.join(_KINDS)}")
    scale, comma, shift = values.partition(",")
    if not comma:
        return _KINDS[kind](rational(scale.strip(), kind))
    if not kind.startswith("discrete") or not shift.strip().isdecimal():
        raise InvalidArgument(f"{kind} takes a number; a discrete one a shift too: :10,2")
    return _KINDS[kind](rational(scale.strip(), kind), int(shift))


def _pair(text: str) -> tuple[exact.ExactEpsilon, Fraction]:
    epsilon, _, delta = text.partition(",")
    return read_epsilon(epsilon), rational(delta.strip() or "0", "delta")


def read_epsilon(text: str) -> exact.ExactEpsilon:
    """An exact ε from a text: 0.1, 1/3, or ``ln 3`` (``ln3``) for the ε with e^ε = 3."""
    text = text.strip()
    if text.startswith(_LOG.strip()):
        growth = text.removeprefix(_LOG.strip()).strip()
        return exact.epsilon(exact.Log(rational(growth, "e^epsilon")))
    return rational(text, "epsilon")


def _shown(epsilon: exact.ExactEpsilon) -> str:
    if isinstance(epsilon, exact.Log):
        return f"{_LOG}{exact_number(epsilon.argument)}"
    return exact_number(epsilon)
