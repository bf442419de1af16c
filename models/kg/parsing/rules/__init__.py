"""Rules: typed operations that make candidates of one or two bases. A new rule is a class in the
file of its idea, and a line in `generator.py`."""
