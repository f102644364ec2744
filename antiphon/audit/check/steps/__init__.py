"""The checks of ``ap.check``: of steps, spaces, declarations, claims, columns, and of an f."""
