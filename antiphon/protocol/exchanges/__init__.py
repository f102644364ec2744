"""Exchanges: post-processors written as generators, which read like their algorithm (CM Def. 2.13).

Between a message from its left and its answer, P is a small program: ask, hear, ask again,
answer. As a step function that program is cut into pieces, one for each answer it waits for.
As an exchange it is whole: a generator in which ``heard = yield asked`` sends to the right and
goes on with what comes back, and ``return state, answer`` answers the left.
"""
