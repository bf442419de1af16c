"""What a running batch shares, whatever its system: one file per idea.

`ledger.py` holds the answers, failures and traces of a batch, `trace.py` the steps of a trace,
`rounds.py` asks an LLM for a whole batch at once, `confidence.py` decides whether an answer is
likely enough to be given. Nothing here knows a system or a subtask.
"""
