"""What ``antiphon board`` does."""
