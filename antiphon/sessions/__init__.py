"""Durable sessions, which survive their process, and the budget spent in a live session.

``ap.begin`` writes a session ahead to a file, and ``ap.resume`` goes on with it (docs/durable.md);
``session.budget`` and ``session.price`` are in ``spending`` (docs/budget.md).
"""

from antiphon.numbers.public import shows
from antiphon.sessions.durable.durable_session import DurableSession

__all__ = ["DurableSession"]
__dir__ = shows(__all__, "spending")
