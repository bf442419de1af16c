"""The knowledge graph: `run` fetches what a program of its query language asks for, and `explain`
prints the plan."""

from models.kg.run import Result, explain, run

__all__ = ["Result", "explain", "run"]
