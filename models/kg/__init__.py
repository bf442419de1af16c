"""The knowledge graph: `run` executes a program of its query language, `explain` prints its
plan."""

from models.kg.run import ProgramResult, explain, run

__all__ = ["ProgramResult", "explain", "run"]
