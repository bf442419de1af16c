"""The judge's prompt and the reading of its replies."""

import json
import re
from functools import cache
from pathlib import Path

from evaluation.judge.protocol import Item, Verdict

PROMPT = Path(__file__).with_name("prompt.txt")
PLACEHOLDERS = ("question", "references", "candidate")

_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_SPECIAL = re.compile(
    r"<(?=\|)|(?<=\|)>|<(?=/?s>)|\[(?=/?(?:INST|SYS)\])|<(?=/?(?:think|start_of|end_of))"
)
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
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


@cache
def _parts() -> tuple[str, str]:
    system, _, user = PROMPT.read_text(encoding="utf-8").partition("\n---\n")
    return system.strip(), user.strip()


def _fill(template: str, values: dict[str, str]) -> str:
    """`template` with its fields filled in one pass: a value cannot bring in another field."""

    def one(found: re.Match[str]) -> str:
        name = found.group(1)
        return values[name] if name else found.group()[0]

    return _FIELD.sub(one, template)


def _quoted(value: str | list[str]) -> str:
    """`value` as JSON, so that it cannot leave its quotes; chat tokens are taken apart."""
    plain = json.dumps(value, ensure_ascii=False)
    return _SPECIAL.sub(lambda found: found.group() + " ", plain)


def messages(item: Item) -> list[dict[str, str]]:
    """The chat messages that ask for a verdict on `item`: our words apart from its words."""
    system, user = _parts()
    values = {
        "question": _quoted(item.query[:_LONGEST]),
        "references": _quoted([gold[:_LONGEST] for gold in item.golds]),
        "candidate": _quoted(item.prediction[:_LONGEST]),
    }
    return [
        {"role": "system", "content": _fill(system, {})},
        {"role": "user", "content": _fill(user, values)},
    ]


def parse(reply: str) -> Verdict | None:
    """The verdict in a model's reply, or None where there is none to be read.

    Read are JSON objects amid chatter and code fences, strings and booleans ("True", true), pairs
    in single quotes, and a bare word. The last one counts.
    """
    text = _THINKING.sub(" ", reply)
    for record in reversed(_objects(text)):
        for key, value in record.items():
            verdict = _verdict(str(key), value)
            if verdict is not None:
                return verdict
    for key, value in reversed(_PAIR.findall(text)):
        verdict = _verdict(key, value)
        if verdict is not None:
            return verdict
    bare = re.fullmatch(r"\W*(\w+)\W*", text)
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
