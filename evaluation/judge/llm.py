"""A judge that asks a chat model: the three-way scheme of the CRAG paper (section 4.1)."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.judge.protocol import Item, Judgement, Verdict, failed
from evaluation.judge.settle import settle
from models.llm.errors import ServerUnavailable
from models.llm.protocol import LLM, Completion, Message, Prompt
from models.prompts import load_prompt
from utils.deadline import Deadline

_AT_A_TIME = 16  # items sent together
_MAX_TOKENS = 2048  # a verdict is a few words; the rest is room for thoughts
_LONGEST = 4000  # characters of each field that are sent
# The fields of a reply that hold the verdict: "verdict" here, "accuracy" in the checks of training
# labels. Where there is no JSON, they are found with quotes of Python, or none.
_FIELDS = ("verdict", "accuracy")
_VERDICT_FIELD = re.compile(
    r"\b(?:verdict|accuracy)\b[\"'*]*\s*[:=]\s*[\"'*]*\s*(\w+)\b(?!\s*[|/])", re.IGNORECASE
)
_CHANGED_MIND = re.compile(r"[\"'*]* ?(?:or\b|\?|/|\|)", re.IGNORECASE)  # "accurate or incorrect"
_DECODER = json.JSONDecoder(strict=False)
_BARE_WORD = re.compile(r"\W*(\w+)\W*")

_VERDICTS = {
    "accurate": Verdict.CORRECT,
    "correct": Verdict.CORRECT,
    "true": Verdict.CORRECT,
    "yes": Verdict.CORRECT,
    "incorrect": Verdict.WRONG,
    "inaccurate": Verdict.WRONG,
    "wrong": Verdict.WRONG,
    "false": Verdict.WRONG,
    "no": Verdict.WRONG,
    "hallucination": Verdict.WRONG,
    "missing": Verdict.MISSING,
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

    It is a bare word, or stands in the last JSON object that has the field "verdict" or "accuracy",
    as a word or true or false; where there is no such object, it is the last word after such a
    field's colon.

    >>> parse('{"verdict": "accurate", "reason": "verdict: incorrect would be too strict"}').value
    'correct'
    """
    bare_word = _BARE_WORD.fullmatch(reply)
    if bare_word is not None:
        return _VERDICTS.get(bare_word[1].lower())
    in_objects = list(_verdicts_in_objects(reply))
    if in_objects:
        return in_objects[-1]
    fields = [match for match in _VERDICT_FIELD.finditer(reply) if match[1].lower() in _VERDICTS]
    if not fields or _CHANGED_MIND.match(reply, fields[-1].end()):
        return None
    return _VERDICTS[fields[-1][1].lower()]


def _verdicts_in_objects(reply: str) -> Iterator[Verdict | None]:
    """The verdict of each JSON object of a reply that has the field; None if it is no verdict."""
    start = reply.find("{")
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            fields = {str(name).lower(): field for name, field in value.items()}
            for name in _FIELDS:
                if name in fields:
                    yield _VERDICTS.get(str(fields[name]).strip().lower())
        start = reply.find("{", end)


class LlmJudge:
    """Judges by an LLM, several items at a time.

    Items that need no model (missing, invalid question, exact match) are settled without a request.
    An item whose judging fails is UNSCORED and marked as failed; the others are still judged. When
    the server is unavailable, the rest of a batch fails at once.
    """

    def __init__(self, llm: LLM, name: str, *, seconds: float = 120.0) -> None:
        """`seconds` bounds the requests, with all their retries, of the items sent together."""
        self.name = name
        self._llm = llm
        self._seconds = seconds

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """The judgements, in the items' order."""
        judgements = [settle(item) for item in items]
        unsettled = [index for index, judgement in enumerate(judgements) if judgement is None]
        unavailable: Judgement | None = None
        for start in range(0, len(unsettled), _AT_A_TIME):
            indexes = unsettled[start : start + _AT_A_TIME]
            if unavailable is not None:
                for index in indexes:
                    judgements[index] = unavailable
                continue
            completions = self._ask([items[index] for index in indexes])
            for index, completion in zip(indexes, completions, strict=True):
                judgements[index] = self._judgement_of(completion)
            if all(isinstance(one.error, ServerUnavailable) for one in completions):
                unavailable = failed(f"not tried: {completions[0].error}")
        return [judgement for judgement in judgements if judgement is not None]

    def _ask(self, items: Sequence[Item]) -> list[Completion]:
        prompts = [Prompt(messages(item), max_tokens=_MAX_TOKENS) for item in items]
        return self._llm.generate(prompts, deadline=Deadline.after(self._seconds))

    def _judgement_of(self, completion: Completion) -> Judgement:
        if completion.error is not None:
            return failed(str(completion.error))
        if not completion.finished:
            return failed(f"no verdict within {self._seconds:g} seconds")
        verdict = parse(completion.text)
        if verdict is None:
            return failed(f"no verdict in the reply {completion.text[:120]!r}")
        return Judgement(verdict, f"{self.name} says so", rule=self.name, by_model=True)
