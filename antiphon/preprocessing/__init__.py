"""Privacy of the original data, where a preprocessing that is not private stands before."""

from antiphon.preprocessing import tables
from antiphon.preprocessing.declared import Preprocessing
from antiphon.preprocessing.preprocessed import Preprocessed
from antiphon.preprocessing.triangle import Hoelder, Ranged

__all__ = ["Hoelder", "Preprocessed", "Preprocessing", "Ranged", "tables"]
