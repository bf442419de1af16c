"""Model weights by name: one table, fetched, pinned and verified by `python -m utils.weights`."""
