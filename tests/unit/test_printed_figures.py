"""No printed privacy figure is optimistic: who leaves out digits says what of.

What people read of a privacy figure is written by ``antiphon/numbers/rounded_text.py``, which
rounds to a known side. Python's own formats round to the nearest, which may be below the truth; so
each of them, in the package and in the examples, stands here with what it is of.
"""

import ast
import re
from pathlib import Path

from sources import tree

import antiphon as ap

ROOT = Path(ap.__file__).parent.parent
PACKAGE = sorted((ROOT / "antiphon").rglob("*.py"))
SOURCES = [*PACKAGE, *sorted((ROOT / "examples").rglob("*.py"))]
HOME = "antiphon/numbers/rounded_text.py"

FORMAT = re.compile(r"(\.(\d+|\{.*\})|[eEfFgGn%])$")
"""A format that leaves out digits of a float."""
CALLS = re.compile(r"(^|\.)(round|format|around|format_float_\w+)$")

PLACES_IN_PICTURES = {
    "antiphon/conjectures/tree_drawing.py",
    "antiphon/composition/guarantees/text.py", "antiphon/protocol/records/svg.py",
    "antiphon/service/drawing.py",
}  # fmt: skip
NO_PRIVACY_FIGURES = {
    "seconds, samples, runs and how many there may be": {
        "antiphon/audit/exact/cost.py": [
            "left:.1f", "number:,.0f", "number:.0e", "rate:,.0f",
        ],
        "antiphon/audit/running/progress.py": ["rate:,.0f", "(total - done) / rate:,.0f"],
        "antiphon/audit/statistical/claim_audit.py": ["round(scale * kind)"],
        "antiphon/conjectures/commands.py": [
            "standing.seconds:8.1f", "round(_BAR * max(each, 0.0) / top)",
        ],
        "antiphon/selfcheck/commands/corpus.py": [
            "round(finding.seconds, 3)", "report.samples:.1e", "finding.seconds:.1f",
            "seconds:.0f",
        ],
        "antiphon/cli/commands/flights_output.py": [
            "outcome.seconds:.1f", "outcome.replay_seconds:.1f", "round(outcome.seconds, 3)",
            "round(outcome.replay_seconds, 3)",
        ],
        "antiphon/selfcheck/commands/verify.py": [
            "round(finding.seconds, 3)", "finding.seconds:.2f", "seconds:.1f",
        ],
        "antiphon/composition/accounting/parameters.py": ["float(MOST):g", "MOST_CREATED:.0e"],
        "antiphon/composition/guarantees/guarantee.py": ["MOST_CREATED:.0e"],
    },
    "texts": {
        "antiphon/audit/certificates/antiphon_check.py": ["error:.200"],
        "antiphon/audit/check/steps/contracts.py": [
            "taken.result[1]:.40", "said:.60", "space:.80", "value:.40",
        ],
        "antiphon/composition/accounting/parameters.py": ["_ADAPTIVE.format(of_kind(given))"],
        "antiphon/selfcheck/theorems/theorem.py": ["instance.format(*each)"],
    },
    "confidences that have so few digits": {
        "antiphon/selfcheck/commands/corpus.py": ["CONFIDENCE:.0%"],
        "antiphon/cli/commands/flights_output.py": ["1 - BETA:.0%"],
        "antiphon/mechanisms/counters/tails.py": ["1 - _BETA:.0%", "round(each)"],
    },
    "orders of a divergence, and other parameters": {
        "antiphon/composition/accounting/renyi.py": ["float(curve.order):.6g", "order:.6g"],
        "antiphon/composition/filters/basic.py": ["at:.6g"],
        "antiphon/composition/accounting/risk.py": [
            "self.prior:g", "self.false_positive:g",
            "100 * self.prior:.10g", "100 * self.false_positive:.10g",
        ],
        "antiphon/service/pages.py": ["risk.false_positive:g", "risk.prior:g"],
        "antiphon/preprocessing/weak_triangle.py": [
            "self.low:.6g", "self.high:.6g", "order:.6g",
        ],
        "antiphon/learners/l2p/accountings.py": ["_ENOUGH:g"],
        "antiphon/learners/theorems.py": ["-GRID * math.log(ratio):.3f"],
        "examples/batch_constant.py": ["RATE:g", "1 / (16 * b * RATE):.2f"],
        "examples/l2p_table.py": ["e:g"],
        "examples/measured_regret.py": ["e:g"],
    },
    "where a curve is looked at: the rounded number is the one that is meant": {
        "antiphon/cli/commands/account.py": ["each:.3g"],
        "antiphon/composition/accounting/curve.py": ["share * last:.3g"],
    },
    "a number of a symbol, at which a formula changes or is looked at": {
        "antiphon/audit/certificates/antiphon_formula_check.py": ["float(low):.9g"],
        "antiphon/audit/formulas/cuts.py": ["float(self):.9g"],
        "antiphon/numbers/symbolic.py": ["at:.6g"],
    },
    "an event, a vector, the law of an answer": {
        "antiphon/audit/statistical/event.py": ["self.threshold:.6g", "end:.6g"],
        "antiphon/audit/statistical/search.py": ["x:.4g"],
    },
    "what was observed: regrets, losses, errors, rates": {
        "antiphon/learners/contests.py": ["self.mean[-1]:.1f", "mean:,.1f", "self.slope:.2f"],
        "antiphon/cli/commands/counterexample.py": ["rate:.4%", "outcome.advantage:.4%"],
        "antiphon/cli/commands/counters.py": [
            "ratio:.3f", "round(value, -digits):,.0f", "round(value, -digits)",
            "value:.4g", "round(_BAR * math.log(ratio) / widest)", "value:,.0f",
        ],
        "antiphon/learners/commands/learn.py": [
            "_regret(row):,.1f", "_regret(row) / game.rounds:.5f", "row.standings.slope:.2f",
            "_shifting(row):,.1f", "figure(row):,.1f", "found:.2f",
        ],
        "antiphon/demo/panels.py": ["value:,.0f", "value:.3g"],
        "antiphon/boards/largest_keys.py": ["float(value):.10g"],
        "antiphon/learners/regret_pictures.py": ["place:,.6g"],
        "examples/adaptivity_costs.py": ["float(more / less):.2f"],
        "examples/batch_constant.py": [
            "each[k] / sqrt(b * T):.4f", "each[k]:.2f", "passed(lambda _: 1):.0e",
            "passed(lambda size: log(size * 1000000.0)):.0e", "each[k]:,.1f",
        ],
        "examples/distribution_learning.py": [
            "risk:>12.0f", "slope(ladder, by_users):.2f", "slope(sizes, by_size):.2f",
            "'{:<8}{:<4}{:<6}{:<5}'.format(*asked)",
        ],
        "examples/forecasters.py": [
            "lost.min() / rounds:.4f", "lost.mean() / rounds:.4f", "lost.mean() - lost.min():,.0f",
            "each.mean[-1]:,.0f", "(lost.min() + each.mean[-1]) / rounds:.4f", "more:+.0%",
        ],
        "examples/l2p_table.py": ["each:,.0f"],
        "examples/laziness_or_correlation.py": [
            "counter:<9.1f", "single:<13.1f", "tuned:<13.1f", "tuned / counter:.1f",
            "0.1 * horizon:.0f", "regret(learner):.0f",
        ],
        "examples/measured_regret.py": ["y[-1]:,.0f", "slope(Ts, y):.2f"],
        "examples/name_and_shame.py": ["shamed:>14.2f", "every:>13.2f", "hard:>5.2f"],
        "examples/private_regression.py": [
            "last:>9.1f", "last / rounds:>11.5f", "each.slope:>7.2f",
        ],
    },
    "not printed": {
        "antiphon/boards/cells.py": ["round(min(max(exact, low), high) / columns.step)"],
        "antiphon/boards/vector_sums.py": ["round(float(each))"],
        "antiphon/graybox/noisy.py": ["format(self.read(), spec)"],
        "antiphon/mechanisms/counters/tree_counter.py": [
            "round(_UNIT * (1 << height) / ((2 << height) - 1))",
        ],
        "antiphon/mechanisms/histograms/continual.py": ["round((yield Ask(COUNT, i)))"],
        "antiphon/learners/distribution/gains.py": ["round(min(found, 0.5) * _FINE)"],
        "antiphon/mechanisms/multiplicative_weights/design.py": ["round((low + high) / 2 * _FINE)"],
        "antiphon/mechanisms/multiplicative_weights/mechanism.py": ["round(1 / self.step_size)"],
        "antiphon/mechanisms/noise/grid.py": ["round(answer / self.step_size)"],
        "antiphon/populations/array_columns.py": [
            "round(self.alone(), digits)",
        ],
        "antiphon/populations/columns.py": ["format(self.alone(), spec)", "round(number, digits)"],
        "antiphon/protocol/spaces.py": ["round(place)"],
    },
}  # fmt: skip
"""What it is of, and where it stands as what."""


