"""Which event of the views tells the two worlds apart: features, scores and thresholds."""
