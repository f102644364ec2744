"""Commands as the files beside this folder, which holds no more of them."""
