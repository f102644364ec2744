"""Growing histograms: monotone queries on them, and the mechanisms that answer these (CM §7)."""
