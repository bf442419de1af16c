"""Subtasks: requests to an LLM, or to its weights-free replacement, one file or folder each.

A new subtask needs one file with its implementation and its `Request` (implementations that replace
each other share a `Protocol`), a prompt in `models/prompts/<system>/`, and a test. `answers.py`
extracts an answer from a model's text.
"""
