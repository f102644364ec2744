"""``python -m tests.hunt``: hunt for false proofs, for as long as one likes; Ctrl-C ends it.

Exit code 1 if there was a find; each is printed and saved in tests/hunt/found, where the
everyday suite replays it.
"""

import argparse
import itertools
import json
import random
import sys
from collections import Counter

from .hunting import hunt, save


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    parser.add_argument("--rounds", type=int, help="how many systems (default: no end)")
    parser.add_argument("--seconds", type=float, help="how long (default: no end)")
    parser.add_argument("--seed", type=int, help="the first system's seed (default: random)")
    parser.add_argument("--no-save", action="store_true", help="only print what is found")
    given = parser.parse_args()
    first = random.randrange(10**9) if given.seed is None else given.seed
    seeds = iter(itertools.count(first))
    if given.rounds is not None:
        seeds = itertools.islice(seeds, given.rounds)
    print(f"hunting from seed {first}", flush=True)
    finds, last = 0, Counter[str]()

    def tell(counts: Counter[str]) -> None:
        last.update(counts - last)
        if sys.stderr.isatty():
            print(f"\r\033[K{_shown(counts)}, {finds} found", end="", file=sys.stderr, flush=True)

    try:
        for seed, recipe, verdict in hunt(seeds, seconds=given.seconds, tell=tell):
            finds += 1
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
            where = "" if given.no_save else f"\n  saved: {save(recipe, verdict)}"
            print(f"seed {seed}: {verdict.why}\n  {json.dumps(recipe)}{where}", flush=True)
    except KeyboardInterrupt:
        pass
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(f"{_shown(last)}; {finds} sorts of finds", flush=True)
    return 1 if finds else 0


def _shown(counts: Counter[str]) -> str:
    return f"{counts.total():,} systems: " + ", ".join(
        f"{n:,} {k}" for k, n in counts.most_common()
    )


if __name__ == "__main__":
    sys.exit(main())
