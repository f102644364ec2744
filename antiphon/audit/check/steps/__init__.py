"""The checks of ``ap.check``: of steps, spaces, declarations, claims, columns, and an f."""
