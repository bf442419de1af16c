"""Answers that are one name or short phrase: where it stands in a reply, however it is spelled."""

import re
from collections.abc import Mapping, Sequence

from babel import Locale
from rapidfuzz.fuzz import partial_ratio

from evaluation.judge.doubts import doubt_name, first_cue
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.normalize import CharSpan, Text, tokenize
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.shortcuts import best_judgement
from utils.text import stem

_PAREN = re.compile(r"\([^()]*\)")
_ASKS_COUNTRY = re.compile(r"countr|nation|where|from|citizen|origin|born")
_LONG = 8  # words of a gold beyond which it is a sentence, not a name
_BETWEEN = 2  # middle names
_NEAR = 85  # percent of letters that two spellings of one name share


def find_name(name: Text, text: Text) -> list[CharSpan]:
    """The spans of tokens of `text` that spell `name`.

    Spaces and hyphens do not matter ("spider man"), a middle name may be added or left out.
    """
    firm_words = judge_lexicon().neutral.firm
    wanted = [word for word in name.words if word not in firm_words]
    if not wanted:
        wanted = list(name.words)
    return _spelled_in_tokens("".join(wanted), text) or _with_middle_name(wanted, text)


def _spelled_in_tokens(letters: str, text: Text) -> list[CharSpan]:
    """The spans of tokens that spell `letters` when they are joined without blanks."""
    spans: list[CharSpan] = []
    for index, first in enumerate(text.tokens):
        spelled = ""
        for token in text.tokens[index:]:
            spelled += token.text
            if len(spelled) >= len(letters):
                break
        if spelled == letters:
            spans.append((first.start, token.end))
    return spans


def _with_middle_name(wanted: Sequence[str], text: Text) -> list[CharSpan]:
    """`wanted` with at most two words between ("john quincy adams"), or its first and last only."""
    if not 2 <= len(wanted) <= 3:
        return []
    cues = judge_lexicon().cues.every
    spans: list[CharSpan] = []
    for index, first in enumerate(text.tokens):
        if first.text != wanted[0]:
            continue
        following = text.tokens[index + 1 : index + 2 + _BETWEEN]
        for last_index, last in enumerate(following, index + 1):
            if last.text != wanted[-1]:
                continue
            inside = text.tokens[index:last_index]
            if not any(token.stop or token.text in cues for token in inside):
                spans.append((first.start, last.end))
    return spans


def spellings(gold: str) -> list[Text]:
    """The ways a gold answer may be given: whole, or without its parentheses."""
    texts = [tokenize(gold), tokenize(_PAREN.sub(" ", gold))]
    return [text for text in texts if text.words]


def judge_code(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is the code of a language, a country or a result, else None."""
    names = _names_of_code(tokenize(gold).joined, question.text.folded)
    if not names:
        return None
    return best_judgement([_judge_short_name(name, question, reply) for name in names])


def _names_of_code(code: str, query: str) -> Sequence[str]:
    """What a code stands for, given what the question asks."""
    codes = judge_lexicon().codes
    if code in codes.result:
        return codes.result[code]
    if "language" in query:
        return _locale_names(Locale("en").languages.get(code), codes.language, code)
    if _ASKS_COUNTRY.search(query):
        return _locale_names(Locale("en").territories.get(code.upper()), codes.country, code)
    return ()


def _locale_names(
    name: str | None, further: Mapping[str, tuple[str, ...]], code: str
) -> Sequence[str]:
    """The `name` that babel has for a code, if any, and our further names for it."""
    names = list(further.get(code, ()))
    return [name.casefold(), *names] if name else names


def judge_name(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a name or a short phrase, else None."""
    text = tokenize(gold)
    if len(text.words) > _LONG:
        return None
    content = [token.text for token in text.tokens if not token.stop]
    # A sentence, even if short, takes up the question: "ada lunt founded the bank in 1901".
    if 2 <= sum(map(question.echoes, content)) < len(content):
        return None
    return _judge_short_name(gold, question, reply)


def _judge_short_name(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    """A verdict on a reply to a question whose answer is the name `gold`."""
    text = tokenize(gold)
    for spelling in spellings(gold):
        spans = find_name(spelling, reply)
        if not spans:
            continue
        stands_first = spans[0][0] <= reply.tokens[0].start
        if not stands_first and all(map(question.echoes, text.words)):
            return unscored("the answer stands in the question")
        reason = doubt_name(spans, question, reply)
        return unscored(reason) if reason else correct("gives the answer")
    return _judge_other_name(text, question, reply)


def _judge_other_name(gold: Text, question: JudgedQuestion, reply: Text) -> Judgement:
    """Wrong where the reply shares nothing with the gold; else it depends on what it shares."""
    core = [word for word in gold.words if not question.echoes(word)] or list(gold.words)
    if not any(stem(word) in reply.stems for word in core):
        if partial_ratio(gold.joined, reply.joined) >= _NEAR:
            return unscored("gives a name of nearly the same spelling")
        return wrong("gives another answer")
    cue = first_cue(reply.folded, question)
    if cue:
        return unscored(f'says "{cue}"')
    new = [word for word in reply.words if not question.echoes(word)]
    if new == list(tokenize(gold.folded.split(",")[0]).words):
        return correct("gives the answer without its qualifier")
    if question.who and new == core[-1:]:
        return correct("gives the surname")
    return unscored("shares a part of the answer")
