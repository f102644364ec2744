"""How a search is carried on: which climb comes next, by whom, and what is kept of all of them."""
