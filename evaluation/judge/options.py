"""Answers that choose one of two things that the question names: "who is older, ada or bo?"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, pairwise

from rapidfuzz.fuzz import ratio

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import SENTENCE_END, opposite_comparison
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import DENIES, Text, tokenize
from models.english.dates import dates
from models.english.quantities import quantities

_OPTIONS = re.compile(
    r"(?:^|[,:?;]|\b(?:between|of)\b)\s*([^,:?;]{1,60}?),? or "
    r"(?!(?:more|less|fewer|higher|lower|above|later|earlier|so|not)\b)([^,:?;]{1,60})"
)
_BETWEEN = re.compile(r"\bbetween ([^,:?;]{1,60}?) and ([^,:?;]{1,60})")
_AMOUNT = re.compile(
    r"\b(?:more|less|fewer|later|earlier) than (?:\d|one\b|two\b|three\b|ten\b|a )"
    r"|\bat (?:most|least)\b"
)
_COMPARED = re.compile(
    r"\b(?:than|ahead of|behind|over|to|with|versus|vs\.?) (?:the )?[\w' -]{0,15}$"
)
_COMPARATIVE = re.compile(r"\b(?:is|are|was|were|has|have|had) (?:the |an? )?(\w{3,}(?:er|est))\b")
_OPENING = re.compile(r"(?:before|after|first|last|earlier|later)\b")
_PART_END = re.compile(r"; |, (?:so|and|while|whereas) | while ")
_BEFORE_OPTION = re.compile(r"^.*?\b(?:did|does|do|is|was|are|were|has|have|had)\b")
_BEHIND_OPTION = re.compile(
    r"\b(?:have|has|had|is|was|are|were|do|does|did|come|came|win|won|score|scored)\b"
)
_LONGEST_AT_START = 3  # words of an option without a mark before it
_AXES_OF_NUMBERS = ("amount", "length", "age")  # more is a larger number
_FEW = 6  # words of a reply that names one option only
_NEAR = 85  # percent of letters that two spellings of one name share


@dataclass(frozen=True, slots=True)
class Choice:
    """The option that a text chooses, 0 or 1, and the numbers that it gives, by their units."""

    option: int
    numbers: Mapping[str, frozenset[str]] = field(default_factory=dict)


def _options(question: JudgedQuestion) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words that tell the two options of a question apart; None if it names none."""
    folded = question.text.folded
    matches = list(_OPTIONS.finditer(folded)) or list(_BETWEEN.finditer(folded))
    if len(matches) != 1 or folded.count(" or ") > 1:
        return None
    behind = folded[matches[0].end() :]
    if behind.startswith(",") and not re.match(r",? (?:has|had|is|was|did|does|will)\b", behind):
        return None  # a comma within the option
    if ", or " in matches[0].group() and re.search("[,:]", folded[: matches[0].start()]):
        return None  # three or more
    option, other = matches[0].groups()
    if matches[0].start() == 0 and folded[0].isalpha():
        option = _BEFORE_OPTION.sub("", option)
        if len(option.split()) > _LONGEST_AT_START:
            return None  # it begins somewhere in the sentence
    first = _words_of_option(option)
    second = _words_of_option(_BEHIND_OPTION.split(other)[0])
    if not first - second or not second - first:
        return None
    return first - second, second - first


def _words_of_option(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokenize(text).tokens if not token.stop)


def comparison(
    text: Text, axis: str = "", names: frozenset[str] = frozenset()
) -> tuple[str, int] | None:
    """The axis on which a text compares, and 1 for more of it, -1 for less; None if unclear.

    With `axis`, only on that one, which may be a comparative of the question, such as "riskier".
    Words of `names` compare nothing: "The Greatest Showman".
    """
    comparisons = set()
    lexicon = judge_lexicon()
    for word in re.findall(r"[a-z]+", _AMOUNT.sub(" ", text.folded)):
        if word in names:
            continue
        for sign, table in ((1, lexicon.more), (-1, lexicon.less)):
            if word in table and axis in ("", table[word]):
                comparisons.add((table[word], sign))
        if word == axis:
            comparisons.add((axis, 1))
    return comparisons.pop() if len(comparisons) == 1 else None


def compares(text: Text, question: JudgedQuestion) -> bool | None:
    """Whether a text compares the two things of a question with "than" as the question does; None
    where it does not show."""
    wanted = comparison(question.text)
    stated = comparison(text)
    first, than, second = question.text.folded.partition(" than ")
    if wanted is None or stated is None or wanted[0] != stated[0] or not than:
        return None
    if DENIES.search(text.folded):
        return None
    first_words = tokenize(first).words
    second_words = tokenize(second).words
    for token in text.tokens:
        if token.stop or (token.text in first_words) == (token.text in second_words):
            continue
        return (token.text in first_words) == (wanted == stated)
    return None


