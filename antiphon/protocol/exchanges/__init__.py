"""Exchanges: post-processors written as generators, which read like their algorithm (CM Def. 2.13).

Between a message from its left and its answer, a post-processor is a small program: it asks the
mechanism on its right, receives an answer, asks again, and answers. As a step function this program
is cut into pieces, one for each answer it waits for. As an exchange it is a single generator:
``heard = yield asked`` sends a message to the right and receives the answer, and ``return state,
answer`` answers the left.
"""
