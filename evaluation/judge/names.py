"""Answers that are one name or short phrase: where it stands in a reply, however it is spelled."""

import re
from functools import cache

from babel import Locale
from rapidfuzz.distance import OSA

from evaluation.judge.doubts import doubt
from evaluation.judge.normalize import Span, Text, Token, read, table, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply
from evaluation.judge.shortcuts import best
from utils.text import stem

_PAREN = re.compile(r"\(([^()]*)\)")
_LONG = 8  # words of a gold beyond which it is a sentence, not a name
_NEARLY = 4  # letters of a word from which on two slips may be the same word
_NEGATIONS = frozenset("not never neither nor except excluding besides unlike without".split())
_AUXILIARY = frozenset("is was are were did does do has have had could would will can".split())


# -- where a name stands ------------------------------------------------------------------------


def find(name: Text, text: Text) -> list[Span]:
    """The spans of tokens of `text` that spell `name`.

    Spaces and hyphens do not matter ("spider man"), a middle name may be added or left out.
    """
    wanted = tuple(word for word in name.words if word not in words("neutral", "firm"))
    wanted = wanted or name.words
    found = _joined(wanted, text.tokens)
    if found or "," in name.folded:  # what has a comma is no person's name
        return found
    return _with_middle(wanted, text.tokens)


def _joined(wanted: tuple[str, ...], tokens: tuple[Token, ...]) -> list[Span]:
    whole = "".join(wanted)
    out: list[Span] = []
    for i in range(len(tokens)):
        spelled, j = "", i
        while j < len(tokens) and len(spelled) < len(whole) and whole.startswith(spelled):
            spelled += tokens[j].text
            j += 1
        # "19 3" does not spell 193.
        if spelled == whole and (not whole.isdigit() or j - i == len(wanted)):
            out.append((i, j))
    return out


def _with_middle(wanted: tuple[str, ...], tokens: tuple[Token, ...]) -> list[Span]:
    """`wanted` with at most two words between ("john quincy adams"), or its first and last only."""
    if not 2 <= len(wanted) <= 4 or any(word in words("stop") for word in wanted):
        return []
    out: list[Span] = []
    for i, token in enumerate(tokens):
        if token.text != wanted[0]:
            continue
        end = min(len(tokens), i + len(wanted) + 2)
        end = next((k for k in range(i + 1, end) if _separate(tokens, k)), end)
        after = [t.text for t in tokens[i:end]]
        if after[1:2] == [wanted[-1]]:
            out.append((i, i + 2))
        elif wanted[-1] in after and _in_order(wanted, after):
            out.append((i, i + after.index(wanted[-1]) + 1))
    return out


def _separate(tokens: tuple[Token, ...], k: int) -> bool:
    """Whether token `k` cannot be in one name with the token before it."""
    return tokens[k].stop or tokens[k].text.isdigit() or tokens[k].start - tokens[k - 1].end > 2


def _in_order(wanted: tuple[str, ...], said: list[str]) -> bool:
    rest = iter(said)
    return all(word in rest for word in wanted)


def _nearly(name: Text, text: Text) -> bool:
    """Whether `text` has `name` but for a few letters of one word: the same name or another."""
    size = len(name.words)
    for i in range(len(text.words) - size + 1):
        pairs = zip(name.words, text.words[i : i + size], strict=True)
        slips = [(a, b) for a, b in pairs if a != b]
        if len(slips) == 1 and min(map(len, slips[0])) >= _NEARLY and OSA.distance(*slips[0]) <= 2:
            return True
    return False


def negated(span: Span, text: Text) -> bool:
    """Whether the name at `span` is denied: "not paris", "paris is not the capital"."""
    i, j = span
    for k in range(i - 1, max(-1, i - 4), -1):
        word = text.tokens[k].text
        if word == "only" or re.search(r"[.,;:!?\n]|\bbut\b", text.gap(k + 1)):
            break
        if word in _NEGATIONS or word.endswith("n't") or (word == "no" and k == i - 1):
            return True
    after = [token.text for token in text.tokens[j : j + 4]]
    if not after or re.search(r"[.;!?\n]", text.gap(j)) or "only" in after:
        return False
    denied = after[0].endswith("n't") or after[0] == "cannot"
    return denied or (after[1:2] == ["not"] and after[0] in _AUXILIARY)


def spellings(gold: str) -> list[Text]:
    """The ways a gold answer may be given: whole, without or within its parentheses."""
    inner = [part for part in _PAREN.findall(gold) if len(read(part).words) >= 2]
    out = [read(part) for part in (gold, _PAREN.sub(" ", gold), *inner)]
    return list({text.words: text for text in out if text.words}.values())


# -- the verdict --------------------------------------------------------------------------------


