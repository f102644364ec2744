"""Preprocessors of scikit-learn (extra ``preprocess``), each with bounds on how far it moves
records."""

from antiphon.preprocessing.tables.columnwise import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    PrincipalProjection,
    StandardScaling,
)
from antiphon.preprocessing.tables.record_tables import (
    RecordTables,
    TablePreprocessing,
    Transformed,
    into_ball,
)

__all__ = [
    "BinCentres", "ClusterCentres", "MeanImputation", "PrincipalProjection", "RecordTables",
    "StandardScaling", "TablePreprocessing", "Transformed", "into_ball",
]  # fmt: skip
