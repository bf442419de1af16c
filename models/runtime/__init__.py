"""State of a running batch that all systems share, one file per idea.

`case.py` is one question under way, with the slot that its answer, failures and trace go to;
`trace.py` has the steps of a trace. `batch.py` is the input of a system's steps: the cases of a
batch. `rounds.py` asks an LLM for a whole batch at once, by the requests of `request.py`.
`confidence_model.py` gives the probability that an answer is right. Nothing here depends on a
system or a subtask.
"""
