"""Privacy of the original data, where a preprocessing that is not private stands before."""

from antiphon.composition.preprocessing import tables
from antiphon.composition.preprocessing.declared import Preprocessing
from antiphon.composition.preprocessing.preprocessed import Preprocessed
from antiphon.composition.preprocessing.triangle import Hoelder, Ranged

__all__ = ["Hoelder", "Preprocessed", "Preprocessing", "Ranged", "tables"]
