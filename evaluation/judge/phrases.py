"""Answers that are one name or short phrase, or a code for one."""

import re

from evaluation.judge.context import another_subject, beside, outdated, part_of_longer
from evaluation.judge.doubts import doubt
from evaluation.judge.names import Span, expansions, find, nearly, negated, rivals, spellings
from evaluation.judge.normalize import Text, read, stem
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply
from evaluation.judge.topic import off_topic

_LONG = 8  # words of a gold beyond which it is a sentence, not a name
_OTHER_TONGUES = (("old",), ("middle",), ("ancient",))  # old english has a code of its own


def judge_code(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a code of one or two letters that stands for a word, else None."""
    code = read(gold).joined
    names = expansions(code, question.text.folded) if len(code) <= 2 else ()
    if not names:
        return None
    others = [name for name in rivals(code, question.text.folded) if _names(name, question, reply)]
    if any(_names(name, question, reply) for name in names) or reply.text.words == (code,):
        if not reply.short and off_topic(gold, question, reply):
            return unscored("about something else")
        return unscored("names another as well") if others else correct(f"{code!r} is {names[0]}")
    return wrong(f"{code!r} is {names[0]}") if others or reply.short else None


def _names(name: str, question: Question, reply: Reply) -> bool:
    text = read(name)
    in_question = not reply.short and bool(find(text, question.text))
    words = reply.text.words
    if all(token.stop for token in text.tokens):  # "us" is a pronoun too
        return bool(re.search(rf"\b{re.escape(name)}\b", reply.text.folded))
    return not in_question and any(
        not negated(span, reply.text) and words[span[0] - 1 : span[0]] not in _OTHER_TONGUES
        for span in find(text, reply.text)
    )


# -- a name -------------------------------------------------------------------------------------


def judge_name(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a name or a short phrase, else None."""
    text = read(gold)
    if len(text.words) > _LONG or not text.words:
        return None
    if _sentence_like(text, question):
        return None
    if all(token.stop for token in text.tokens):
        return _judge_stop_words(text, reply)
    for spelling in spellings(gold):
        spans = find(spelling, reply.text)
        if spans:
            return _found(spelling, spans, question, reply)
    return _not_found(text, question, reply)


def _sentence_like(gold: Text, question: Question) -> bool:
    """Whether a short gold takes up the question: "ada lunt founded the bank in 1901"."""
    content = [token.text for token in gold.tokens if not token.stop]
    echoed = sum(map(question.echoes, content))
    return len(gold.tokens) >= 5 and 2 <= echoed < len(content) and 5 * echoed >= 2 * len(content)


def _judge_stop_words(gold: Text, reply: Reply) -> Judgement:
    """A verdict on titles such as "her": they count only alone or in quotes."""
    alone = reply.outer.words == gold.words
    quoted = any(
        read(part).words == gold.words
        for part in re.findall(r"[\"']([^\"']+?)[.,]?[\"']", reply.text.folded)
    )
    if alone or quoted:
        return correct("gives the title")
    if gold.joined in ("none", "no", "never") and reply.short:
        return wrong("names something where there is nothing")
    return (
        unscored("the gold is made of common words")
        if (set(gold.words) & set(reply.text.words))
        else wrong("gives something else")
    )


def _found(gold: Text, spans: list[Span], question: Question, reply: Reply) -> Judgement:
    text = reply.text
    denied = [span for span in spans if negated(span, text)]
    if len(denied) == len(spans):
        return wrong("denies the answer")
    if denied:
        return unscored("both gives and denies the answer")
    if all(map(question.echoes, gold.words)) and find(gold, question.text):
        whole = all(token.stop or token.text in gold.words for token in text.tokens)
        return (
            correct("repeats the thing asked about")
            if whole and reply.short
            else unscored("the answer stands in the question")
        )
    if len(reply.items) >= 2:
        return _among_items(gold, question, reply)
    if all(part_of_longer(gold, span, question, text) for span in spans):
        return unscored("the answer is a part of a longer name")
    other = beside(gold, spans[0], question, text)
    if other:
        return wrong(f"gives {other!r} beside the answer")
    if all(outdated(span, question, text) for span in spans):
        return unscored("says that it was so once")
    if all(another_subject(span, gold, question, text) for span in spans):
        return unscored("says it of another")
    if not question.who and all(_filled(gold, span, text) for span in spans):
        return unscored("gives a longer title")
    why = doubt(spans, question, reply)
    return unscored(why) if why else correct("gives the answer")


def _filled(gold: Text, span: Span, text: Text) -> bool:
    """Whether words stand between those of the name: a middle name, or another title."""
    inside = [token.text for token in text.tokens[span[0] : span[1]]]
    return len(inside) > len(gold.words) and "".join(inside) != "".join(gold.words)


def _among_items(gold: Text, question: Question, reply: Reply) -> Judgement:
    lead = read(reply.text.folded.split(" ; ")[0])
    if find(gold, lead):
        return correct("gives the answer")
    return wrong("gives the answer as one of a list")


def _not_found(gold: Text, question: Question, reply: Reply) -> Judgement:
    """Wrong where the reply shares nothing with the gold; else it depends on what it shares."""
    core = [word for word in gold.words if not question.echoes(word)] or [
        token.text for token in gold.tokens if not token.stop
    ]
    said = set(reply.text.words)
    stems = reply.text.stems
    loose = len(core) > 3
    shared = [word for word in core if word in said or (loose and stem(word) in stems)]
    new = [word for word in reply.text.words if not question.echoes(word)]
    if not new:
        return (
            unscored("says nothing beyond the question")
            if not reply.short
            else wrong("says nothing beyond the question")
        )
    if len(shared) == len(core) and len(core) < len(gold.words):
        rest = read(" ".join(core))
        spans = find(rest, reply.text) if "," not in gold.folded else []
        why = doubt(spans, question, reply) if spans else "gives the words apart"
        return unscored(why) if why else correct("gives what the question leaves open")
    if nearly(gold, reply.text):
        return unscored("gives a name of nearly the same spelling")
    if not shared:
        if len(core) > 5 and not reply.short:
            return unscored("shares no word with a longer gold")
        return wrong("gives another answer")
    return _shares(gold, core, shared, new, question, reply)


def _shares(
    gold: Text,
    core: list[str],
    shared: list[str],
    new: list[str],
    question: Question,
    reply: Reply,
) -> Judgement:
    """A verdict where only a part of the gold's words stand in the reply."""
    if _content(gold) == _content(reply.text):
        if _parts(gold) == _parts(reply.text) or _inverted(gold, reply.text):
            return correct("gives the same words in another order")
        return unscored("gives the same words in another order")
    inside = [word for word in new if word in core]
    if len(inside) == len(new):  # the reply is a part of the gold
        first = read(gold.folded.split(",")[0])
        if "," in gold.folded and list(first.words) == new:
            return correct("gives the answer without its qualifier")
        if question.who and len(core) in (2, 3) and shared == [core[-1]] and core[-1].isalpha():
            return correct("gives the surname")
        return unscored("gives a part of the answer")
    if question.who and len(core) in (2, 3) and len(shared) == 1 and reply.short:
        return wrong("shares only a part of a name")
    if len(shared) <= 0.34 * len(core) and len(core) >= 3 and reply.short:
        return wrong("shares too little with the answer")
    return unscored("shares a part of the answer")


def _parts(text: Text) -> set[tuple[str, ...]]:
    """What marks and "and" part in `text`: the members of a short list."""
    return {read(part).words for part in re.split(r",|;|/|\band\b|&", text.folded)} - {()}


def _inverted(gold: Text, said: Text) -> bool:
    """Whether one is the other with the surname in front: "lunt, ada"."""
    return any(
        read(" ".join(reversed(one.folded.split(",")))).words == other.words
        for one, other in ((gold, said), (said, gold))
        if one.folded.count(",") == 1
    )


def _content(text: Text) -> set[str]:
    return {token.text for token in text.tokens if not token.stop}
