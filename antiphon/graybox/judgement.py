"""The comparison of two worlds (runs on neighbouring data with one noise tape): the findings."""

import linecache
import math
from collections.abc import Iterator, Sequence
from typing import Final, Union

import attrs

from antiphon.audit.check.report import Finding
from antiphon.graybox.costs import Costs, Difference, difference_of
from antiphon.graybox.noisy import same
from antiphon.graybox.tape import ChoiceEvent, DrawEvent, Event, Line, Place, ReadEvent, branch
from antiphon.graybox.worlds import World
from antiphon.numbers import Epsilon, told_apart

CHECKS: Final = ("seeds", "branches", "scales", "values", "cancelling", "answers", "budget")
_SLACK: Final = 1 + 1e-9
"""A factor slightly above 1, which allows for rounding errors in sums of doubles."""
_NOISE: Final = "laplace, gaussian, discrete_laplace, discrete_gaussian"


@attrs.frozen
class Declared:
    """What the author of the audited function declares: its sensitivity, and its ε and δ."""

    sensitivity: Union[float, None]
    epsilon: Union[Epsilon, None]
    delta: float


def said(place: Place) -> str:
    """A place in the audited code as FILE:LINE, with its caller."""
    if not place:
        return "the function"
    (file, line), *callers = place
    called = f" (called at {callers[0][0]}:{callers[0][1]})" if callers else ""
    return f"{file}:{line}{called}"


def quoted(line: Line) -> str:
    """The source text of a line of the audited code; empty if there is none."""
    return linecache.getline(*line).strip()


def judge(one: World, two: World, declared: Declared) -> Iterator[Finding]:
    """The findings of all checks for one pair of worlds, given the author's declaration."""
    yield from _seeds(one)
    yield from _branches(one, two)
    pairs = list(zip(one.tape.events, two.tape.events, strict=False))
    yield from _scales(pairs)
    found = [
        each
        for first, second in pairs
        if type(first) is ReadEvent and type(second) is ReadEvent
        for each in map(difference_of, first.rows, second.rows)
    ]
    yield from _values(one.tape.events, found, declared)
    costs = _costs(one, two)
    yield from _cancelling(costs)
    yield from _answers(one, two)
    yield from _budget(one, costs, declared)


def _costs(one: World, two: World) -> Costs:
    costs = Costs(raw=not (one.tape.coins_read or two.tape.coins_read))
    for first, second in zip(one.tape.events, two.tape.events, strict=False):
        costs.add(first, second)
    return costs


def left_out(one: World, two: World, declared: Declared) -> Iterator[tuple[str, str]]:
    """The checks that could not be made, or only in part, each as (check, reason)."""
    for what, where in {**one.tape.unjudged, **two.tape.unjudged}.items():
        yield "answers", f"{what}, at {said(where)}: what depends on it"
        if declared.epsilon is not None:
            yield "budget", f"{what}, at {said(where)}"
    if two.parted and not any(_branches(one, two)):
        yield (
            "branches",
            f"draws that are no noise differ in number, at {said(_parting(one, two)[2])}",
        )
    if declared.epsilon is None:
        yield "budget", "no epsilon= is declared"
    if declared.sensitivity is None:
        yield "values", "no sensitivity= is declared; the budget bounds them"
    events = one.tape.events
    compared = [each for each in events if type(each) is ReadEvent and each.reading != "number"]
    if compared and not one.tape.coins_read:
        yield "budget", f"comparisons of noise, at {said(compared[0].place)}: what they cost"
    if declared.epsilon is not None and not one.tape.coins_read:
        for what, where in _costs(one, two).unknown(declared.delta):
            yield "budget", f"{what}, at {said(where)}"


def repeats(one: World, again: World) -> bool:
    """Whether a second run on the same data and the same tape behaves as the first one did."""
    if again.parted or type(one.failure) is not type(again.failure):
        return False
    pairs = list(zip(one.tape.events, again.tape.events, strict=True))
    rows = [
        (first, second)
        for one_event, two_event in pairs
        if type(one_event) is ReadEvent and type(two_event) is ReadEvent
        for first, second in zip(one_event.rows, two_event.rows, strict=True)
    ]
    return (
        not any(_scales(pairs))
        and all(same(first.value, second.value) for first, second in rows)
        and same(one.answer, again.answer)
    )


def _seeds(one: World) -> Iterator[Finding]:
    for where in one.tape.seeded:
        yield Finding(
            "seeds", "a generator is seeded: its noise is the same at every call", said(where),
            "take no seed, or a generator from the caller",
        )  # fmt: skip


def _parting(one: World, two: World) -> tuple[Union[Event, None], Union[Event, None], Place]:
    """The first event on the tapes in which the worlds differ, as (event of the first world, event
    of the second, place in the code)."""
    index, mine = len(two.tape.events), two.tape.parting
    rest = one.tape.events[index : index + 1]
    other = rest[0] if rest else None
    at = mine if mine is not None else other
    return other, mine, () if at is None else at.place


