"""Conversions from and to other libraries: OpenDP's measurements, dp-accounting's figures, data
frames.

Each conversion imports the other library on first use. Claims from other libraries are never
*proved*: OpenDP's maps are *assumed*, dp-accounting's figures are *not certified*.
"""

from antiphon.interop import dp_accounting, opendp
from antiphon.interop.datasets import MetricWithin, Vectors
from antiphon.interop.opendp import OpenDPMeasurement

__all__ = ["MetricWithin", "OpenDPMeasurement", "Vectors", "dp_accounting", "opendp"]
