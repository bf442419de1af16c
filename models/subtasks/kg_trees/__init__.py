"""The rules of the benchmark's KG baseline: a decision tree a domain (see `kg_baseline.py`)."""
