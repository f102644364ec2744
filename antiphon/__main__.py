"""``python -m antiphon``: the command line."""

import sys

from antiphon.cli import main

sys.exit(main())
