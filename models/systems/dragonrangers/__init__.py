"""dragonrangers: three steps, each with a threshold (docs/systems/dragonrangers.md)."""

from models.systems.dragonrangers.system import SYSTEM

__all__ = ["SYSTEM"]
