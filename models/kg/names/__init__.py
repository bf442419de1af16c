"""Names in a question, and what they name in the KG.

`finder.py` finds names of entities by the API's own searches, `companies.py` companies by their
tickers as well, `teams.py` has a list; `named_values.py` compares values with their names.
"""
