"""The judge's prompt and the reading of its replies."""

import json
import re
from pathlib import Path

from evaluation.judge.protocol import Item, Verdict
from models.llm.protocol import Message
from models.prompts import load_prompt

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
