"""Privacy of the original data behind a preprocessing that is not private itself.

``Preprocessed`` is a mechanism that gets its dataset from a ``Preprocessing`` (``tables`` has those
of scikit-learn, ``ImputedSum`` fills in missing values); ``ap.guarantee`` derives its privacy by
the rule ``behind``, and ``check_preprocessing`` tests how far records move.
"""

from antiphon.numbers.public import shows
from antiphon.preprocessing import behind_preprocessing, tables
from antiphon.preprocessing.distance_check import MovementReport, check_preprocessing
from antiphon.preprocessing.preprocessed import ImputedSum, Preprocessed, Preprocessing
from antiphon.preprocessing.weak_triangle import Hoelder, Ranged

__all__ = [
    "Hoelder", "ImputedSum", "MovementReport", "Preprocessed", "Preprocessing", "Ranged",
    "check_preprocessing", "tables",
]  # fmt: skip
__dir__ = shows(__all__)

_RULE = behind_preprocessing
"""The module that registers the rule of this package with ``ap.guarantee`` on its import."""
