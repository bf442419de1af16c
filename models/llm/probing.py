"""Which constraints a server keeps, and by which fields of a request, learnt from its answers."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from models.llm.constraints import accepts
from models.llm.dialects import ANY_SERVER, END_PROBES, PROBES, Dialect, Encoding
from models.llm.errors import ConstraintUnsupported, EndsTooLate, LLMError
from models.llm.protocol import Constraint, ConstraintKind
from models.llm.replies import without_thoughts
from models.llm.server import Written
from utils.deadline import Deadline

Encodings = Mapping[ConstraintKind, Encoding]


class Kept(StrEnum):
    """Whether a server satisfies constraints of a kind."""

    YES = "kept"
    NO = "ignored by the server"
    CANNOT_END_EARLY = (
        "cannot end early: unsupported"  # an answer goes on while its constraint allows
    )
    UNTRIED = "not tried in time"


class SayHello(Protocol):
    """Asks the model to say hello, under a constraint in an encoding, or freely.

    Returns what it says, and the server's error.

    Raises:
        LLMError: one that is not about the constraint.
    """

    def __call__(
        self,
        deadline: Deadline,
        constraint: Constraint | None = None,
        encoding: Encoding | None = None,
        /,
    ) -> tuple[Written, LLMError | None]: ...


class ConstraintProbes:
    """What is known of the constraints of one server; each kind is probed once."""

    def __init__(self, where: str, say_hello: SayHello) -> None:
        """Nothing is known, and nothing sent yet; `where`: the server's address in messages."""
        self._where = where
        self._say_hello = say_hello
        self._dialect: Dialect = ANY_SERVER
        self._encodings: dict[ConstraintKind, Encoding] = {}
        self._unsupported: dict[ConstraintKind, ConstraintUnsupported] = {}
        self._ends_freely: bool | None = None  # whether the model ends an answer; None: not tried

    def use(self, dialect: Dialect) -> None:
        """Try the encodings of `dialect` from now on; what was learnt of others is forgotten."""
        self._dialect = dialect
        self._encodings.clear()
        self._unsupported.clear()

    def encodings(self, kinds: Iterable[ConstraintKind], deadline: Deadline) -> Encodings:
        """The encodings that the server understands, with those of `kinds` if there was time.

        Raises:
            ConstraintUnsupported: it understands none for one of the kinds.
            LLMError: the server does not answer.
        """
        for kind in sorted(kinds):
            if kind not in self._encodings and kind not in self._unsupported:
                self._probe(kind, deadline)
            if kind in self._unsupported:
                raise self._unsupported[kind].with_traceback(None)
        return self._encodings

    def kept(self, kind: ConstraintKind, deadline: Deadline) -> Kept:
        """Whether the server satisfies constraints of a kind."""
        try:
            if kind in self.encodings({kind}, deadline):
                return Kept.YES
        except EndsTooLate:
            return Kept.CANNOT_END_EARLY
        except ConstraintUnsupported:
            return Kept.NO
        except LLMError:
            pass
        return Kept.UNTRIED

    def _probe(self, kind: ConstraintKind, deadline: Deadline) -> None:
        """Find the encoding of a kind of constraint; nothing is learnt if the time is up."""
        probe = PROBES[kind]
        replies: list[str] = []
        for encoding in self._dialect[kind]:
            written, error = self._say_hello(deadline, probe, encoding)
            text = without_thoughts(written.text)
            if error is None and accepts(probe, text):
                late = kind in END_PROBES and self._ends_too_late(kind, encoding, deadline)
                if deadline.expired:
                    return
                if late:
                    self._unsupported[kind] = EndsTooLate(
                        f"{self._where} lets no answer end before its {kind} must end"
                    )
                else:
                    self._encodings[kind] = encoding
                return
            replies.append(str(error) if error else repr(text[:60]))
            if deadline.expired:
                return
        self._unsupported[kind] = ConstraintUnsupported(
            f"{self._where} does not keep to a {kind} constraint; asked for "
            f"{probe.text!r} it answered {' / '.join(replies)}"
        )

    def _ends_too_late(self, kind: ConstraintKind, encoding: Encoding, deadline: Deadline) -> bool:
        """Whether the model ends an answer by itself, and does not under a constraint that lets it
        end anywhere."""
        constrained, _ = self._say_hello(deadline, END_PROBES[kind], encoding)
        if constrained.reason != "length":
            return False
        if self._ends_freely is None:
            free, _ = self._say_hello(deadline)
            if free.reason is None:  # the time is up
                return False
            self._ends_freely = free.reason == "stop"
        return self._ends_freely
