"""What stands around a name in a reply: another answer beside it, or a longer name."""

import re

from evaluation.judge.lexicon import words
from evaluation.judge.names import Span
from evaluation.judge.normalize import Text, Token, stem
from evaluation.judge.question import Question

_CLAUSE = frozenset(
    """he she it they his her their its which who was is are were has had have in on at for with by
    also won the this that as from to directed released starring played""".split()
)
_ONCE = re.compile(r"\b(?:formerly|previously|originally|used to be|once)$")
_ASKED_ONCE = re.compile(
    r"\b(?:formerly|former|previous|previously|originally|original|used to|once)\b"
)
_LONGER_BEFORE = frozenset(
    "north south east west northern southern eastern western new old upper lower".split()
)
_BEFORE_ANSWERS = ("by", "is", "was", "are", "were", "to")
_LONGER_AFTER = frozenset("part volume chapter season episode jr sr".split())


def beside(gold: Text, span: Span, question: Question, text: Text) -> str:
    """The other answer that "and" or "or" joins to the name at `span`, or ""."""
    return _joined_after(gold, span, question, text) or _joined_before(gold, span, question, text)


def _joined_after(gold: Text, span: Span, question: Question, text: Text) -> str:
    tokens, j = text.tokens, span[1]
    if j + 1 >= len(tokens) or tokens[j].text not in ("and", "or"):
        return ""
    word = tokens[j + 1].text
    if _goes_on(word, question) or word in gold.words or _verb_like(word):
        return ""
    if any(token.text in gold.words for token in tokens[j + 1 : j + 4]):
        return ""  # the same name in a longer form
    between = text.folded[tokens[j - 1].end : tokens[j + 1].start]
    return word if re.fullmatch(r"\W*(?:and|or|&)(?: (?:the|a|an))?\W*", between) else ""


def _joined_before(gold: Text, span: Span, question: Question, text: Text) -> str:
    tokens, i = text.tokens, span[0]
    if i < 2 or tokens[i - 1].text not in ("and", "or"):
        return ""
    word = tokens[i - 2].text
    if _goes_on(word, question) or word in gold.words or word.isdigit():
        return ""
    near = re.fullmatch(r",? ", text.folded[tokens[i - 2].end : tokens[i - 1].start])
    return word if tokens[i - 1].text == "or" or (near and i <= 8) else ""


def _goes_on(word: str, question: Question) -> bool:
    return word in _CLAUSE or question.echoes(word)


def _verb_like(word: str) -> bool:
    return word.endswith(("ed", "ing", "ly")) or word.isdigit()


def part_of_longer(gold: Text, span: Span, question: Question, text: Text) -> bool:
    """Whether the name at `span` is cut out of another: "west orrin", "grey tides 2"."""
    i, j = span
    before = text.tokens[i - 1].text if i else ""
    if before in _LONGER_BEFORE and before not in question.text.words and text.gap(i) == " ":
        return True
    if j >= len(text.tokens) or not re.fullmatch(r":? ", text.gap(j)):
        return False
    after = text.tokens[j].text
    small = after.isdigit() and len(after) <= 2 and not gold.words[-1].isdigit()
    return (small or after in _LONGER_AFTER) and after not in question.text.words


def another_subject(span: Span, gold: Text, question: Question, text: Text) -> bool:
    """Whether another is said to have done what the question asks.

    "bo marsh wrote it for ada lunt", "written by bo marsh, with music by ada lunt".
    """
    if question.plural or question.counts:
        return False
    tokens, i = text.tokens, span[0]
    start = next((k for k in range(i, 0, -1) if re.search(r"[.!?\n]", text.gap(k))), 0)
    if _reversed(tokens[start : i + 1], question):
        return True
    new = [not question.echoes(tokens[k].text) for k in range(start, i)]
    lead = new.index(False) if False in new else 0
    if lead >= 2 and all(tokens[k].text.isalpha() for k in range(start, start + lead)):
        verb = tokens[start + lead]
        return not verb.stop and (i == 0 or tokens[i - 1].text not in ("by", "is", "was"))
    for k in range(start, i - 1):
        near = (*gold.words, *words("neutral", "person", "kind"))
        if tokens[k].text == "by" and new[k + 1 - start] and tokens[k + 1].text not in near:
            passive = k > 1 and tokens[k - 2].text in ("is", "was", "are", "were")
            return passive or (
                k > 0 and not tokens[k - 1].stop and question.echoes(tokens[k - 1].text)
            )
    return False


def _reversed(tokens: tuple[Token, ...], question: Question) -> bool:
    """Whether the words before a name are the question's with its object in front.

    To "who beat ada?" the reply "ada beat bo" says the reverse; "ada was beaten by bo" does not.
    """
    if not question.who or len(tokens) < 3 or tokens[-2].text in _BEFORE_ANSWERS:
        return False
    order = [stem(word) for word in question.text.words]
    places = [
        order.index(stem(t.text)) for t in tokens[:-1] if stem(t.text) in order and not t.stop
    ]
    return len(places) >= 2 and places[0] > places[-1]


def outdated(span: Span, question: Question, text: Text) -> bool:
    """Whether the name at `span` is said to have been the answer once, which was not asked."""
    before = " ".join(token.text for token in text.tokens[max(0, span[0] - 3) : span[0]])
    return bool(_ONCE.search(before)) and not _ASKED_ONCE.search(question.text.joined)
