"""What can be wrong with a model, an adapter, a prompt or a server."""

from utils.errors import CragError


class LLMError(CragError):
    """An engine cannot do what it was asked; what it wrote so far is lost."""


class ModelMissing(LLMError):
    """The model is not where settings say; the message says what to put there."""


class AdapterUnknown(LLMError):
    """A prompt names an adapter that its engine was not given."""


class AdapterIncompatible(LLMError):
    """An adapter was made for another base model, or is of a kind or rank that is not served."""


class ContextTooLong(LLMError):
    """A prompt and the tokens asked for do not fit the model's context.

    Attributes:
        over: by how many tokens.
        context: how many the model's context has.
    """

    def __init__(self, over: int, context: int, what: str = "the prompt") -> None:
        super().__init__(
            f"{what} is {over} tokens too long: with the tokens asked for it would have "
            f"{context + over}, the model's context has {context}"
        )
        self.over = over
        self.context = context


class ConstraintUnsupported(LLMError):
    """The engine or server does not understand a constraint, or would ignore it."""


class ServerUnavailable(LLMError):
    """The server could not be reached, broke off, or kept answering 429 or 5xx."""


class ServerRejected(LLMError):
    """The server refused the request (4xx): the request is wrong, or the key.

    Attributes:
        status: the HTTP status; None: the answer itself was unusable.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
