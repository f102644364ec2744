"""Audits of code that Antiphon did not write: ``sensitivity`` runs a function on two neighbouring
data sets with the same noise.

After Re:cord-play (Cebere, Erb, Desfontaines, Bellet and Fitzsimons 2026, arXiv 2602.17454).
"""

from antiphon.graybox.sensitive import sensitivity
from antiphon.protocol.provenance import nothing_proved_in

__all__ = ["sensitivity"]

nothing_proved_in(__name__)  # Claims of classes in this package never count as proved.
