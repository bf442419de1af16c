"""The evaluator imports `UserModel` from here. What it is made of stands in settings.toml."""

from models.user_model import UserModel

__all__ = ["UserModel"]
