"""Runs experiments on many cores or machines: N samples, cut into chunks that any worker may take.

A chunk has its own seed and results are merged in the order of the chunks, so the result
is the same for 1, 2 or 16 workers of any executor, for a run that lost workers on the
way, and for one that was interrupted and resumed. See docs/scaling.md.
"""

from antiphon.audit.running.checkpoint import Checkpoint
from antiphon.audit.running.chunks import Chunk, Chunks, CountViews, merge_counts
from antiphon.audit.running.progress import Progress
from antiphon.audit.running.runner import Outcome, run
from antiphon.numbers.public import shows

__all__ = [
    "Checkpoint",
    "Chunk",
    "Chunks",
    "CountViews",
    "Outcome",
    "Progress",
    "merge_counts",
    "run",
]
__dir__ = shows(__all__)
