"""The rules, one file for each family of theorems, with premises, proofs and figures.

Every file in this folder is imported with the library, and adds rows to the table by ``@rule``: a
theorem is added by adding its file.
"""

from importlib import import_module
from pkgutil import walk_packages

for _file in walk_packages(__path__, f"{__name__}."):
    import_module(_file.name)
