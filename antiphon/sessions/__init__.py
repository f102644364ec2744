"""Durable sessions, which survive their process, and the budget spent in a live session.

``ap.begin`` starts a session that is written ahead to a file, and ``ap.resume`` goes on with it
(docs/durable.md); ``session.budget`` and ``session.price`` are in ``spending`` (docs/budget.md). A
``SQLiteWitness`` or a ``PostgresWitness`` (a database outside the backup) prevents that a session
goes on a second time from a backup.
"""

from antiphon.numbers.public import shows
from antiphon.sessions.durable.durable_session import DurableSession
from antiphon.sessions.witnesses import PostgresWitness, SQLiteWitness

__all__ = ["DurableSession", "PostgresWitness", "SQLiteWitness"]
__dir__ = shows(__all__, "spending")