def _choice(text: Text, question: JudgedQuestion) -> Choice | None:
    """The option that every sentence of a text with a comparison, or its only option, chooses."""
    options = _options(question)
    if options is None or set(re.findall(r"[a-z']+", text.folded)) & judge_lexicon().negative:
        return None
    comparative = _COMPARATIVE.search(question.text.folded)
    names = options[0] | options[1]
    wanted = comparison(question.text, names=names) or (
        (comparative[1], 1) if comparative else None
    )
    axis = wanted[0] if wanted else "none"
    sentences = [tokenize(part) for part in SENTENCE_END.split(text.folded)]
    lines = chain.from_iterable(_PART_END.split(sentence.folded) for sentence in sentences)
    parts = [tokenize(line) for line in lines]
    compared = [part for part in parts if comparison(part, axis, names)]
    choices = (_choice_of(sentence, options, wanted) for sentence in compared or sentences)
    chosen = {choice for choice in choices if choice is not None}
    return Choice(chosen.pop()) if len(chosen) == 1 else None


def _choice_of(
    sentence: Text,
    options: tuple[frozenset[str], frozenset[str]],
    wanted: tuple[str, int] | None,
) -> int | None:
    """The option that a sentence chooses; None if it does not show one."""
    mentioned = _mentioned(sentence, options)
    if not mentioned:
        return None
    axis = wanted[0] if wanted else "none"
    compared = comparison(sentence, axis, options[0] | options[1])
    if compared is not None and _OPENING.match(sentence.folded):
        return None  # "before the end of the year, ..."
    if compared is not None:
        return mentioned[0] if compared == wanted else 1 - mentioned[0]
    if len(mentioned) == 1:
        return mentioned[0]
    larger = _larger(sentence, options)
    if larger is None or wanted is None or wanted[0] not in _AXES_OF_NUMBERS:
        return None
    return larger if wanted[1] == 1 else 1 - larger


def _mentioned(text: Text, options: tuple[frozenset[str], frozenset[str]]) -> list[int]:
    """The options that a text mentions, in the order of their first mention.

    One that stands only behind "than" or "ahead of" comes after the other.
    """
    order: list[int] = []
    for token in text.tokens:
        for option, words in enumerate(options):
            if option in order or not any(_is_same(token.text, word) for word in words):
                continue
            if not order and _COMPARED.search(text.folded[: token.start]):
                order.append(1 - option)
            order.append(option)
    return order


def _is_same(word: str, other: str) -> bool:
    """Whether two words are the same but for a slip of spelling."""
    return word == other or (min(len(word), len(other)) > 4 and ratio(word, other) >= _NEAR)


def _larger(sentence: Text, options: tuple[frozenset[str], frozenset[str]]) -> int | None:
    """The option with the larger of the two numbers of a sentence; None if there are others."""
    days = dates(sentence.folded)
    numbers = [
        quantity
        for quantity in quantities(sentence.folded)
        if not any(date.start <= quantity.start < date.end for date in days)
    ]
    if len(numbers) != 2 or len({number.kind for number in numbers} - {None}) > 1:
        return None
    if numbers[0].value == numbers[1].value:
        return None
    order = _mentioned(sentence, options)
    return order[0] if numbers[0].value > numbers[1].value else order[1]


def read_gold(gold: Text, question: JudgedQuestion) -> Choice | None:
    """The option that a gold answer chooses."""
    choice = None if DENIES.search(question.text.folded) else _choice(gold, question)
    return choice and Choice(choice.option, _numbers(gold))


def _numbers(text: Text) -> dict[str, frozenset[str]]:
    """The numbers of a text by the word behind each."""
    numbers: dict[str, frozenset[str]] = {}
    for word, behind in pairwise(text.words):
        if word[0].isdigit() and behind.isalpha():
            numbers[behind] = numbers.get(behind, frozenset()) | {word}
    return numbers


def read_reply(reply: Text, question: JudgedQuestion, gold: Choice) -> Choice | Unread:
    """The option that a reply chooses."""
    topics = judge_lexicon().topics
    deeds = {topics[word] for word in reply.words if word in topics}
    if question.topics and deeds and not deeds & question.topics:
        return Unread("is about another deed")
    if "less" in reply.words and "less" not in question.text.words:
        return Unread("says 'less'")
    numbers = _numbers(reply)
    if any(not gold.numbers[unit] & numbers[unit] for unit in gold.numbers.keys() & numbers.keys()):
        return Unread("gives another number with it")
    opposite = opposite_comparison(reply.tokens, question)
    if opposite and compares(reply, question) is None and len(reply.tokens) <= _FEW:
        return Unread(opposite)
    return _choice(reply, question) or Unread("chooses neither")


def equal(gold: Choice, reply: Choice) -> bool:
    """Whether both choose the same."""
    return gold.option == reply.option


def contradicts(gold: Choice, reply: Choice) -> bool:
    """Whether one chooses the other option."""
    return gold.option != reply.option


OPTION = AnswerType("choice", read_gold, read_reply, equal, contradicts)
