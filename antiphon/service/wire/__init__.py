"""Limits on connections: their number, the rate of their requests, and their duration."""
