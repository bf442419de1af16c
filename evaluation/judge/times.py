"""Answers that are a time of day, or the score of a game."""

import re

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import doubt_value
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import Text

_TIME = re.compile(
    r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?::\d\d)? ?(?P<half>[ap])\.?m\b\.?"
    r"|\b(?P<hour24>\d{1,2}):(?P<minute24>\d\d)(?::\d\d)?\b|\b(?P<word>noon|midnight)\b"
)
_ZONE = re.compile(r"\b(?:[ecmp][sd]?t|gmt|utc|eastern|pacific|central|local|time|at)\b|[()./]")
_ASKS_TIME = re.compile(r"\b(?:what time|when|at what|start|tip|kick|begin)")
_SCORE = re.compile(r"(?<![\d.,$/:-])(\d{1,3})\s?(?:-|:| to )\s?(\d{1,3})(?![\d.,/:-]*\d)")

_NAMED_ZONE = re.compile(
    r"\b(?:(?P<us>[ecmp])[sd]?t|(?P<american>eastern|central|mountain|pacific)|(?P<other>gmt|utc|bst"
    r"|cet|cest|ist|jst|aest))\b"
)
# Minutes of the day; whether the half of the day is known; the time zone, empty if none is named.
Minutes = tuple[int, bool, str]
Score = tuple[int, int]


def _minutes(match: re.Match[str], text: Text) -> Minutes:
    """The time of a match, in the first zone that the text names."""
    zone = _zone(text)
    if match["word"]:
        return (12 * 60 if match["word"] == "noon" else 0), True, zone
    if match["half"]:
        hour = int(match["hour"]) % 12 + (12 if match["half"] == "p" else 0)
        return 60 * hour + int(match["minute"] or 0), True, zone
    hour = int(match["hour24"])
    return 60 * hour + int(match["minute24"]), not 1 <= hour <= 12, zone


def _zone(text: Text) -> str:
    """The first time zone of a text, "e" for that of New York; empty if it names none."""
    named = _NAMED_ZONE.search(text.folded)
    if named is None:
        return ""
    return named["other"] or named["us"] or named["american"][0]


def read_time(gold: Text, question: JudgedQuestion) -> Minutes | None:
    """The time of a gold answer that is nothing else."""
    match = _TIME.search(gold.folded)
    if match is None or not _ASKS_TIME.search(question.text.folded):
        return None
    rest = gold.folded[: match.start()] + gold.folded[match.end() :]
    return None if _ZONE.sub("", rest).strip() else _minutes(match, gold)


def read_time_in_reply(reply: Text, question: JudgedQuestion, gold: Minutes) -> Minutes | Unread:
    """The one time in a reply."""
    matches = list(_TIME.finditer(reply.folded))
    times = {_minutes(match, reply) for match in matches}
    if len(times) != 1:
        return Unread("gives several times" if times else "gives no time")
    reason = doubt_value(matches[0].span(), question, reply)
    return Unread(reason) if reason else times.pop()


def same_time(gold: Minutes, reply: Minutes) -> bool:
    """Whether two times are the same; "7:30" may be either."""
    if gold[2] and reply[2] and gold[2] != reply[2]:
        return False
    if gold[1] and reply[1]:
        return gold[0] == reply[0]
    return gold[0] % 720 == reply[0] % 720


def other_time(gold: Minutes, reply: Minutes) -> bool:
    """Whether two times differ by more than a time zone could explain."""
    return (gold[0] - reply[0]) % 30 != 0


def read_score(gold: Text, question: JudgedQuestion) -> Score | None:
    """The score of a gold answer that is nothing else."""
    match = _SCORE.fullmatch(gold.folded.strip(" ."))
    return (int(match[1]), int(match[2])) if match else None


def read_score_in_reply(reply: Text, question: JudgedQuestion, gold: Score) -> Score | Unread:
    """The one score in a reply."""
    matches = list(_SCORE.finditer(reply.folded))
    scores = {(int(match[1]), int(match[2])) for match in matches}
    if len(scores) != 1:
        return Unread("gives several scores" if scores else "gives no score")
    reason = doubt_value(matches[0].span(), question, reply)
    return Unread(reason) if reason else scores.pop()


def same_score(gold: Score, reply: Score) -> bool:
    """Whether two scores are the same, in the same order."""
    return gold == reply


def other_score(gold: Score, reply: Score) -> bool:
    """Whether two scores differ in any order."""
    return sorted(gold) != sorted(reply)


TIME = AnswerType(
    "time",
    read_time,
    read_time_in_reply,
    same_time,
    other_time,
    close="may be the time in another zone",
)
SCORE = AnswerType(
    "score",
    read_score,
    read_score_in_reply,
    same_score,
    other_score,
    close="is in the other order",
)
