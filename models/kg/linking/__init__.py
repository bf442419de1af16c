"""Entity linking: which words of a question name a thing of the KG.

Names are found by the API's own searches (`names.py`), companies and tickers by rules of their own
(`companies.py`, `tickers.py`), teams in a list (`teams.py`); `question.py` is a text as words.
"""
