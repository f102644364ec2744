"""``graybox.sensitivity``, an audit of any code on two neighbouring data sets with one noise tape.

After Re:cord-play (Cebere, Erb, Desfontaines, Bellet and Fitzsimons 2026, arXiv 2602.17454).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from antiphon.audit.check.report import CheckReport, Finding, Tried
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol.messages import Pair

if TYPE_CHECKING:
    from antiphon.graybox.judgement import Declared
    from antiphon.graybox.worlds import Function

Neighbours: TypeAlias = Union[Pair[Any], Iterable[Union[Pair[Any], tuple[Any, Any]]]]


def sensitivity(
    function: Function,
    neighbours: Neighbours,
    *,
    sensitivity: float | None = None,
    epsilon: exact.Epsilon | None = None,
    delta: float = 0,
    seed: int | None = None,
) -> CheckReport:
    """Run a function on neighbouring data sets with one noise tape, and report the numbers before
    noise that differ too much.

    Args: ``neighbours``, an ``ap.Pair`` of data sets or several pairs; ``sensitivity``, the largest
    difference of a value before noise is added (ℓ2 if the noise is Gaussian, else ℓ1); ``epsilon``
    and ``delta``, the declared total cost; ``seed``, of the tape. The function may take ``coins``;
    otherwise its draws from NumPy, Python's ``random``, ``secrets`` and ``os.urandom`` come from
    the tape during the call, and the replaced names in modules are restored afterwards. Call it
    from one thread.

    Returns: findings with FILE:LINE and cure, and the parts that could not be judged. No finding is
    no proof: only these pairs were tried. Raises: InvalidArgument for invalid arguments, and for a
    function that fails in both worlds, naming its exception.

    >>> import numpy as np
    >>> import antiphon as ap
    >>> def total(ages):
    ...     return sum(ages) + np.random.laplace(scale=100)  # ages are not clipped
    >>> found = sensitivity(total, ap.Pair([30, 40], [30, 400]), epsilon=1).findings
    >>> found[0].what
    'this pair costs ε = 3.6, where 1 is declared'
    """
    from antiphon.graybox.judgement import CHECKS, Declared

    if not callable(function):
        raise InvalidArgument("the first argument is a function of data")
    declared = Declared(
        None if sensitivity is None else _finite("sensitivity", sensitivity),
        None if epsilon is None else exact.epsilon(epsilon),
        _finite("delta", delta),
    )
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    found, missing = list[Finding](), dict[tuple[str, str], None]()
    pairs = list(_pairs(neighbours))
    for one, two in pairs:
        findings, untold = _tried(function, one, two, declared, seed)
        fresh = [each for each in findings if all(_place(each) != _place(f) for f in found)]
        found += fresh
        missing.update(dict.fromkeys(untold))
    # A part that could not be judged does not remove the findings of other parts.
    unmade = {check for check, _ in missing}
    tried = Tried(len(pairs), "pair")
    done = tuple((each, tried) for each in CHECKS if each not in unmade)
    name: str = getattr(function, "__qualname__", type(function).__qualname__)
    return CheckReport(name, tuple(found), done, tuple(missing), seed)


def _place(finding: Finding) -> tuple[str, str]:
    return finding.check, finding.where


def _tried(
    function: Function, one: object, two: object, declared: Declared, seed: int
) -> tuple[Iterable[Finding], Iterable[tuple[str, str]]]:
    """The findings, and the parts not judged, for one pair of data sets: two runs on the first set,
    and a run on the second with the first run's tape."""
    from antiphon.graybox.judgement import CHECKS, judge, left_out, repeats
    from antiphon.graybox.tape import Tape
    from antiphon.graybox.worlds import run

    first = run(function, one, Tape(seed))
    again = run(function, one, Tape(seed, first.tape))
    if first.failure is not None and again.failure is not None:
        second = run(function, two, Tape(seed, first.tape))
        if second.failure is not None:
            raise first.failure
    if not repeats(first, again):
        why = "it does not repeat on its own tape: it draws elsewhere, or keeps state between calls"
        return [], [(each, why) for each in CHECKS]
    second = run(function, two, Tape(seed, first.tape))
    return list(judge(first, second, declared)), list(left_out(first, second, declared))


def _pairs(neighbours: Neighbours) -> Iterator[tuple[object, object]]:
    """The pairs of neighbouring data sets. Raises: InvalidArgument if an element is not a pair."""
    listed: list[Any] = [neighbours] if isinstance(neighbours, Pair) else list(neighbours)
    if not listed:
        raise InvalidArgument("no neighbours: give an ap.Pair of data sets, or several")
    for each in listed:
        if type(each) is Pair:
            pair: Pair[Any] = each
            yield pair.zero, pair.one
        elif isinstance(each, tuple) and len(each) == 2:  # pyright: ignore[reportUnknownArgumentType]
            yield each
        else:
            raise InvalidArgument("neighbours are an ap.Pair of data sets, or a list of pairs")


def _finite(name: str, value: float) -> float:
    exact.fraction(value, name)
    if value < 0:
        raise InvalidArgument(f"{name} is a finite number >= 0")
    return float(value)
