"""The members of a list written out in a sentence or without one."""

import re

from evaluation.judge.normalize import Text, read
from evaluation.judge.question import Question

ROLES = frozenset(
    """
    singer vocalist drummer guitarist bassist keyboardist pianist rapper actor actress director
    producer writer president forward guard center goalkeeper striker midfielder vocals guitar bass
    drums keyboards piano violin saxophone trumpet percussion lead rhythm founder member current
    former
    """.split()
)

# A comma within a number parts nothing.
_SPLIT = re.compile(
    r"\s*(?:,(?!\d{3}(?!\d))|[;\n])\s*(?:and\b|or\b|&)?\s*|\s+(?:and|&|as well as)\s+"
)
_LEAD = re.compile(
    r"(?:\b(?:were|are|is|was|includes?|included|including|has been|have been|such as|namely|by|has"
    r"|have|had)\b|:)\s+(?=\S)"
)
_TAIL = re.compile(
    r"\s+(?:(?:have|has|had) (?:all |both |each |also )?\w+|(?:are|were|is|was) (?:all |both |the )"
    r"|all (?:have|won|are|were|\w+ed)|all of)\b.*$"
)
_VERB = re.compile(r"\b(?:is|was|are|were|has|have|had|who|which)\b")
_ADVERB = re.compile(r"^(?:and |also |currently |later |finally |featuring |with |including )+")
_QUOTED = re.compile(r'"([^"]{2,}?),?"')
_LONGEST = 8  # words of a member


def members(gold: str, question: Question) -> list[Text]:
    """The members of a gold answer that lists two or more, else []."""
    folded = re.sub(r"\([^()]*\)", " ", read(gold).folded.rstrip(". "))
    quoted = _quoted(folded, question)
    if question.plural and len(quoted) >= 2:
        return quoted
    bare = _strip(folded, question) == folded
    out = parts(folded, question)
    if len(out) < 2 or any(len(part.words) > _LONGEST for part in out):
        return []
    if question.plural:
        return out
    if not bare or _VERB.search(folded) or any(_echo(part.folded, question) for part in out):
        return []
    return out if len(out) >= 3 or (question.who and " and " in folded) else []


def parts(folded: str, question: Question) -> list[Text]:
    """What commas and "and" part in a list, without the sentence around it."""
    inner = _strip(folded, question)
    bare = inner == folded
    inner = re.split(r"(?<=[a-z0-9]{2})[.!?](?:\s|$)", inner)[0]
    names = [_ADVERB.sub("", part).strip(" \"'") for part in _SPLIT.split(inner)]
    out = [_trimmed(read(name), question, bare) for name in names if name]
    if bare:
        return [part for part in out if part.words]
    return [part for part in out if part.words and not all(map(question.echoes, part.words))]


def _quoted(folded: str, question: Question) -> list[Text]:
    """The names in quotes that stand next to each other, but for those of the question."""
    if not re.search(r'",?(?: and)? "', folded):
        return []
    asked = {read(name).words for name in _QUOTED.findall(question.text.folded)}
    return [read(name) for name in _QUOTED.findall(folded) if read(name).words not in asked]


def _strip(folded: str, question: Question) -> str:
    """`folded` from where its list begins to where it ends, as far as the question's words show."""
    out = folded
    for found in _LEAD.finditer(folded):
        if "," in folded[: found.start()]:
            break
        if len(folded) - found.end() >= 3 and _echo(folded[: found.start()], question):
            out = folded[found.end() :]
    tail = _TAIL.search(out)
    if tail and _echo(tail.group(), question):
        out = out[: tail.start()]
    return out


def _echo(text: str, question: Question) -> bool:
    """Whether `text` takes up the question: most of its content words, one where it is plural."""
    words = [token.text for token in read(text).tokens if not token.stop]
    echoed = sum(map(question.echoes, words))
    return echoed >= 1 and (question.plural or 5 * echoed >= 3 * len(words))


def _trimmed(part: Text, question: Question, bare: bool) -> Text:
    """`part` without leading words of the question or a role: "drummer", "ada played"."""
    tokens = part.tokens
    start = 0
    while start < len(tokens) - 1 and (
        tokens[start].text in ROLES or (not bare and question.echoes(tokens[start].text))
    ):
        start += 1
    return read(part.folded[tokens[start].start :]) if start else part
