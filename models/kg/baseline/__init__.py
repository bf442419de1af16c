"""The benchmark's KG baseline: the facts that its rules look up, one file per domain."""
