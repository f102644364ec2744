"""The checks of ``ap.check``: of steps and spaces, of declarations, claims and columns, and of an
f."""
