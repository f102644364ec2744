"""scikit-learn's preprocessors (extra ``preprocess``), each with how far it moves records."""

from antiphon.preprocessing.tables.columnwise import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    StandardScaling,
)
from antiphon.preprocessing.tables.projecting import PrincipalProjection
from antiphon.preprocessing.tables.record_tables import (
    RecordTables,
    TablePreprocessing,
    into_ball,
)
from antiphon.preprocessing.tables.scikit import Transformed

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
