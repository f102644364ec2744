"""Errors, exact values, intervals and the persistent vector. Imports nothing else of Antiphon."""
