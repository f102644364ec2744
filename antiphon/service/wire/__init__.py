"""Limits on connections: how many there are, how often requests come, and how long they may
take."""
