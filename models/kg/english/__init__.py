"""Entity linking: finds the words of a question that name KG entities.

The API's own searches find names (`names.py`); companies are also found by their tickers
(`companies.py`); teams are in a list (`teams.py`); `times.py` finds time phrases; `question.py` is
a text as words.
"""
