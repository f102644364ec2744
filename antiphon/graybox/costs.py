"""The privacy cost of differences between two runs of code, on neighbouring data sets ("worlds").

The noise is shifted until the second world reads the same values as the first (a randomness
alignment: Wang, Ding, Wang, Kifer and Zhang 2019): Laplace noise of scale b shifted by s costs
|s|/b, Gaussian noise a share (s/σ)² of μ²; uniform noise of width w costs δ = s/w at every ε.
"""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.composition.accounting import GaussianPair, compose
from antiphon.graybox import tape
from antiphon.numbers import Epsilon, shown_down, told_apart

_MOST: Final = 400
"""The largest number of noisy numbers, or of their draws, among which ``cancelled`` looks for noise
that cancels; more would be slow."""
_SLACK: Final = 1 + 1e-9
_ZERO: Final = 1e-9
_KNOWN: Final = ("laplace", "gaussian", tape.RAW)
"""The noise laws under which the privacy cost of a difference can be computed."""
Cost: TypeAlias = tuple[float, tape.Place]
"""A pair: a part of the privacy cost, and the place in the audited code that causes it."""


@attrs.frozen(eq=False)
class Difference:
    """The difference of one noisy number between the two worlds, with the noise on it."""

    value: float
    """The value under the noise in the second world minus that in the first, when it was read."""
    before: float
    """The same difference at the time when the noise was added, before any multiplication."""
    terms: tuple[tuple[int, str, float, float], ...]
    """A tuple for each noise term: the index of the random draw on the tape, its law, its scale,
    and its coefficient."""
    calls: tuple[int, ...]
    met: tape.Place

    @property
    def gaussian(self) -> bool:
        """Whether all noise on the number is Gaussian."""
        return all(law in tape.GAUSSIAN for _, law, _, _ in self.terms)

    @property
    def key(self) -> tuple[object, ...]:
        """A key for this number, which a multiple of it shares, so that it is counted once."""
        first = self.terms[0][3] if self.terms else 1
        return self.value / first, tuple((atom, own / first) for atom, _, _, own in self.terms)


def difference_of(one: tape.NoisyRow, two: tape.NoisyRow) -> Difference:
    """The difference of a noisy number between the two worlds, from its record in each of them."""
    value = float(two.value) - float(one.value)
    terms = tuple(
        (atom.number, atom.law, float(atom.scale), float(factor)) for atom, factor in one.terms
    )
    calls = tuple(sorted({atom.call for atom, _ in one.terms}))
    return Difference(value, value / float(one.unit), terms, calls, one.met)


class Costs:
    """The total privacy cost of all noisy numbers whose values the audited code used, and of its
    random choices.

    ``raw``: whether uniform draws count, too; they do if they are released and were not used to
    decide a branch.
    """

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._pure: list[tuple[float, tape.Place]] = []
        self._all = dict[tuple[object, ...], Difference]()
        self._released = dict[tuple[object, ...], Difference]()

    def add(self, first: tape.Event, second: tape.Event) -> None:
        """Add the cost of one event on the tapes, as recorded in the first and the second world."""
        if type(first) is tape.ChoiceEvent and type(second) is tape.ChoiceEvent:
            self._pure.append((_log_ratio(first.weights, second.weights), first.place))
        if type(first) is not tape.ReadEvent or type(second) is not tape.ReadEvent:
            return
        if first.raw and not self._raw:
            return
        for found in map(difference_of, first.rows, second.rows):
            self._all.setdefault(found.key, found)
            if first.reading == "number":
                self._released.setdefault(found.key, found)

    def cancelled(self) -> Union[tape.Place, None]:
        """The place of the first noisy number whose difference no shift of the noise can explain.

        Numbers y = v + C n, with values v, noise n and coefficients C, are explained by shifts s
        with C s = Δv. If a row of C is a linear combination of others, its Δv must be the same
        combination.
        """
        rows = [each for each in self._all.values() if math.isfinite(each.value)]
        atoms = [atom for each in rows for atom, *_ in each.terms]
        column = {atom: place for place, atom in enumerate(dict.fromkeys(atoms))}
        if len(column) == len(atoms) or max(len(rows), len(column)) > _MOST:
            return None
        basis = list[tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float]]()
        for each in rows:
            row, left = np.zeros(len(column)), each.value
            for atom, _, scale, factor in each.terms:
                row[column[atom]] = factor * (scale or 1)
            size = float(np.linalg.norm(row)) or 1.0
            row, left = row / size, left / size
            for direction, moved in basis:
                share = float(row @ direction)
                row, left = row - share * direction, left - share * moved
            rest = float(np.linalg.norm(row))
            if rest > _ZERO:
                basis.append((row / rest, left / rest))
            elif abs(left) > _ZERO * max(1.0, abs(each.value) / size):
                return each.met
        return None

    def excess(self, epsilon: Epsilon, delta: float) -> Union[tuple[str, tape.Place], None]:
        """The excess of the known cost over the declared (ε, δ), as (text, place); else None."""
        apart, _ = self._shared()
        pure, squares = [each for each in self._pure if each[0] > 0], list[Cost]()
        lost = list[Cost]()
        for each in apart:
            law, spread = _effective_noise(each, delta)
            share = abs(each.value) / spread if spread else math.inf
            if each.value and law in _KNOWN:
                (pure, squares, lost)[_KNOWN.index(law)].append((share, each.met))
        return _beyond(pure, [(s * s, met) for s, met in squares], epsilon, delta) or _lost(
            lost, delta
        )

    def unknown(self, delta: float) -> Iterator[tuple[str, tape.Place]]:
        """The differences of unknown cost, which ``excess`` leaves out, each with its place."""
        apart, others = self._shared()
        for each in apart:
            if each.value and _effective_noise(each, delta)[0] not in _KNOWN:
                laws = ", ".join(sorted({law for _, law, _, _ in each.terms}))
                yield (
                    f"a value under several noises, or noise of a law not known ({laws})",
                    each.met,
                )
        owners = {atom: each for each in apart for atom, *_ in each.terms}
        for each in others:
            near = {id(own): own for atom, *_ in each.terms if (own := owners.get(atom))}
            differs = each.value or any(own.value for own in near.values())
            if differs and not _made_of(each, near.values()):
                yield "numbers that share noise", each.met

    def _shared(self) -> tuple[list[Difference], list[Difference]]:
        """The released noisy numbers in two groups: numbers without a common draw, whose costs add
        up; and the others, which share draws with them.

        Numbers that reveal more by themselves are put into the first group first.
        """
        seen, found = set[int](), (list[Difference](), list[Difference]())
        for each in sorted(self._released.values(), key=lambda e: (e.value == 0, len(e.terms))):
            own = {atom for atom, *_ in each.terms}
            found[bool(own & seen)].append(each)
            seen |= set() if own & seen else own
        return found