def left_out(tree):
    """The expressions whose digits are left out by Python."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = ast.unparse(node.format_spec)[2:-1]
            if FORMAT.search(spec):
                yield f"{ast.unparse(node.value)}:{spec}"
        elif formatted(node):
            yield ast.unparse(node)


def formatted(node):
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mod) and type(getattr(node.left, "value", None)) is str
    return isinstance(node, ast.Call) and bool(CALLS.search(ast.unparse(node.func)))


def test_what_leaves_out_digits_is_listed():
    """Write a privacy figure with ``shown_up`` or ``shown_down``; list here what is none."""
    listed = {
        (path, each)
        for of in NO_PRIVACY_FIGURES.values()
        for path, expressions in of.items()
        for each in expressions
    }
    found = set()
    for path in SOURCES:
        name = str(path.relative_to(ROOT))
        if name != HOME and name not in PLACES_IN_PICTURES:
            found |= {(name, each) for each in left_out(tree(path))}
    assert sorted(found - listed) == []
    assert sorted(listed - found) == []


def test_what_is_looked_for_is_found():
    for code in ("round(a, 2)", "'%.2f' % b", "'{:.1f}'.format(c)", "format(d, 'e')"):
        assert [*left_out(ast.parse(f"print({code})"))] == [code]
    assert [*left_out(ast.parse("f'{x:.4g} {y:>8} {z:,} {v:%} {w:.{n}f}'"))] == [
        "x:.4g", "v:%", "w:.{n}f",
    ]  # fmt: skip
