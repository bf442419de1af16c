"""The benchmark's KG baseline: which facts its rules look up, one file per domain."""
