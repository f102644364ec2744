"""What ``ap.check`` tries: of steps and spaces, of declarations, claims, columns, and of an f."""
