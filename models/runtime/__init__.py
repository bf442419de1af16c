"""State of a running batch that all systems share, one file per idea.

`batch.py` is the input of a system's steps. `ledger.py` holds the answers, failures and traces of a
batch, `trace.py` the steps of a trace. `rounds.py` asks an LLM for a whole batch at once.
`confidence_model.py` gives the probability that an answer is right. Nothing here depends on a
system or a subtask.
"""
