"""Pictures and tables. matplotlib and rich are imported when they are first needed."""

from antiphon.report.bands import Band, bands
from antiphon.report.canvas import check_pictures
from antiphon.report.dates import along
from antiphon.report.running import Curve, Panel, running_counts
from antiphon.report.tables import print_table, table, terminal

__all__ = [
    "Band",
    "Curve",
    "Panel",
    "along",
    "bands",
    "check_pictures",
    "print_table",
    "running_counts",
    "table",
    "terminal",
]
