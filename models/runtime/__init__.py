"""State of a running batch that all systems share, one file per idea.

`ledger.py` holds the answers, failures and traces of a batch, `trace.py` the steps of a trace.
`rounds.py` asks an LLM for a whole batch at once. `confidence.py` decides whether an answer is
likely enough to be given. Nothing here depends on a system or a subtask.
"""
