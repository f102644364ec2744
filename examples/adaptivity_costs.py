"""What it costs that an adversary listens: tight δ against adaptive and oblivious adversaries.

    python examples/adaptivity_costs.py --plot adaptivity.svg

Exact, in fractions. Whoever does not listen plays against sealed answers: docs/adaptivity.md.
"""

import argparse
from fractions import Fraction
from itertools import product
from pathlib import Path

import attrs
import numpy as np

import antiphon as ap
from antiphon.audit import OPEN, oblivious
from antiphon.learners import ADVICE, Hedge, LazyExperts, LazyToPrivate, ShrinkingDartboard
from antiphon.learners.l2p import ExponentialWeights

TWO = {"horizon": 2, "experts": 2, "rate": ap.Log(Fraction(11, 10))}
WEIGHTS = ExponentialWeights(experts=2, rate=TWO["rate"])
LEARNERS = {
    "lazy experts": LazyExperts(**TWO, cost=2),
    "lazy experts, T = 3": LazyExperts(**TWO | {"horizon": 3}, cost=2),
    "shrinking dartboard": ShrinkingDartboard(**TWO),
    "Hedge": Hedge(**TWO),
    "L2P": LazyToPrivate(measures=WEIGHTS, horizon=2, fakes=Fraction(3, 10)),
}
SAID = [*map(np.array, product((0, 1), repeat=2)), ADVICE]
GROWTHS = tuple(Fraction(each, 20) for each in range(20, 28))  # e^ε


def curves(learner):
    """Tight δ at each e^ε, against adversaries that do not listen, and that do."""
    game, rounds = ap.PrivacyGame(learner, learner.verification), 2 * learner.horizon - 1
    for each, more in ((oblivious(game), [OPEN]), (game, [])):
        search = {"rounds": rounds + len(more), "queries": [*SAID, *more]}
        yield [delta for _, delta in each.privacy_curve(epsilons=[*map(ap.Log, GROWTHS)], **search)]


def tree(learner, growth):
    """The best adversary that listens; a pair is written 10 | 01."""
    game, rounds = ap.PrivacyGame(learner, learner.verification), 2 * learner.horizon - 1
    best = game.best_adversary(epsilon=ap.Log(growth), rounds=rounds, queries=SAID)
    return attrs.evolve(best, nodes=[attrs.evolve(n, message=label(n.message)) for n in best.nodes])


def label(message):
    """A message in short."""
    sides = (message.zero, message.one) if type(message) is ap.Pair else ()
    return " | ".join(dict.fromkeys("".join(map(str, side)) for side in sides)) or message


def draw(path, found):
    """δ over e^ε, dashed where nobody listens."""
    from antiphon.protocol.pictures import COLOURS, picture, style_axes

    with picture([path], width=9, height=4.2) as figure:
        axes = figure.add_subplot(xlabel="e^ε", ylabel="tight δ (dashed: nobody listens)")
        for colour, (name, (deaf, listening)) in zip(COLOURS, found.items(), strict=False):
            axes.plot(GROWTHS, listening, color=colour, label=name)
            axes.plot(GROWTHS, deaf, color=colour, linestyle="--")
        figure.legend(frameon=False, loc="upper center", ncols=5)
        style_axes(axes)


if __name__ == "__main__":
    parser, found = argparse.ArgumentParser(description=__doc__.splitlines()[0]), {}
    parser.add_argument("--plot", type=Path, help="a .png, .svg or .pdf file")
    plot = parser.parse_args().plot
    print(f"{'learner':20} {'e^ε':>6} {'oblivious':>16} {'adaptive':>18}  ratio")
    for name, learner in LEARNERS.items():
        deaf, listening = found[name] = tuple(curves(learner))
        for growth, less, more in list(zip(GROWTHS, deaf, listening, strict=True))[2:5:2]:
            ratio = f"{float(more / less):.2f}" if less else "-"
            print(f"{name:20} {growth!s:>6} {less!s:>16} {more!s:>18}  {ratio:>5}")
    print(tree(LEARNERS["lazy experts"], GROWTHS[4]))
    if plot:
        draw(plot, found)
