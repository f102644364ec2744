"""Histograms that grow: monotone queries of them, and what answers those (CM §7)."""
