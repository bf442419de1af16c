"""Spans of English text and their values: numbers, times, names.

`quantity_words.py` has the words of numbers, units and money; `quantities.py` and
`dates.py` read them in any text. `periods.py` resolves a time phrase, `times.py` finds those of a
question. `names.py` finds names of KG entities by the API's own searches, `companies.py` finds
companies by their tickers as well, `teams.py` has a list. `question.py` is a text as words.
"""
