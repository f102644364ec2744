"""The program ``python -m antiphon.selfcheck.corpus``: prints a table of all mechanisms' claims."""

from antiphon.selfcheck.corpus.specimen import table

print(table())
