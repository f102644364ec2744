"""``python -m antiphon.selfcheck.corpus``: the table of the library's mechanisms."""

from antiphon.selfcheck.corpus.listed import table

print(table())
