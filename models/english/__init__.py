"""English text and its values: numbers, quantities, dates, times; what judges, page reader and KG
share.

`quantity_words.py` has the words of numbers, units and money, `calendar_words.py` those of months
and weekdays; `quantities.py` and `dates.py` read them in any text. `periods.py` resolves a time
phrase into days (`days.py`), `times.py` finds those of a question. `question.py` is a text as
words, `likeness.py` how like two names are, `instalments.py` the numbers in names.
`leading_quantities.py` reads what a text begins with, `member_counts.py` how many things it lists,
`refusals.py` whether it says that the answer is not known.
"""
