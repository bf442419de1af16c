"""Answers that are one name or short phrase: where it stands in a reply, however it is spelled."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from babel import Locale
from rapidfuzz.fuzz import partial_ratio

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import SENTENCE_END, Doubt, doubt_name, first_cue, sentence_at
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import CharSpan, Text, tokenize
from utils.text import stem

_PAREN = re.compile(r"\([^()]*\)")
_ASKS_COUNTRY_ITSELF = re.compile(r"\b(?:what|which) (?:country|nation)\b|\bnationality\b")
_ASKS_COUNTRY = re.compile(r"countr|nation|where|from|citizen|origin|born")
_TITLED = re.compile(r"\b(?:king|queen|pope|emperor|prince|princess|saint|sir|lord|stage|pen) ")
_RULER = re.compile(r"\b(?:king|queen|pope|emperor)\b")
_QUOTED = re.compile(r"\"([^\"]{2,80})\"")
_ASKS_WORK = re.compile(
    r"^(?!who|how|when|where).*\b(?:what|which|name)\b.{0,30}\b(?:movie|film|song|album|book|novel|show"
    r"|series|game|single|title|episode)s?\b"
)
# Kinds of things that have a proper name, and seldom a second one.
_ASKS_NAMED = re.compile(
    r"\b(?:movie|film|song|single|album|book|novel|show|series|game|title|episode|track|team|club"
    r"|compan(?:y|ies)|stock|ticker|airline|bank|brand|band|group|artist|label|studio|network"
    r"|publisher|university|college|school|city|town|state|county|river|lake|mountain|island"
    r"|stadium|airport|hotel|restaurant|street|park|capital|league|conference|country|countries|brother|sister"
    r"|father|mother|wife|husband|son|daughter|spouse|name|named|called)s?\b"
)
_BEFORE_CLAIM = re.compile(
    r"\b(?:is|was|are|were|by|named|called|titled|entitled|plays? for|played (?:for|at)"
    r"|represents)\b"
    r"[ :]*(?:(?:from|in|by|at) )?"
)
_AFTER_CLAIM = re.compile(r"\s+(?:is|was|are|were|has|have|had|holds?|won|wrote|with|\w{3,}ed)\b")
_SUBJECT = re.compile(r"[\w'.-]+(?: [\w'.-]+){0,3}? (?:is|was|are|were|has|had|won)\b")
_APPOSITION = re.compile(r", [^,]{1,60},(?= (?:is|was|are|were|has|had|plays?|played|won)\b)")
_VERB = re.compile(r"\b(?:is|was|are|were|has|have|had|won|\w{2,}ed)\b")
_CLAIM_END = re.compile(
    r",? (?:with|which|who|where|as of|(?:released |born |died )?in (?:19|20)\d\d)\b|;|\s-\s| \("
)
_LONGEST = 6  # words of a name, beside stop words
_MARKED = re.compile(r"\b[a-z]{1,3}(?:[+#*\u266d\u266f]+|-(?=$|\W))")
_BETWEEN = 2  # middle names
_LONGEST_BARE = 2  # words of a reply that is a name, whether it has capitals or not
_BEGINNING = 4  # letters
_SHORT = 4  # letters of a name that is in many words
_NEAR = 85  # percent of letters that two spellings of one name share
_LEAST_ECHOED = 0.6  # of the words of a sentence around its claim


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a gold answer gives it, or as a reply does.

    Attributes:
        spelled: as in the text.
        is_gold: the reply gives the gold's name.
        numbers: of the gold answer, which another number would contradict.
        stems: of the whole gold answer; a reply that has one may say the same.
    """

    spelled: str
    is_gold: bool
    numbers: tuple[str, ...] = ()
    stems: frozenset[str] = frozenset()


