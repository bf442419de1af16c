"""What a server wrote for a prompt, as a completion."""

from collections.abc import Sequence
from dataclasses import replace

from models.llm.constraints import first_fault
from models.llm.errors import Broken, Empty, LLMError
from models.llm.protocol import Completion, Constraint, FinishReason, Prompt
from models.llm.replies import empty_error, without_thoughts
from models.llm.server import ServerCall, Written
from utils.tokens import estimate_tokens

_CUT_REASONS = frozenset(("content_filter", "error", "abort", "safety", "recitation"))
_SHOWN = 40  # characters on either side of a fault


def sample_of(
    call: ServerCall, written: Written, prompt: Prompt, error: LLMError | None
) -> Completion:
    """One sample of a call for `prompt`, cut at the prompt's stops.

    `error`: of the call; without one, the sample is checked for what servers do not report.
    """
    text = without_thoughts(_with_whole_characters(written.text))
    before_stop = _before_stop(text, prompt.stop)
    if before_stop != text:  # the server does not know `stop`, or not so many
        text = before_stop
        written = replace(written, reason="stop")
    reasoning_tokens = call.usage.reasoning if call.usage else 0
    error = error or _problem(prompt, written, text, reasoning_tokens)
    return Completion(
        text=text,
        finish_reason=_finish_reason(written, error),
        tokens=_written_tokens(call, written),
        logprobs=tuple(written.logprobs),
        error=error,
    )


def _before_stop(text: str, stops: Sequence[str]) -> str:
    """The text before the first of `stops`; all of it if it has none."""
    ends = [text.find(stop) for stop in stops]
    return text[: min((end for end in ends if end >= 0), default=len(text))]


def _with_whole_characters(text: str) -> str:
    """The text with the halves of a character joined, which may arrive in two events."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _finish_reason(written: Written, error: LLMError | None) -> FinishReason:
    if isinstance(error, Broken):
        return FinishReason.BROKEN
    if written.reason:
        return FinishReason.LENGTH if written.reason == "length" else FinishReason.STOP
    return FinishReason.DEADLINE if error is None else FinishReason.BROKEN


def _written_tokens(call: ServerCall, written: Written) -> int:
    """The tokens of a sample: the server's count, else the log-probabilities', else an estimate."""
    if call.usage is not None and call.usage.completion is not None:
        return call.usage.completion // len(call.samples)
    if written.logprobs:
        return len(written.logprobs)
    return estimate_tokens(written.text) if written.text else 0


def _problem(prompt: Prompt, written: Written, text: str, reasoning_tokens: int) -> LLMError | None:
    """The error of a completion that the server calls complete; `text`: without thoughts."""
    if written.reason in _CUT_REASONS:
        return Broken(f"the server ended it: {written.reason}")
    if written.reason and not text:
        if written.refusal:
            return Empty(f"the model refused: {written.refusal[:200]}")
        return empty_error(thoughts=bool(written.thoughts or written.text or reasoning_tokens))
    complete = written.reason not in (None, "length")
    if not complete or prompt.constraint is None:
        return None
    place = first_fault(prompt.constraint, text)
    return None if place is None else Broken(_fault(prompt.constraint, text, place))


def _fault(constraint: Constraint, text: str, place: int) -> str:
    """In words, where a text leaves its constraint."""
    before = text[max(0, place - _SHOWN) : place]
    after = text[place : place + _SHOWN]
    what = f"it ends too early, after {before!r}"
    if after:
        what = f"{after!r} at character {place + 1}"
        if before:
            what += f", after {before!r}"
    return f"an answer does not keep to its {constraint.kind}: {what}"
