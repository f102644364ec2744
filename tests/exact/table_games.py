"""The game that a certificate's tables describe, by brute force: nothing is dropped or merged.

A belief is the joint law of all parts' states in either world. Rows that are missing are pairs that
cannot be said, so that what is found is the least that any completion of the tables has.
"""

import json
from fractions import Fraction


class TableGame:
    def __init__(self, lines):
        self.parts, self.steps, self.f, self.public, self.claims = {}, {}, {}, {}, []
        for line in lines:
            kind, *row = json.loads(line)
            if kind == "game":
                _, self.rounds, _, self.composed, self.most = row
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

    def holds(self):
        """Whether all figures are those of the tables."""
        return all(self.tight_delta(growth) == delta for growth, delta in self.claims)

    def tight_delta(self, growth):
        self.known = {}
        start0, start1, judged = self.parts.get(0, (0, 0, 0))
        kids, law0, law1 = ((0, judged),), {(start0,): 1}, {(start1,): 1}
        if self.composed:
            kids, law0, law1 = (), {(): 1}, {(): 1}
        return max(
            self._best(self.rounds, 0, 0, kids, _times(law0, 1), _times(law1, growth)),
            self._best(self.rounds, 0, 0, kids, _times(law1, 1), _times(law0, growth), 1),
        )

    def _best(self, left, public, created, kids, ahead, behind, bit=0):
        """The most that an adversary gains: the mass ``ahead`` counts for it, ``behind`` against
        it. With ``bit`` the worlds are exchanged, and so are the sides of each pair."""
        key = left, public, created, kids, _frozen(ahead), _frozen(behind), bit
        if key not in self.known:
            best = max(Fraction(0), sum(ahead.values()) - sum(behind.values()))
            for branches in self._said(public, created, kids, ahead, behind, bit) if left else ():
                best = max(best, sum(self._after(left - 1, *each, bit) for each in branches))
            self.known[key] = best
        return self.known[key]

    def _after(self, left, over, public, created, kids, ahead, behind, bit):
        return self._best(0 if over else left, public, created, kids, ahead, behind, bit)

    def _said(self, public, created, kids, ahead, behind, bit):
        asks, differ, admits = self.public[public]
        if created < self.most:
            for part, to, born in (each for each in admits if each[0] in self.parts):
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
                    after = dict(differ).get(part)
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


def _dead(own, other, index):
    return all(states[index] == 0 for law in (own, other) for states in law or ())


def _times(law, by):
    return {states: p * Fraction(by) for states, p in law.items()}


def _frozen(law):
    return frozenset(law.items())
