"""``python -m antiphon.selfcheck.corpus``: the table of the library's mechanisms."""

from antiphon.selfcheck.specimens import table

print(table())
