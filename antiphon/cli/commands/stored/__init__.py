"""Commands on files that are kept: sessions."""
