"""A judge that asks a chat model: the three-way scheme of the CRAG paper (section 4.1)."""

from collections.abc import Sequence

from evaluation.judge.prompting import messages, parse
from evaluation.judge.protocol import Item, Judgement, failed
from evaluation.judge.shortcuts import settle
from models.llm.errors import ServerUnavailable
from models.llm.protocol import LLM, Completion, Prompt
from utils.deadline import Deadline

_AT_A_TIME = 16  # items asked together
_MAX_TOKENS = 2048  # a verdict is a few words; the rest is room for thoughts


class LlmJudge:
    """Judges by an LLM, several items at a time.

    Items that need no model (missing, invalid question, exact match) are settled without a request.
    An item whose judging fails is UNSCORED and marked as failed; the others go on. When the server
    is gone, the rest of a batch fails at once.
    """

    def __init__(self, llm: LLM, name: str, *, seconds: float = 120.0) -> None:
        """`seconds` bounds the requests, with all their retries, of the items asked together."""
        self.name = name
        self._llm = llm
        self._seconds = seconds

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """The judgements, in the items' order."""
        settled = [settle(item) for item in items]
        asked = [place for place, judgement in enumerate(settled) if judgement is None]
        said: dict[int, Judgement] = {}
        for start in range(0, len(asked), _AT_A_TIME):
            places = asked[start : start + _AT_A_TIME]
            prompts = [Prompt(messages(items[p]), max_tokens=_MAX_TOKENS) for p in places]
            made = self._llm.generate(prompts, deadline=Deadline.after(self._seconds))
            said.update((p, self._read(one)) for p, one in zip(places, made, strict=True))
            if all(isinstance(one.error, ServerUnavailable) for one in made):
                rest = failed(f"not tried: {made[0].error}")
                said.update((place, rest) for place in asked[start + _AT_A_TIME :])
                break
        return [one or said[place] for place, one in enumerate(settled)]

    def _read(self, completion: Completion) -> Judgement:
        if completion.error is not None:
            return failed(str(completion.error))
        if not completion.finished:
            return failed(f"no verdict within {self._seconds:g} seconds")
        verdict = parse(completion.text)
        if verdict is None:
            return failed(f"no verdict in the reply {completion.text[:120]!r}")
        return Judgement(verdict, f"{self.name} says so")
