"""``python -m antiphon.selfcheck.corpus``: the table of the library's mechanisms."""

from antiphon.selfcheck.corpus.specimen import table

print(table())
