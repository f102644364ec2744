"""The program ``python -m antiphon.selfcheck.corpus``: prints the table of mechanisms' claims."""

from antiphon.selfcheck.corpus.specimen import table

print(table())
