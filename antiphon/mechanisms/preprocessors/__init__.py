"""scikit-learn's preprocessors (extra ``preprocess``), each with how far it moves records."""

from antiphon.mechanisms.preprocessors.imputing import MeanImputation
from antiphon.mechanisms.preprocessors.projecting import PrincipalProjection
from antiphon.mechanisms.preprocessors.quantising import BinCentres, ClusterCentres
from antiphon.mechanisms.preprocessors.record_tables import RecordTables, TablePreprocessing, into_ball
from antiphon.mechanisms.preprocessors.scaling import StandardScaling
from antiphon.mechanisms.preprocessors.transformed import Transformed

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
