"""The theorems, each checked exactly on finite instances, beside broken twins."""
