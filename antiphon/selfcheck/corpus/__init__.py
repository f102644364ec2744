"""The audit corpus: targets with known truth, which show what an auditor can and cannot find.

It contains broken mechanisms: nothing in this package is for release.
"""

from antiphon.selfcheck.corpus.entry import AuditedEntry, Entry, Player, Truth, examine
from antiphon.selfcheck.corpus.table import corpus

__all__ = ["AuditedEntry", "Entry", "Player", "Truth", "corpus", "examine"]
