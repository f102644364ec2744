"""What is spent and what remains, in words: the one rounded up, the other down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, TypeAlias, Union

from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.numbers.printed import shown_down, shown_up

Amount: TypeAlias = Union[ExactEpsilon, float]

_SIGNS: Final = {"epsilon": "ε", "rho": "ρ", "divergence": "D", "mu squared": "μ²"}
_LARGE: Final = 10**6


def amounts(values: Sequence[Amount], unit: str = "epsilon", *, left: bool = False) -> str:
    """(ε, ρ, D or μ²; δ) in words; ``left``: they are what remains.

    >>> amounts((Fraction(1, 10), Fraction(0))), amounts((Fraction(2, 3), Fraction(0)), left=True)
    ('ε = 0.1, δ = 0', 'ε = 0.666666, δ = 0')
    >>> amounts((Log(3), Fraction(1, 3)), "rho")
    'ρ = ln 3, δ = 0.333334'
    """
    first, delta = (_shown(value, left) for value in values)
    return f"{_SIGNS[unit]} = {first}, δ = {delta}"


def _shown(value: Amount, left: bool) -> str:
    if not isinstance(value, Log | Fraction):
        return "∞" if math.isinf(value) else _rounded(Fraction(value), left)
    if isinstance(value, Log) and value.argument < _LARGE and value.argument.denominator == 1:
        return f"ln {value.argument}"
    return _rounded(value, left)


def _rounded(value: ExactEpsilon, left: bool) -> str:
    return shown_down(value) if left else shown_up(value)
