"""Answers that are one name or short phrase: where it stands in a reply, however it is spelled."""

import re

from babel import Locale
from rapidfuzz.fuzz import partial_ratio

from evaluation.judge.doubts import cue, doubt
from evaluation.judge.normalize import Span, Text, read, table, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.shortcuts import best
from utils.text import stem

_PAREN = re.compile(r"\([^()]*\)")
_LONG = 8  # words of a gold beyond which it is a sentence, not a name
_BETWEEN = 2  # middle names
_NEAR = 85  # percent of letters that two spellings of one name share


def find(name: Text, text: Text) -> list[Span]:
    """The spans of tokens of `text` that spell `name`.

    Spaces and hyphens do not matter ("spider man"), a middle name may be added or left out.
    """
    wanted = tuple(word for word in name.words if word not in words("neutral", "firm"))
    wanted = wanted or name.words
    return _joined("".join(wanted), text) or _with_middle(wanted, text)


def _joined(wanted: str, text: Text) -> list[Span]:
    out: list[Span] = []
    for i, first in enumerate(text.tokens):
        spelled = ""
        for token in text.tokens[i:]:
            spelled += token.text
            if len(spelled) >= len(wanted):
                break
        if spelled == wanted:
            out.append((first.start, token.end))
    return out


def _with_middle(wanted: tuple[str, ...], text: Text) -> list[Span]:
    """`wanted` with at most two words between ("john quincy adams"), or its first and last only."""
    if not 2 <= len(wanted) <= 3:
        return []
    return [
        (first.start, last.end)
        for i, first in enumerate(text.tokens)
        for j, last in enumerate(text.tokens[i + 1 : i + 2 + _BETWEEN], i + 1)
        if (first.text, last.text) == (wanted[0], wanted[-1])
        if not any(token.stop or token.text in words("cues") for token in text.tokens[i:j])
    ]


def spellings(gold: str) -> list[Text]:
    """The ways a gold answer may be given: whole, or without its parentheses."""
    return [text for part in (gold, _PAREN.sub(" ", gold)) if (text := read(part)).words]


def judge_code(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is the code of a language, a country or a result, else None."""
    names = _expansions(read(gold).joined, question.text.folded)
    return best([_judge_short(name, question, reply) for name in names]) if names else None


def _expansions(code: str, query: str) -> tuple[str, ...]:
    """What a code stands for, given what the question asks."""
    codes = table()["codes"]
    if code in codes["result"]:
        return tuple(codes["result"][code])
    if "language" in query:
        name, more = Locale("en").languages.get(code), codes["language"]
    elif re.search(r"countr|nation|where|from|citizen|origin|born", query):
        name, more = Locale("en").territories.get(code.upper()), codes["country"]
    else:
        return ()
    return (*([name.casefold()] if name else ()), *more.get(code, ()))


def judge_name(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a name or a short phrase, else None."""
    text = read(gold)
    content = [token.text for token in text.tokens if not token.stop]
    # A sentence, even if short, takes up the question: "ada lunt founded the bank in 1901".
    if len(text.words) > _LONG or 2 <= sum(map(question.echoes, content)) < len(content):
        return None
    return _judge_short(gold, question, reply)


def _judge_short(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    text = read(gold)
    for spelling in spellings(gold):
        spans = find(spelling, reply)
        if spans and spans[0][0] > reply.tokens[0].start and all(map(question.echoes, text.words)):
            return unscored("the answer stands in the question")
        if spans:
            why = doubt(spans, question, reply)
            return unscored(why) if why else correct("gives the answer")
    return _not_found(text, question, reply)


def _not_found(gold: Text, question: JudgedQuestion, reply: Text) -> Judgement:
    """Wrong where the reply shares nothing with the gold; else it depends on what it shares."""
    core = [word for word in gold.words if not question.echoes(word)] or list(gold.words)
    if not any(stem(word) in reply.stems for word in core):
        if partial_ratio(gold.joined, reply.joined) >= _NEAR:
            return unscored("gives a name of nearly the same spelling")
        return wrong("gives another answer")
    if denial := cue(reply.folded, question):
        return unscored(f'says "{denial}"')
    new = [word for word in reply.words if not question.echoes(word)]
    if new == list(read(gold.folded.split(",")[0]).words):
        return correct("gives the answer without its qualifier")
    if question.who and new == core[-1:]:
        return correct("gives the surname")
    return unscored("shares a part of the answer")
