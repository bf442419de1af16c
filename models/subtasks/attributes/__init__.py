"""A question's domain and dynamism (electricsheep, section 4.2).

`svm.py` predicts both by linear SVMs on TF-IDF; `votes.py` asks an LLM several times and takes the
majority.
"""
