"""The evaluator imports `UserModel` from here; settings.toml configures it."""

from models.user_model import UserModel

__all__ = ["UserModel"]
