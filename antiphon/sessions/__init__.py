"""Sessions that live long: what survives its process, and what a live session has spent.

``begin`` writes a session ahead to a file, and ``resume`` goes on with it (docs/durable.md);
``session.budget`` and ``session.price`` are of ``spending`` (docs/budget.md).
"""

from antiphon.numbers.public import shows
from antiphon.sessions.durable import DurableSession, begin, resume

__all__ = ["DurableSession", "begin", "resume"]
__dir__ = shows(__all__, "durable", "spending")
