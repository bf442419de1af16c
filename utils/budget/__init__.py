"""What a system needs on a machine: memory a GPU, seconds a question; `python -m utils.budget`."""
