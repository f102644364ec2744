"""What may be conjectured about: families of games of which some part is sought."""

from antiphon.audit.conjectures.patterns.pattern import Pattern
from antiphon.audit.conjectures.patterns.sparse_patterns import SparsePattern, SparseRenyi

__all__ = ["Pattern", "SparsePattern", "SparseRenyi"]
