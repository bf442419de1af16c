"""bumblebee7: agents in a chain that must cite references (docs/systems/bumblebee7.md)."""

from models.systems.bumblebee7.system import SUBTASKS, Bumblebee7Options, Bumblebee7System, build

__all__ = ["SUBTASKS", "Bumblebee7Options", "Bumblebee7System", "build"]
