"""Certificates: files by which an exact answer is checked without this library."""
