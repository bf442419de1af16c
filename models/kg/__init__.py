"""The knowledge graph: `make_client` opens one; `run` executes a program of its query language,
`run_many` several ones as a single plan, `explain` prints the plan."""

from models.kg.client import make_client
from models.kg.run import ProgramResult, explain, run, run_many

__all__ = ["ProgramResult", "explain", "make_client", "run", "run_many"]
