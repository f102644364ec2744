"""scikit-learn's preprocessors (extra ``preprocess``), each with how far it moves records."""

from antiphon.composition.preprocessing.tables.columnwise import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    StandardScaling,
)
from antiphon.composition.preprocessing.tables.projecting import PrincipalProjection
from antiphon.composition.preprocessing.tables.record_tables import (
    RecordTables,
    TablePreprocessing,
    into_ball,
)
from antiphon.composition.preprocessing.tables.scikit import Transformed

__all__ = [
    "BinCentres",
    "ClusterCentres",
    "MeanImputation",
    "PrincipalProjection",
    "RecordTables",
    "StandardScaling",
    "TablePreprocessing",
    "Transformed",
    "into_ball",
]
