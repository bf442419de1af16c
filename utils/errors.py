"""One tree for every error of ours. Only `UserModel` turns one into "i don't know"."""


class CragError(Exception):
    """The root. Catch it where a run as a whole must go on or end with a clear word.

    Attributes:
        kind: what reports call it; empty: the name of its type.
        of_setup: it tells of a server, a key, a model or a package: other questions meet it too.
    """

    kind = ""
    of_setup = False


class DeadlineExceeded(CragError):
    """The time given to a piece of work was spent before it was done."""


class SettingsError(CragError):
    """A setting is missing, unknown, or has a value that cannot be used."""

    of_setup = True


class InputError(CragError):
    """A question, batch or data file is not of the form that the contract states."""


class MissingPackageError(CragError):
    """An optional package is not installed; the message names the line that installs it."""

    of_setup = True


class ApiError(CragError):
    """A call of the knowledge-graph API gave no usable result."""


class ApiUnavailable(ApiError):
    """The server could not be reached, timed out, or kept answering 5xx."""

    of_setup = True


class ApiRejected(ApiError):
    """The server refused the request (4xx): the request is wrong, not the server."""


class ApiGarbage(ApiError):
    """The server answered 200 with something that is not `{"result": ...}`."""


class JudgeError(CragError):
    """A judge gave no verdict. Reported apart, never counted as a wrong answer."""
