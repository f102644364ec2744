"""The game that a certificate's tables describe, by brute force: nothing is dropped or merged.

A belief is the joint law of all parts' states in either world. Rows that are missing are pairs that
cannot be said, so that what is found is the least that any completion of the tables has.
"""

import json
import math
from fractions import Fraction
from itertools import permutations


class TableGame:
    def __init__(self, lines):
        self.parts, self.steps, self.f, self.public, self.claims = {}, {}, {}, {}, []
        for line in lines:
            kind, *row = json.loads(line)
            if kind == "game":
                _, self.rounds, _, self.composed, self.most, order = row
                self.order = [order] if order else []
            elif kind == "part":
                self.parts[row[0]] = row[1:]
            elif kind == "step":
                self.steps[tuple(row[:3])] = row[3:]
            elif kind == "f":
                self.f[row[0], row[1]] = row[2]
            elif kind == "public":
                self.public[row[0]] = row[1:]
            elif kind == "delta":
                self.claims.append((Fraction(*row[1]), Fraction(*row[2])))
            elif kind == "loss":
                self.claims.append((None, Fraction(*row[0])))

    def holds(self):
        """Whether all figures are those of the tables."""
        return all(self.tight(growth) == figure for growth, figure in self.claims)

    def tight(self, growth):
        """The tight δ at an e^ε; or, without one, the moment or the range of the file's order."""
        self.known = {}
        start0, start1, judged = self.parts.get(0, (0, 0, 0))
        kids, law0, law1 = ((0, judged),), {(start0,): 1}, {(start1,): 1}
        if self.composed:
            kids, law0, law1 = (), {(): 1}, {(): 1}
        zero, one, first = _times(law0, 1), _times(law1, growth or 1), (self.rounds, 0, 0, kids)
        if self.order == [1]:
            return self._range(*first, zero, one)
        zero_last, one_first = _times(law0, growth or 1), _times(law1, 1)
        return max(self._best(*first, zero, one), self._best(*first, one_first, zero_last, 1))

    def _stopped(self, ahead, behind):
        own, other = sum(ahead.values()), sum(behind.values())
        if not self.order:
            return max(Fraction(0), own - other)
        if not own:
            return Fraction(0)
        return own * (own / other) ** (self.order[0] - 1) if other else math.inf

    def _range(self, *belief):
        """The largest quotient of two views' likelihood ratios."""
        best = Fraction(1)
        for branches in self._said(*belief[1:], 0) if belief[0] else ():
            after = [self._next(belief[0], *each) for each in branches]
            both = [[self._ratio(*each, bit) for each in after] for bit in (0, 1)]
            best = max([best, *(self._range(*each) for each in after if _possible(each))])
            pairs = permutations(range(len(after)), 2)
            best = max([best, *(both[0][a] * both[1][b] for a, b in pairs)])
        return best

    def _ratio(self, *given):
        """The largest likelihood ratio of a view, in favour of the world ``bit``; of views that the
        world does not have, 0."""
        *belief, bit = given
        own, other = (sum(law.values()) for law in (belief[4], belief[5])[:: 1 - 2 * bit])
        if not (own and other):
            return math.inf if own else Fraction(0)
        best = own / other
        for branches in self._said(*belief[1:], 0) if belief[0] else ():
            after = [self._next(belief[0], *each) for each in branches]
            best = max([best, *(self._ratio(*each, bit) for each in after)])
        return best

    def _next(self, left, over, *rest):
        return 0 if over else left - 1, *rest

    def _best(self, left, public, created, kids, ahead, behind, bit=0):
        """The most that an adversary gains: the mass ``ahead`` counts for it, ``behind`` against
        it. With ``bit`` the worlds are exchanged, and so are the sides of each pair."""
        key = left, public, created, kids, _frozen(ahead), _frozen(behind), bit
        if key not in self.known:
            best = self._stopped(ahead, behind)
            for branches in self._said(public, created, kids, ahead, behind, bit) if left else ():
                best = max(best, sum(self._after(left - 1, *each, bit) for each in branches))
            self.known[key] = best
        return self.known[key]

    def _after(self, left, over, public, created, kids, ahead, behind, bit):
        return self._best(0 if over else left, public, created, kids, ahead, behind, bit)

    def _said(self, public, created, kids, ahead, behind, bit):
        asks, may = self.public[public]
        differ = {part: to for part, what, to in may if what == 2}
        if created < self.most:
            for part, born, to in (each for each in may if each[0] in self.parts and each[1] != 2):
                born = born == 1
                start0, start1, judged = self.parts[part]
                starts = ((start0, start1), (start1, start0))[bit] if born else (0, 0)
                laws = ({(*s, a): p for s, p in law.items()}
                        for law, a in zip((ahead, behind), starts, strict=True))  # fmt: skip
                new = (part, judged) if born else (part, -1)
                yield [(False, to, created + 1, (*kids, new), *laws)]
        for index, (part, judged) in enumerate(kids if asks else ()):
            for zero, one, to in self.f.get((part, judged), ()):
                after = public
                if zero != one and judged % 2 == 0:
                    after = differ.get(part)
                said = (zero, one)[:: 1 - 2 * bit]
                found = [
                    self._pushed(law, index, part, query)
                    for law, query in zip((ahead, behind), said, strict=True)
                ]
                if after is None or None in found:
                    continue
                own, other = found
                new = (*kids[:index], (part, to), *kids[index + 1 :])
                yield [
                    (
                        answer == 0 and _dead(own.get(answer), other.get(answer), index),
                        after, created, new, own.get(answer, {}), other.get(answer, {}),
                    )
                    for answer in own.keys() | other.keys()
                ]  # fmt: skip

    def _pushed(self, law, index, part, query):
        found = {}
        for states, p in law.items():
            if (part, states[index], query) not in self.steps:
                return None
            over, branches = self.steps[part, states[index], query]
            for answer, to, weight in branches:
                after = (*states[:index], to, *states[index + 1 :])
                own = found.setdefault(answer, {})
                own[after] = own.get(after, 0) + p * Fraction(weight, over)
        return found


def _possible(belief):
    return any(belief[4].values()) or any(belief[5].values())


def _dead(own, other, index):
    return all(states[index] == 0 for law in (own, other) for states in law or ())


def _times(law, by):
    return {states: p * Fraction(by) for states, p in law.items()}


def _frozen(law):
    return frozenset(law.items())
