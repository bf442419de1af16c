"""Subtasks: what a system asks of an LLM or of a weights-free stand-in, one file or folder each.

A new subtask is one file with its `Protocol`, its implementations and its `Request`, a prompt in
`models/prompts/<system>/`, and a test. `answers.py` reads an answer out of what a model wrote.
"""
