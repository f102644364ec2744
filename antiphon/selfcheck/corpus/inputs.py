"""The input pairs that the standard targets are tried on, as adversaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antiphon.protocol.adversary import scripted
from antiphon.protocol.messages import Pair
from antiphon.selfcheck.corpus.entry import Player

Answers = tuple[int, ...]
"""The answers of n queries on one dataset."""


def input_pairs(n: int) -> Iterator[tuple[str, Answers, Answers]]:
    """The patterns of Ding et al. 2018, Table 2, for n answers: (name, under 0, under 1).

    One order of each pair is enough: an audit tries both worlds.
    """
    ones, half = (1,) * n, n // 2
    up = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    power = "".join(up[int(digit)] for digit in str(n))
    less = "".join(up[int(digit)] for digit in str(n - 1))
    yield f"1{power} | 0·1{less}", ones, (0, *ones[1:])
    yield f"1{power} | 2·1{less}", ones, (2, *ones[1:])
    yield f"1{power} | 2·0{less}", ones, (2, *(0,) * (n - 1))
    yield f"1{power} | 0·2{less}", ones, (0, *(2,) * (n - 1))
    yield f"1{power} | 2…0…", ones, (2,) * half + (0,) * (n - half)
    yield f"1{power} | 2{power}", ones, (2,) * n
    yield f"1{power} | 0{power}", ones, (0,) * n
    yield "1…0… | 0…1…", (1,) * half + (0,) * (n - half), (0,) * half + (1,) * (n - half)


def at_once(n: int, most: int = 8) -> tuple[Player, ...]:
    """Players that say the first ``most`` pairs as one pair of tuples each."""
    pairs = list(input_pairs(n))[:most]
    return tuple(Player(name, scripted([Pair(a, b)])) for name, a, b in pairs)


def one_by_one(n: int) -> tuple[Player, ...]:
    """Players that say each pair of tuples as a stream of n pairs of queries."""
    return tuple(Player(name, scripted(list(map(Pair, a, b)))) for name, a, b in input_pairs(n))


def saying(name: str, pairs: Sequence[object]) -> Player:
    """A player that says these pairs, whatever it hears."""
    return Player(name, scripted(pairs))
