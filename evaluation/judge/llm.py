"""A judge that asks a chat model: the three-way scheme of the CRAG paper (section 4.1)."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from evaluation.judge.protocol import Item, Judgement, Verdict, failed
from evaluation.judge.shortcuts import settle
from models.llm.errors import ServerUnavailable
from models.llm.protocol import LLM, Completion, Message, Prompt
from models.prompts import load_prompt
from utils.deadline import Deadline

_AT_A_TIME = 16  # items asked together
_MAX_TOKENS = 2048  # a verdict is a few words; the rest is room for thoughts
# What a reply is asked for, with quotes of JSON, of Python, or none: "verdict" here, "Accuracy" by
# the checks of training labels.
_PAIR = re.compile(r"\b(?:verdict|accuracy)\b[\"'*]*\s*[:=]\s*[\"'*]*\s*(\w+)", re.IGNORECASE)
_BARE = re.compile(r"\W*(\w+)\W*")
_LONGEST = 4000  # characters of each field that are sent

_VERDICTS = {
    word: verdict
    for verdict, words in (
        (Verdict.CORRECT, ("accurate", "correct", "true", "yes")),
        (Verdict.WRONG, ("incorrect", "inaccurate", "wrong", "false", "no", "hallucination")),
        (Verdict.MISSING, ("missing",)),
    )
    for word in words
}


def messages(item: Item) -> tuple[Message, ...]:
    """The chat that asks for a verdict on `item`. The item's texts are JSON strings, so that none
    can leave its quotes; the engine breaks up special tokens in them."""
    values = {
        "question": item.query[:_LONGEST],
        "references": [gold[:_LONGEST] for gold in item.golds],
        "candidate": item.prediction[:_LONGEST],
    }
    quoted = {name: json.dumps(value, ensure_ascii=False) for name, value in values.items()}
    return load_prompt("prompt", Path(__file__).parent).render(quoted)


def parse(reply: str) -> Verdict | None:
    """The verdict in a model's reply without its thoughts, or None where there is none.

    It may stand in a JSON object amid other text, after a colon, or be a bare word. The last one
    counts.
    """
    bare = _BARE.fullmatch(reply)
    said = [bare[1]] if bare else _PAIR.findall(reply)
    found = [_VERDICTS[word.lower()] for word in said if word.lower() in _VERDICTS]
    return found[-1] if found else None


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