def judge_code(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a code of one or two letters that stands for a word, else None."""
    code = read(gold).joined
    names = _expansions(code, question.text.folded) if len(code) <= 2 else ()
    if not names:
        return None
    # "us" is a pronoun too: with a capital or alone it is a code.
    spans = [(k, k + 1) for k, word in enumerate(reply.text.words) if word == code]
    if spans and (code in reply.proper or len(reply.text.words) == 1):
        why = doubt(spans, question, reply)
        return unscored(why) if why else correct("gives the code")
    said = [_judge_short(name, question, reply) for name in names]
    return best(said)


@cache
def _expansions(code: str, query: str) -> tuple[str, ...]:
    """What a code of one or two letters stands for, given what the question asks."""
    codes, english = table()["codes"], Locale("en")
    if code in codes["result"]:
        return tuple(codes["result"][code])
    if "language" in query:
        names, more = english.languages.get(code), codes["language"]
    elif re.search(r"countr|nation|where|from|citizen|origin|born", query):
        names, more = english.territories.get(code.upper()), codes["country"]
    else:
        return ()
    return (*([names.casefold()] if names else ()), *more.get(code, ()))


def judge_name(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a name or a short phrase, else None."""
    text = read(gold)
    if not text.words or len(text.words) > _LONG or _sentence_like(text, question):
        return None
    return _judge_short(gold, question, reply)


def _judge_short(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement:
    text = read(gold)
    if all(token.stop for token in text.tokens):  # a title such as "her"
        quoted = map(read, re.findall(r"[\"']([^\"']+?)[.,]?[\"']", reply.text.folded))
        if text.words in (reply.outer.words, *(part.words for part in quoted)):
            return correct("gives the title")
        if set(text.words) & set(reply.text.words):
            return unscored("the gold is made of common words")
        return wrong("gives something else")
    for spelling in spellings(gold):
        spans = find(spelling, reply.text)
        if spans:
            return _found(spelling, spans, question, reply)
    return _not_found(text, question, reply)


def _sentence_like(gold: Text, question: JudgedQuestion) -> bool:
    """Whether a short gold takes up the question: "ada lunt founded the bank in 1901"."""
    content = [token.text for token in gold.tokens if not token.stop]
    echoed = sum(map(question.echoes, content))
    return len(gold.tokens) >= 5 and 2 <= echoed < len(content) and 5 * echoed >= 2 * len(content)


def _found(gold: Text, spans: list[Span], question: JudgedQuestion, reply: Reply) -> Judgement:
    text = reply.text
    denied = [span for span in spans if negated(span, text)]
    if denied:
        all_denied = len(denied) == len(spans)
        return wrong("denies the answer") if all_denied else unscored("gives and denies the answer")
    if all(map(question.echoes, gold.words)) and find(gold, question.text):
        if reply.short and all(token.stop or token.text in gold.words for token in text.tokens):
            return correct("repeats the thing asked about")
        return unscored("the answer stands in the question")
    if len(reply.items) >= 2:
        if find(gold, read(text.folded.split(" ; ")[0])):
            return correct("gives the answer")
        return wrong("gives the answer as one of a list")
    other = _joined_with(gold, spans[0], question, text)
    if other:
        return wrong(f"gives {other!r} beside the answer")
    full = len([word for word in gold.words if word not in words("neutral", "firm")])
    if not question.who and all(0 < j - i < full for i, j in spans) and full > 2:
        return unscored("leaves out a word")
    why = doubt(spans, question, reply)
    return unscored(why) if why else correct("gives the answer")


def _joined_with(gold: Text, span: Span, question: JudgedQuestion, text: Text) -> str:
    """The other answer that "and" or "or" joins to the name at `span`, or ""."""
    i, j = span
    said = text.words
    near = {token.text for token in text.tokens[j + 1 : j + 4]} & set(gold.words)
    if said[j : j + 1] in (("and",), ("or",)) and j + 1 < len(said) and not near:
        word = said[j + 1]
        verb = word.endswith(("ed", "ing", "ly")) or word.isdigit()
        if not (verb or question.echoes(word)) and re.fullmatch(r"[ \"']+", text.gap(j)):
            return word
    if i >= 2 and said[i - 1] in ("and", "or"):
        word = said[i - 2]
        near_front = i <= 8 and text.gap(i - 1) in (" ", ", ")
        known = question.echoes(word) or word in gold.words or word.isdigit()
        if not known and (said[i - 1] == "or" or near_front):
            return word
    return ""


def _not_found(gold: Text, question: JudgedQuestion, reply: Reply) -> Judgement:
    """Wrong where the reply shares nothing with the gold; else it depends on what it shares."""
    core = [word for word in gold.words if not question.echoes(word)] or [
        token.text for token in gold.tokens if not token.stop
    ]
    shared = [w for w in core if w in reply.text.words or stem(w) in reply.text.stems]
    if len(shared) == len(core) < len(gold.words):
        spans = find(read(" ".join(core)), reply.text) if "," not in gold.folded else []
        why = doubt(spans, question, reply) if spans else "gives the words apart"
        return unscored(why) if why else correct("gives what the question leaves open")
    if _nearly(gold, reply.text):
        return unscored("gives a name of nearly the same spelling")
    if not shared:
        return wrong("gives another answer")
    return _shares(gold, core, shared, question, reply)


def _shares(
    gold: Text, core: list[str], shared: list[str], question: JudgedQuestion, reply: Reply
) -> Judgement:
    """A verdict where only a part of the gold's words stand in the reply."""
    new = [word for word in reply.text.words if not question.echoes(word)]
    person = question.who and len(core) in (2, 3)
    if all(word in core for word in new):  # the reply is a part of the gold
        if "," in gold.folded and list(read(gold.folded.split(",")[0]).words) == new:
            return correct("gives the answer without its qualifier")
        if person and shared == [core[-1]] and core[-1].isalpha():
            return correct("gives the surname")
        return unscored("gives a part of the answer")
    little = 3 * len(shared) <= len(core) or (person and len(shared) == 1)
    if reply.short and little and not _alone(core[-1], reply.text):
        return wrong("shares too little with the answer")
    return unscored("shares a part of the answer")


def _alone(word: str, text: Text) -> bool:
    """Whether a text has `word`, such as a surname, without another name before it."""
    places = [k for k, said in enumerate(text.words) if said == word]
    before = [text.tokens[k - 1] for k in places if k > 0 and text.gap(k) == " "]
    return len(before) < len(places) or any(
        token.stop or token.text in words("neutral", "person") for token in before
    )
