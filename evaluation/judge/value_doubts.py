"""Why a date or number that stands in a reply may yet not be its answer."""

import re

from evaluation.judge.clauses import clause, sentence
from evaluation.judge.doubts import cue
from evaluation.judge.lexicon import deeds, words
from evaluation.judge.names import Span
from evaluation.judge.normalize import STOP, Text, stem
from evaluation.judge.numbers import NUMBER_WORDS, Quantity
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_COUNTS = re.compile(r"\b(?:how many|number of) ([^?.,]+)")
_WORKS = tuple(
    frozenset(row.split())
    for row in ("film movie", "song single", "album", "book novel", "series show", "tour", "game")
)
_NOW = re.compile(r"\b(?:now|today|currently)\b")
_AGO = re.compile(r"\b(?:last (?:year|month|week)|years? ago|months? ago|yesterday)\b")
_PLURAL = re.compile(r"[^s]s$|people|children|men$|feet$")
_MEASURED = frozenset("high tall long deep wide old metre metres meter meters m feet ft km".split())
_LEAD = 4  # words before a value within which a bound stands
_COUNTED = frozenset(
    """times people persons total worldwide world usd dollars dollar points percent years year old
    million billion thousand feet foot miles square per each out members""".split()
)


def span_of(text: Text, start: int, end: int) -> Span:
    """The tokens of `text` between two offsets."""
    inside = [k for k, token in enumerate(text.tokens) if start <= token.start < end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def date_doubt(start: int, end: int, question: Question, reply: Reply, text: Text) -> str:
    """Why the date between two offsets of `text` may not answer, or ""."""
    span = span_of(text, start, end)
    if _bounded(span, question, text, "dates"):
        return "gives a bound"
    if _followed(span, question, text):
        return "may be no date"
    shared = _shared(span, question, text) or _other_work(span, question, text)
    if shared:
        return shared
    a, b = clause(text, span)
    new = [w for w in _own(text, (a, b), span, question) if not w.isdigit()]
    if new and not _names_subject(new, question, reply, text, span):
        return "says something else of that date"
    return ""


def number_doubt(
    wanted: Quantity, number: Quantity, question: Question, reply: Reply, text: Text
) -> str:
    """Why `number` of `text` may not answer with `wanted`, or ""."""
    span = span_of(text, number.start, number.end)
    if wanted.value == 0:
        return ""
    if _bounded(span, question, text, "numbers") and not wanted.approximate:
        return "gives a bound"
    if text.folded[number.end :].split()[:1] and _after(text, span) in words("bounds", "behind"):
        return "gives a difference"
    shared = _shared(span, question, text)
    if shared:
        return shared
    if _counts_else(span, question, text):
        return "counts something else"
    if wanted.kind == "percent" and not number.unit and _noun(_after(text, span), question):
        return "gives a count, not a share"
    new = [w for w in _own(text, clause(text, span), span, question) if w.isalpha()]
    if any(w not in reply.proper and w not in _COUNTED for w in new):
        return "says something else of that number"
    if _of_another(span, question, reply, text):
        return "may be of something else"
    return ""


def _other_work(span: Span, question: Question, text: Text) -> str:
    """Whether the clause is about a single where the question is about the album."""
    a, b = clause(text, span)
    asked, said = (
        {kind for kind, names in enumerate(_WORKS) if names & set(given)}
        for given in (question.text.words, [token.text for token in text.tokens[a:b]])
    )
    return "may be of another work" if asked and said and not asked & said else ""


def several(primary: Quantity, found: list[Quantity], question: Question, text: Text) -> bool:
    """Whether other numbers of its unit stand as `primary` does, in clauses of their own."""
    others = [q for q in found if q.value != primary.value and q.kind == primary.kind]
    a, b = clause(text, span_of(text, primary.start, primary.end))
    asked = any(_asks(token.text, question) for token in text.tokens[a:b])
    return bool(others) and (not asked or bool(_NOW.search(text.folded)))


def _after(text: Text, span: Span) -> str:
    """The word right after the value, or ""."""
    k = span[1]
    near = k < len(text.tokens) and text.gap(k).strip("% ") in ("", "-")
    return text.tokens[k].text if near else ""


def _noun(word: str, question: Question) -> bool:
    return word.isalpha() and word not in STOP and stem(word) not in question.text.stems


def _followed(span: Span, question: Question, text: Text) -> bool:
    """Whether a new word stands right after a date: "1874 members", "1874 bc"."""
    word = _after(text, span)
    alone = span[1] - span[0] == 1
    return word in words("bounds", "behind") or (
        alone
        and _noun(word, question)
        and word not in words("neutral")
        and word not in question.text.words
    )


def _bounded(span: Span, question: Question, text: Text, kind: str) -> bool:
    a = max(clause(text, span)[0], span[0] - _LEAD)
    lead = [text.tokens[k].text for k in range(a, span[0])]
    return any(w in words("bounds", kind) and w not in question.text.words for w in lead)


def _shared(span: Span, question: Question, text: Text) -> str:
    """What dates and numbers have in common: denial, another deed, a relative."""
    a, b = clause(text, span)
    folded = text.folded[text.tokens[a].start : text.tokens[b - 1].end]
    if _AGO.search(folded) and not _AGO.search(question.text.folded):
        return "says what it was"
    found = cue(folded, question)
    if found:
        return f"says {found!r} of it"
    measure = span[1] if _after(text, span) in _MEASURED else -1
    near = [*range(span[0] - 1, a - 1, -1), *range(span[1], b)]
    said = [text.tokens[k].text for k in near if k != measure]
    nearest = next((own for word in said if (own := deeds([word]))), frozenset[str]())
    if nearest and not nearest & deeds(question.text.words):
        return "says another deed of it"
    relatives = words("relations", "family", "work")
    if any(w in relatives and not question.echoes(w) for w in said):
        return "says it of a relative"
    return ""


def _own(text: Text, bounds: Span, span: Span, question: Question) -> list[str]:
    """The new words of a clause before the value; after it where the value comes first."""
    a, b = bounds
    before = [text.tokens[k].text for k in range(a, span[0])]
    after = [text.tokens[k].text for k in range(span[1], b)]
    said = before or (after if after[:1] and after[0] in ("is", "was", "had") else [])
    asked = deeds(question.text.words)
    neutral = words("neutral", "frame", "kind", "person")
    return [
        w for w in said if not question.echoes(w) and w not in neutral and not deeds([w]) & asked
    ]


def _names_subject(
    new: list[str], question: Question, reply: Reply, text: Text, span: Span
) -> bool:
    """Whether the new words are only further parts of a name that the question has in part."""
    if len(new) > 2 or not all(word in reply.proper for word in new):
        return False
    a, b = clause(text, span)
    said = {text.tokens[k].text for k in range(a, b)}
    return any(word in reply.proper and _asks(word, question) for word in said)


def _counts_else(span: Span, question: Question, text: Text) -> bool:
    """Whether a noun follows that is not what is counted: "12 ferries", "45% of men"."""
    following = text.tokens[span[1] : span[1] + 5]
    stop = len(following)
    for k, token in enumerate(following):
        if token.text in ("and", "but", "or") or token.text[0].isdigit():
            stop = k
            break
    near = [token.text for token in following[:stop]]
    if not near or text.gap(span[1]).strip("% ") not in ("", "-"):
        return False
    if near[0] == "of":
        near = near[1:]
        if any(token.text.isdigit() for token in following[1:4]):
            return True  # "450 of its 900 men"
        return (
            bool(near) and _fresh(near[0], question) and not any(_asks(w, question) for w in near)
        )
    if not question.counted or near[0] in NUMBER_WORDS:
        return False
    noun = [w for k, w in enumerate(near) if all(v not in STOP for v in near[: k + 1])]
    heads = _heads(question)
    return _fresh(near[0], question) and not any(stem(w) in heads for w in noun)


def _heads(question: Question) -> set[str]:
    """The stems of the noun that is counted and of what stands before it."""
    found = _COUNTS.search(question.text.folded)
    out: set[str] = set()
    for word in found[1].split() if found else ():
        out.add(stem(word))
        if _PLURAL.search(word):
            break
    return out


def _asks(word: str, question: Question) -> bool:
    """Whether `word` is a content word of the question."""
    return word not in STOP and stem(word) in question.text.stems


def _fresh(word: str, question: Question) -> bool:
    return not question.echoes(word) and word.isalpha() and word not in _COUNTED


def _of_another(span: Span, question: Question, reply: Reply, text: Text) -> bool:
    """Whether the sentence names a subject before the value, and by no word of the question."""
    a, _ = sentence(text, span)
    said = [text.tokens[k].text for k in range(a, span[0])]
    names = [w for w in said if w in reply.proper and w not in words("neutral", "frame", "kind")]
    new = [w for w in names if not question.echoes(w)]
    return bool(new) and not any(_asks(w, question) for w in names)