def find_name(name: Text, text: Text, *, is_person: bool = True) -> list[CharSpan]:
    """The spans of tokens of `text` that spell `name`.

    Spaces and hyphens do not matter ("spider man"), a person's middle name may be added or left
    out, and the two parts of a name may be given in the other order.
    """
    firm = judge_lexicon().firm
    wanted = [word for i, word in enumerate(name.words) if i == 0 or word not in firm]
    spans = _spelled_in_tokens("".join(name.words), text)
    spans = spans or _spelled_in_tokens("".join(wanted), text)
    if not spans and is_person:
        spans = _with_middle_name(wanted, text)
    if not spans and len(wanted) == 2:
        spans = _spelled_in_tokens("".join(reversed(wanted)), text)
    return spans


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
    spans: list[CharSpan] = []
    for index, first in enumerate(text.tokens):
        if first.text != wanted[0]:
            continue
        following = text.tokens[index + 1 : index + 2 + _BETWEEN]
        for last_index, last in enumerate(following, index + 1):
            if last.text != wanted[-1]:
                continue
            inside = text.tokens[index + 1 : last_index]
            cues = judge_lexicon().cues
            if any(token.stop or token.text in cues for token in inside):
                continue
            if _are_compatible(wanted[1:-1], [token.text for token in inside]):
                spans.append((first.start, last.end))
    return spans


