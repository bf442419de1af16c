"""The tree of our errors. Only `UserModel` turns one into "i don't know"."""


class CragError(Exception):
    """The root of our errors. Catch it where a run must continue or end with a clear message.

    Attributes:
        kind: the error's name in reports; empty: the name of its type.
        of_setup: whether its cause is a server, a key, a model or a package, which affects all
            questions.
        exit_status: of a command that it ends.
    """

    kind = ""
    of_setup = False
    exit_status = 2


class DeadlineExceeded(CragError):
    """The time for a piece of work expired before it was done."""


class SettingsError(CragError):
    """A setting is missing, unknown, or has a value that cannot be used."""

    of_setup = True


class InputError(CragError):
    """A question, batch or data file violates the format that its contract specifies."""


class MissingPackageError(CragError):
    """An optional package is not installed; the message has the install command."""

    of_setup = True


class ApiError(CragError):
    """A call of the KG API returned no usable result."""

    exit_status = 3


class ApiUnavailable(ApiError):
    """The server could not be reached, timed out, or repeatedly returned 5xx."""

    of_setup = True


class ApiRejected(ApiError):
    """The server rejected the request (4xx): the request is wrong, not the server."""


class ApiGarbage(ApiError):
    """The server answered 200 with something other than `{"result": ...}`, or with a record of an
    unexpected shape."""


class JudgeError(CragError):
    """A judge gave no verdict. It is reported apart, and never counted as a wrong answer."""

    exit_status = 3
