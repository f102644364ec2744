"""The command about preprocessing."""
