"""What ``ap.check`` tries, one file a check."""