def _are_compatible(middle: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two persons may be one by their middle names: one has none, or initials of them."""
    if not middle or not other:
        return True
    return len(middle) == len(other) and all(
        one.startswith(two) or two.startswith(one) for one, two in zip(middle, other, strict=True)
    )


def spellings(name: str, question: JudgedQuestion) -> list[Text]:
    """The ways a name may be given: whole, without parentheses, or as what a code stands for."""
    core = " ".join(word for word in tokenize(name).words if not question.echoes(word))
    words = [word for word in tokenize(name).words if word not in judge_lexicon().stop]
    initials = "".join(word[0] for word in words) if len(words) > 2 else ""
    codes = _names_of_code(tokenize(name).joined, question.text.folded)
    texts = [tokenize(text) for text in (name, _PAREN.sub(" ", name), core, initials, *codes)]
    return [text for text in texts if text.words]


def _names_of_code(code: str, query: str) -> Sequence[str]:
    """What a code of a language, a country or a result stands for, if the question asks for one."""
    codes = judge_lexicon().codes
    if code in codes["result"] and re.search(r"win|lose|won|lost|result|outcome|draw", query):
        return codes["result"][code]
    locale = Locale("en")
    if "language" in query:
        return (*codes["language"].get(code, ()), *filter(None, [locale.languages.get(code)]))
    if _ASKS_COUNTRY.search(query):
        name = locale.territories.get(code.upper())
        return (*codes["country"].get(code, ()), *filter(None, [name]))
    return ()


def claim(gold: Text, question: JudgedQuestion) -> str:
    """The part of a gold answer that answers; empty where a sentence does not show it.

    >>> from evaluation.judge.question import analyse
    >>> question = analyse("who founded the bank?")
    >>> claim(tokenize("the bank was founded by ada lunt in 1901."), question)
    'ada lunt'
    """
    folded = gold.folded.strip(" .")
    cut = _CLAIM_END.split(folded)[0]
    if not is_sentence(gold, question):
        return cut or folded
    if not is_sentence(tokenize(cut), question) and not _echoed(cut, question):
        return cut
    quoted = [title for title in _QUOTED.findall(folded) if not _is_echo(title, question)]
    if len(quoted) == 1 and _ASKS_WORK.search(question.text.folded):
        return str(quoted[0])
    sentence = _APPOSITION.sub("", SENTENCE_END.split(folded)[0])
    verb = _AFTER_CLAIM.search(sentence)
    if verb is not None:
        subject = sentence[: verb.start()].split(",")[0]
        if not _echoed(subject, question) and _echoed(sentence[verb.start() :], question):
            return subject
    for lead in _BEFORE_CLAIM.finditer(sentence):
        rest = sentence[lead.end() :]
        if _echoed(sentence[: lead.start()], question) and not _is_echo(rest, question):
            end = _CLAIM_END.search(rest)
            return rest[: end.start()] if end else rest
    return _only_news(tokenize(sentence), question)


def _only_news(sentence: Text, question: JudgedQuestion) -> str:
    """The words of a sentence that are new to the question, if they stand together."""
    places = [
        place for place, token in enumerate(sentence.tokens) if not question.echoes(token.text)
    ]
    if not places or places[-1] - places[0] >= len(places):
        return ""
    start = sentence.tokens[places[0]].start
    end = sentence.tokens[places[-1]].end
    return sentence.folded[start:end]


def is_sentence(text: Text, question: JudgedQuestion) -> bool:
    """Whether a gold takes up the question, or is too long for a name."""
    content = [token.text for token in text.tokens if not token.stop]
    echoed = sum(map(question.echoes, content))
    has_verb = _VERB.search(text.folded) is not None
    return has_verb and (echoed > 0 or len(content) > 3)


def _is_echo(text: str, question: JudgedQuestion) -> bool:
    """Whether a part of a sentence says nothing new."""
    return all(map(question.echoes, tokenize(text).words))


def _echoed(text: str, question: JudgedQuestion) -> bool:
    """Whether most words of a part of a sentence are the question's."""
    content = [token.text for token in tokenize(text).tokens if not token.stop]
    return bool(content) and sum(map(question.echoes, content)) >= _LEAST_ECHOED * len(content)


def read_gold(gold: Text, question: JudgedQuestion) -> Name | None:
    """The name that a gold answer is, or that its sentence gives."""
    name = claim(gold, question).strip(" \"'")
    content = [token for token in tokenize(name).tokens if not token.stop]
    if not name or len(content) > _LONGEST:
        return None
    if all(token.text[0].isdigit() for token in content) and (len(content) > 1 or question.counts):
        return None
    numbers = () if is_sentence(gold, question) else re.findall(r"\d+", gold.folded)
    stems = frozenset(stem(word) for word in gold.words if not question.echoes(word))
    return Name(name, is_gold=True, numbers=tuple(numbers), stems=stems)


def read_reply(reply: Text, question: JudgedQuestion, gold: Name) -> Name | Unread:
    """The name that a reply gives: the gold's, or another one that shares nothing with it."""
    if _marks_of(gold.spelled) - _marks_of(reply.folded):
        return Unread("has other signs")
    if _marks_of(reply.folded) - _marks_of(gold.spelled) and reply.short:
        return Unread("has other signs")
    stands_in_question = _is_echo(gold.spelled, question)
    for spelling in spellings(gold.spelled, question):
        spans = find_name(spelling, reply, is_person=question.who)
        if not spans:
            continue
        if stands_in_question and spans[0][0] > reply.tokens[0].start:
            return Unread("has an answer that stands in the question")
        compared = {word for word in reply.words if question.compares(word)}
        if len(compared) > 1 and set(spelling.words) <= compared:
            return Unread("gives both")
        informed = replace(question, known=gold.stems)
        reasons = [doubt_name(span, informed, reply) for span in spans]
        doubts = [reason for reason in reasons if reason is not None]
        if len(doubts) < len(spans):
            return _with_its_numbers(gold, reply)
        return Unread(doubts[0])
    return _other_name(gold, question, reply)


def _marks_of(folded: str) -> frozenset[str]:
    """The words of a text that end with a sign: "a+", "c++", "c#", "cl-"."""
    return frozenset(_MARKED.findall(folded))


def _with_its_numbers(gold: Name, reply: Text) -> Name | Unread:
    """The gold's name, unless the reply gives other numbers with it."""
    numbers = set(re.findall(r"\d+", reply.folded))
    if gold.numbers and numbers and not numbers & set(gold.numbers):
        return Unread("gives another number with it")
    return gold


def _other_name(gold: Name, question: JudgedQuestion, reply: Text) -> Name | Unread:
    """A name of the reply that is not the gold's, or the gold's in a short form."""
    name = tokenize(gold.spelled)
    core = [word for word in name.words if not question.echoes(word)] or list(name.words)
    shared = [word for word in core if stem(word) in reply.stems]
    if shared:
        if _is_short_form(name, core, shared, question, reply):
            return gold
        return Unread("shares a part of the answer")
    code = _names_of_code(name.joined, question.text.folded)
    if not (question.who or code or _ASKS_NAMED.search(question.text.folded)):
        return Unread("may say it in other words")
    reason = _may_be_the_same(gold, core, question, reply)
    if reason:
        return Unread(reason)
    if _ASKS_COUNTRY_ITSELF.search(question.text.folded) and not _are_countries(name, reply):
        return Unread("may name the country otherwise")
    names = [
        token.text for token in reply.tokens if token.capital and not question.echoes(token.text)
    ]
    is_bare = len(reply.tokens) <= _LONGEST_BARE
    is_subject = _SUBJECT.match(reply.folded) is not None
    if reply.tokens[0].text in names and not is_subject:
        names = names[1:]  # capitals begin a sentence
    if not names and not (is_bare and _is_bare_name(reply)):
        return Unread("gives no name")
    _, end = sentence_at(0, reply)
    if first_cue(reply.plain_words(0, end), question):
        return Unread("denies something")
    return Name(" ".join(names) or reply.joined, is_gold=False)


def _is_bare_name(reply: Text) -> bool:
    """Whether all words of a short reply may be parts of a name."""
    if any(token.stop for token in reply.tokens):
        return False
    return not reply.has_capitals or all(token.capital for token in reply.tokens)


def _is_short_form(
    name: Text, core: Sequence[str], shared: Sequence[str], question: JudgedQuestion, reply: Text
) -> bool:
    """Whether a reply gives a name without its qualifier, or only its last word, a surname."""
    if first_cue(reply.folded, question):
        return False
    new = [word for word in reply.words if not question.echoes(word)]
    if new == list(tokenize(name.folded.split(",")[0]).words):
        return True
    if not question.who or len(shared) != 1 or shared[0] != core[-1]:
        return False
    spans = find_name(tokenize(shared[0]), reply)
    return bool(spans) and not doubt_name(spans[0], question, reply)


def _may_be_the_same(
    gold: Name, core: Sequence[str], question: JudgedQuestion, reply: Text
) -> Doubt:
    """The reason why a reply may mean the gold's name by another."""
    name = tokenize(gold.spelled)
    if _has_other_letters(name.folded) != _has_other_letters(reply.folded):
        return "is in another script"
    if gold.stems & reply.stems:
        return "shares a word with the gold answer"
    if all(map(question.echoes, reply.words)):
        return "only repeats the question"
    if len(core) == 1 and core[0] in judge_lexicon().more.keys() | judge_lexicon().less.keys():
        return "may say the same of the other thing"
    if _have_one_beginning(core, reply.words):
        return "gives a word of the same beginning"
    if len(name.joined) > _SHORT and partial_ratio(name.joined, reply.joined) >= _NEAR:
        return "gives a name of nearly the same spelling"
    if question.explains and len(core) > (2 if question.who else 1):
        return "may say it in other words"
    texts = f"{question.text.folded} {name.folded} {reply.folded} "
    if (question.who or _RULER.search(question.text.folded)) and _TITLED.search(texts):
        return "may name the same person by a title"
    return None


@lru_cache(maxsize=1)
def _countries() -> frozenset[str]:
    """The English names of the countries of ISO 3166-1, as `Text.joined` has them."""
    names = Locale("en").territories
    return frozenset(tokenize(name).joined for code, name in names.items() if code.isalpha())


def _are_countries(gold: Text, reply: Text) -> bool:
    """Whether the gold answer is the name of a country, and a reply has one."""
    reply_words = f" {reply.joined} "
    has_name = any(f" {country} " in reply_words for country in _countries())
    return has_name and gold.joined in _countries()


def _has_other_letters(folded: str) -> bool:
    """Whether a text has letters that are not Latin."""
    return any(char.isalpha() and not char.isascii() for char in folded)


def _have_one_beginning(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two long words begin alike: "Belgian", "Belgium"."""
    beginnings = {word[:_BEGINNING] for word in words if len(word) > _BEGINNING}
    return any(other[:_BEGINNING] in beginnings for other in others if len(other) > _BEGINNING)


def equal(gold: Name, reply: Name) -> bool:
    """Whether the reply gives the gold's name."""
    return reply.is_gold


def contradicts(gold: Name, reply: Name) -> bool:
    """Whether the reply gives another name."""
    return not reply.is_gold


NAME = AnswerType("name", read_gold, read_reply, equal, contradicts)
