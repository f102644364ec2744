"""A rough look at a game in floats, which tells what is surely not best."""
