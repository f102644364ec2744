"""The program ``python -m antiphon.selfcheck.corpus``, which prints the table of the library's
mechanisms."""

from antiphon.selfcheck.corpus.specimen import table

print(table())
