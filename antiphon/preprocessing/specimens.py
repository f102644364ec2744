"""Examples of a sum of imputed values for the self-check, and a broken twin."""

from collections.abc import Iterator
from typing import Final

from antiphon.mechanisms.noise.discrete import DiscreteLaplace
from antiphon.preprocessing.preprocessed import ImputedSum, Preprocessed
from antiphon.protocol import EMPTY, Claim, Either, Finite, Integers, Tuples
from antiphon.protocol.provenance import nothing_proved_in
from antiphon.selfcheck.corpus.entry import Truth
from antiphon.selfcheck.corpus.specimen import HALF, Example, Specimen, as_claimed, broken, numbers

nothing_proved_in(__name__)  # The claims of broken twins must not count as proved.

_HIGH: Final = 9
_THERE: Final = Integers(0, _HIGH)
_RECORDS: Final = Tuples((*(Either((_THERE, Finite((EMPTY,)))),) * 2, _THERE, _THERE))


def specimens() -> Iterator[Specimen]:
    """The examples of a sum of imputed values; the broken twin's ε ignores the imputation."""
    impute = ImputedSum(size=4, missing=2, high=_HIGH)
    right = Preprocessed(DiscreteLaplace(epsilon=HALF, sensitivity=_HIGH), impute)
    asked = numbers((_HIGH, _HIGH, EMPTY, EMPTY), (_HIGH, 0, EMPTY, EMPTY))
    told = Truth((_HIGH + 2 * (_HIGH - _HIGH // 2)) * float(HALF) / _HIGH)
    alone = Preprocessed(DiscreteLaplace(epsilon=3), ImputedSum(size=1, missing=0, high=1))
    naive = Claim(DiscreteLaplace(epsilon=HALF).claims[0].measure, right.verification,
                  right.claims[0].status, "as if nothing had been filled in")  # fmt: skip
    yield Specimen(
        Example(right, ((1, 2), (EMPTY,) * 4, (0, 0, 0, 10), [0] * 4, None), queries=_RECORDS),
        Example(alone, ((EMPTY,), 0), queries=Tuples((Integers(0, 1),))),
        as_claimed("imputed sum", right, asked, told),
        broken("imputed sum at its naive price", right, naive, asked, told),
    )  # fmt: skip
