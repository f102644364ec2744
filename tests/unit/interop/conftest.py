"""dp-accounting, where it is installed or ``make bench`` has put it: our attrs is too new for it.

Its environment stands after ours, so that all that both have is ours.
"""

import sys
from pathlib import Path

PEERS = Path(__file__).parents[3] / ".venv-peers"

if (PEERS / ".made").exists():
    sys.path += map(str, PEERS.glob("lib/python*/site-packages"))
