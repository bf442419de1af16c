"""The judge's prompt and the reading of its replies."""

import json
import re
from pathlib import Path

from evaluation.judge.protocol import Item, Verdict
from models.llm.protocol import Message
from models.prompts import load_prompt

_KEYS = ("verdict", "accuracy", "is_correct", "correct", "score", "grade")
_PAIR = re.compile(
    rf"[\"']?\b({'|'.join(_KEYS)})\b[\"']?\s*[:=]\s*[\"'*]*\s*(-?\w+)", re.IGNORECASE
)
_LONGEST = 4000  # characters of each field that are sent

_WORDS = {
    Verdict.CORRECT: ("accurate", "correct", "true", "yes", "1"),
    Verdict.WRONG: ("incorrect", "inaccurate", "wrong", "false", "no", "-1", "hallucination"),
    Verdict.MISSING: ("missing", "0"),
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

    It may be a JSON object amid other text and code fences, a string or a boolean ("True", true), a
    pair in single quotes, or a bare word. The last one counts.
    """
    for record in reversed(_objects(reply)):
        for key, value in record.items():
            verdict = _verdict(str(key), value)
            if verdict is not None:
                return verdict
    for key, value in reversed(_PAIR.findall(reply)):
        verdict = _verdict(key, value)
        if verdict is not None:
            return verdict
    bare = re.fullmatch(r"\W*(\w+)\W*", reply)
    return _verdict("verdict", bare.group(1)) if bare and not bare.group(1).isdigit() else None


def _objects(text: str) -> list[dict[str, object]]:
    """The JSON objects in `text` that are not inside another."""
    decoder, out, at = json.JSONDecoder(), [], text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            out.append(value)
        at = text.find("{", end)
    return out


def _verdict(key: str, value: object) -> Verdict | None:
    if key.lower() not in _KEYS:
        return None
    if isinstance(value, bool):
        return Verdict.CORRECT if value else Verdict.WRONG
    word = str(value).strip().lower()
    if key.lower() not in ("score", "grade") and word in ("0", "1", "-1"):
        return {"1": Verdict.CORRECT, "0": Verdict.WRONG, "-1": Verdict.WRONG}[word]
    return next((verdict for verdict, words in _WORDS.items() if word in words), None)
