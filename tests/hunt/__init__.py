"""The hunter: random systems, whose proved guarantees are compared with the exact truth.

``recipes`` grows them, ``builder`` builds them, ``referee`` judges them, ``brute`` judges the
engine that the referee asks; ``python -m tests.hunt`` goes on for as long as one likes.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # the references, also without pytest