def _effective_noise(found: Difference, delta: float) -> tuple[str, float]:
    """The noise law by which the cost of a difference is computed, and the noise's scale; ("", 0)
    if the cost is unknown.

    Without δ the widest Laplace noise decides, as its tails are the longest: a value shifted by s
    costs exactly s/b.
    """
    sizes = [(law, abs(factor) * scale) for _, law, scale, factor in found.terms]
    laplace = [size for law, size in sizes if law in tape.LAPLACE]
    short = [size for law, size in sizes if law in (*tape.GAUSSIAN, tape.RAW)]
    if found.gaussian:
        return "gaussian", math.hypot(*short)
    if len(sizes) == 1 and short:
        return tape.RAW, short[0]
    if laplace and (len(sizes) == 1 or (delta == 0 and len(laplace) + len(short) == len(sizes))):
        return "laplace", max(laplace)
    return "", 0.0


def _made_of(found: Difference, apart: Iterable[Difference]) -> bool:
    """Whether a noisy number is a linear combination of the noisy numbers in ``apart``."""
    left = {atom: factor for atom, _, _, factor in found.terms}
    for each in apart:
        own = {atom: factor for atom, _, _, factor in each.terms}
        atom = max(own, key=lambda each: abs(own[each]))
        share = left.get(atom, 0.0) / own[atom]
        left |= {each: left.get(each, 0.0) - share * factor for each, factor in own.items()}
    largest = max(abs(factor) for _, _, _, factor in found.terms)
    return all(abs(factor) <= _ZERO * largest for factor in left.values())


def _beyond(
    pure: list[Cost], squares: list[Cost], epsilon: Epsilon, delta: float
) -> Union[tuple[str, tape.Place], None]:
    allowed = float(epsilon)
    spent = math.fsum(share for share, _ in pure)
    worst = max([*pure, *squares], default=(0.0, ()))[1]
    if delta == 0 and squares:
        return "Gaussian noise on a value that differs is no pure privacy: declare delta=", worst
    largest = max((share for share, _ in pure), default=0.0)
    # With δ > 0, several costs ε_i together may be less than their sum. So the sum is reported only
    # if the largest ε_i alone needs more than the declared δ: 1 - e^((ε-ε_i)/2) for Laplace noise.
    beyond = spent if delta == 0 or 1 - math.exp(min(0.0, allowed - largest) / 2) > delta else 0.0
    if beyond > allowed * _SLACK:
        costs, declared = told_apart(beyond, allowed)
        return f"this pair costs ε = {costs}, where {declared} is declared", worst
    mu = math.sqrt(math.fsum(share for share, _ in squares))
    if mu == 0:
        return None
    least = compose([GaussianPair(Fraction(mu))]).delta_between(epsilon).lower if mu < 1e6 else 1.0
    if least > delta * _SLACK:
        costs, declared = told_apart(least, delta)
        costs += f" at ε = {shown_down(allowed)}"
        return f"this pair costs δ = {costs}, where {declared} is declared", worst
    return None


def _lost(shares: list[Cost], delta: float) -> Union[tuple[str, tape.Place], None]:
    """A finding (text, place in the code) if uniform noise costs more than the declared δ, or
    None."""
    least = 1 - math.prod(1 - min(1.0, share) for share, _ in shares)
    if least <= delta * _SLACK:
        return None
    costs, declared = told_apart(least, delta)
    what = f"uniform noise hides nothing past its ends: this pair costs δ = {costs} at every ε"
    return f"{what}, where {declared} is declared", max(shares)[1]


def _log_ratio(one: tuple[float, ...], two: tuple[float, ...]) -> float:
    """The largest |ln(p/q)| over the options of a random choice; p and q are an option's
    probabilities in the two worlds."""
    largest = 0.0
    for p, q in zip(one, two, strict=True):
        if p != q:
            largest = max(largest, abs(math.log(p / q)) if p > 0 and q > 0 else math.inf)
    return largest
