"""Errors of models, adapters, prompts and servers."""

from utils.errors import CragError


class LLMError(CragError):
    """An engine cannot serve a prompt."""


class ModelMissing(LLMError):
    """The model is not at its place in the settings; the message states the remedy."""

    of_setup = True


class AdapterUnknown(LLMError):
    """A prompt names an adapter that its engine does not have."""

    of_setup = True


class AdapterIncompatible(LLMError):
    """An adapter was made for another base model, or is of a kind or rank that is not served."""

    of_setup = True


class ContextTooLong(LLMError):
    """A prompt and the requested tokens exceed the model's context.

    Attributes:
        over: the excess, in tokens.
        context: the context's length, in tokens.
    """

    kind = "prompt too long"

    def __init__(self, over: int, context: int, what: str = "the prompt") -> None:
        super().__init__(
            f"{what} is {over} tokens too long: with the requested tokens it would have "
            f"{context + over}, and the context has {context}: start the engine with a longer one"
        )
        self.over = over
        self.context = context


class ConstraintUnsupported(LLMError):
    """The engine or server does not understand a constraint, or would ignore it."""

    kind = "constraint refused"


class EndsTooLate(ConstraintUnsupported):
    """The server keeps to a constraint, but lets a model end only where the constraint must end."""


class _ServerError(LLMError):
    """An error of a server.

    Attributes:
        status: the HTTP status; None: there was no response, or its content was unusable.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ServerUnavailable(_ServerError):
    """The server could not be reached, broke off, or repeatedly returned 5xx."""

    kind = "server unavailable"
    of_setup = True


class ServerBusy(ServerUnavailable):
    """The server returned 429 until the deadline."""

    kind = "429"


class ServerRejected(_ServerError):
    """The server refused the request (4xx): the request or the key is wrong."""

    kind = "request refused"

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message, status)
        self.of_setup = status in (401, 403, 404)


class Broken(LLMError):
    """A completion broke off, or does not satisfy its constraint."""

    kind = "broken"


class CutOff(LLMError):
    """The deadline came before a completion ended, or before its request was sent."""

    kind = "cut at the deadline"


class Empty(LLMError):
    """A model refused to answer, wrote nothing, or wrote nothing but its thoughts."""

    kind = "empty answer"


class TooLong(LLMError):
    """A completion had not ended when it reached its token limit."""

    def __init__(self, tokens: int) -> None:
        super().__init__(f"the model had not ended after {tokens} tokens")
        self.kind = f"cut at {tokens} tokens"
