"""Limits on HTTP connections: their number, the rate of their requests, and their duration."""
