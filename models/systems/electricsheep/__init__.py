"""electricsheep, third of task 1 and first of five question types of task 2."""

from models.systems.electricsheep.system import SYSTEM

__all__ = ["SYSTEM"]