def _branches(one: World, two: World) -> Iterator[Finding]:
    """Findings of the check "branches": data decide whether, where or how often noise is drawn, or
    whether an exception is raised."""
    if (one.failure is None) != (two.failure is None):
        yield Finding(
            "branches", "it raises an exception in one world only", _decided(one, two),
            "the exception tells the worlds apart: answer the same way in both",
        )  # fmt: skip
        return
    if not two.parted:
        return
    first, second, _ = _parting(one, two)
    if any(_is_raw(each) for each in (first, second)):
        return
    what = f"data decides what is drawn: {_next(first)} in one world, {_next(second)} in the other"
    yield Finding(
        "branches", what, _decided(one, two),
        "draw the same noise for any data, or decide by a noisy number",
    )  # fmt: skip


def _decided(one: World, two: World) -> str:
    """The place and the text of the last line before the two worlds run different code."""
    index = len(two.tape.events)
    lines = [_since(world, index) for world in (one, two)]
    line = branch(*lines)
    if line is None:
        return said(_parting(one, two)[2])
    return f"{said((line,))}: {quoted(line)}"


def _since(world: World, index: int) -> Sequence[Line]:
    """The source lines that one world ran just before the event number ``index`` on its tape, since
    the event before it."""
    marks, lines = world.tape.marks, world.tape.lines.taken
    start = marks[index - 1] if index else 0
    end = marks[index] if index < len(marks) else len(lines)
    return lines[max(0, start - 1) : end]


def _is_raw(event: Union[Event, None]) -> bool:
    if type(event) is DrawEvent:
        return event.law not in (*_NOISE.split(", "), "gumbel", "logistic", "exponential")
    return type(event) is ReadEvent and event.raw


def _next(event: Union[Event, None]) -> str:
    if event is None:
        return "nothing more"
    if not event.place:
        return "the answer"
    if type(event) is DrawEvent:
        size = math.prod(event.count)
        return f"{event.law} noise at line {_line(event)}" + (
            f", {size} times" if size != 1 else ""
        )
    return (
        f"{'a choice' if type(event) is ChoiceEvent else 'a noisy number'} at line {_line(event)}"
    )


def _line(event: Event) -> int:
    return event.place[0][1]


def _scales(pairs: Sequence[tuple[Event, Event]]) -> Iterator[Finding]:
    cure = "compute the scale from public numbers only: bounds that were given, and ε"
    for first, second in pairs:
        if type(first) is DrawEvent and type(second) is DrawEvent and first.scales != second.scales:
            yield Finding("scales", "the scale of noise depends on data", said(first.place), cure)
        if type(first) is ReadEvent and type(second) is ReadEvent:
            for one, two in zip(first.rows, second.rows, strict=True):
                if [factor for _, factor in one.terms] != [factor for _, factor in two.terms]:
                    what = "noise is multiplied by a number that depends on data"
                    yield Finding("scales", what, said(one.met), cure)


def _values(
    events: Sequence[Event], found: Sequence[Difference], declared: Declared
) -> Iterator[Finding]:
    """Findings of the check "values": values whose difference between the worlds exceeds the
    declared sensitivity.

    The numbers of one generator call count as a vector, in the ℓ2 norm for Gaussian noise and else
    in ℓ1.
    """
    vectors = dict[tuple[tuple[int, ...], Place], list[Difference]]()
    for each in found:
        if each.terms and each.before != 0:
            vectors.setdefault((each.calls, each.met), []).append(each)
    for (_, met), vector in vectors.items():
        sizes = [abs(each.before) for each in {each.key: each for each in vector}.values()]
        gaussian = all(each.gaussian for each in vector)
        size = math.hypot(*sizes) if gaussian else math.fsum(sizes)
        cure = "clip before the sum, and check the bound that the noise is scaled to"
        if not math.isfinite(size):
            yield Finding(
                "values", "a value before noise is not finite in one world", said(met), cure
            )
        elif declared.sensitivity is not None and size > declared.sensitivity * _SLACK:
            norm = "" if len(sizes) == 1 else " in ℓ2" if gaussian else " in ℓ1"
            differ, allowed = told_apart(size, declared.sensitivity)
            what = (
                f"values before noise differ by {differ}{norm}, where sensitivity {allowed} "
                "is declared"
            )
            yield Finding("values", what, said(met), cure)


def _cancelling(costs: Costs) -> Iterator[Finding]:
    met = costs.cancelled()
    if met is not None:
        yield Finding(
            "cancelling", "noise cancels: together, numbers on the same draws tell the data apart",
            said(met), "draw new noise for each number that is compared or released",
        )  # fmt: skip


def _answers(one: World, two: World) -> Iterator[Finding]:
    whole = not (two.parted or one.tape.coins_read or two.tape.coins_read)
    if whole and one.failure is None and two.failure is None and not same(one.answer, two.answer):
        last = one.tape.lines.taken[-1:]
        yield Finding(
            "answers", "the answer differs where all noisy numbers are the same: data, no noise",
            said(tuple(last)), "add noise to all that depends on data",
        )  # fmt: skip


def _budget(one: World, costs: Costs, declared: Declared) -> Iterator[Finding]:
    if declared.epsilon is None or one.tape.coins_read:
        return
    excess = costs.excess(declared.epsilon, declared.delta)
    if excess is not None:
        what, met = excess
        yield Finding(
            "budget",
            what,
            said(met),
            "less sensitivity, more noise, or a larger ε for all together",
        )
