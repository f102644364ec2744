"""Options of the commands about learners."""
