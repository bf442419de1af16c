"""What a question is about and whether its answer changes (electricsheep, section 4.2).

`svm.py` predicts both by linear SVMs over hashed n-grams (`ngrams.py`); `votes.py` asks an LLM
several times and takes the majority.
"""
