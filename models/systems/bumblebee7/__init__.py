"""bumblebee7: agents in a chain that must cite references (docs/systems/bumblebee7.md)."""

from models.systems.bumblebee7.system import SYSTEM

__all__ = ["SYSTEM"]
