"""Certificates: exact answers that are checked without this library."""
