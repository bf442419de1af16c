"""Weights-free: from an English question to programs of the query language, and back to an answer.

A reader a domain. It finds the names of the KG that stand in the question, then reads what is asked
of them from the words that are left.
"""
