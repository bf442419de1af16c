"""The standard modules that Windows lacks."""

try:
    import fcntl
    import resource
except ModuleNotFoundError as error:
    raise ImportError("this runs on Linux and macOS; on Windows, run it in WSL") from error

__all__ = ("fcntl", "resource")
