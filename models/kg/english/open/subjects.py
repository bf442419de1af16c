"""The entities that stand in a question, with what their pages say, and the words around them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from models.kg.english.names import ENTITIES, Names
from models.kg.english.open.keys import SUMMARY
from models.kg.english.open.ways import WAYS, Form, form_of
from models.kg.english.open.wordings import plain
from models.kg.fetch.open import facts as facts_of
from models.kg.linking.question import Asked, Span, runs
from models.kg.match import best
from utils.text import FUNCTION_WORDS, stem, words

NAME = "xx"  # stands in the place of a name

# Words that ask for nothing: politeness, and nouns as vague as "name" and "number".
_HARMLESS = frozenset(
    """
    actual actually amount approximate approximately around called can carry certain curious current
    currently did does done during entire entity ever exact far famous following former full had
    hey hi hello help historic historical including info information interested itself known
    likely located look looking made main name named names number official officially old or
    overall own part particular past people please precise precisely question quick quickly really
    recorded referred remember right so still such tell that thanks thank then there thing today
    total
    trying under us use used very wanna well whole within wonder world yet he she they his
    her hers him their theirs its it year years date day time month measured
    value figure stand stands standing feature features possess possesses
    boast boasts contain contains comprise comprised consist consists present presently now serve
    served serving act acted work worked responsible person individual someone company place city
    country state both under administration presidency tenure term leadership title held hold holds
    role between among regarding concerning terms key major visit visited visiting play
    played playing part involved mechanism facility make up makes include includes including
    vertical extent dimension overall reach reaches single there somebody someone anyone
    town village municipality spot locality venue staged job ordinarily normally generally typically
    usually altogether days nowadays these those back up down game film movie book building show
    """.split()
)
_HARMLESS_PHRASES = re.compile(
    r"\b(?:help me with|in the past|so far|to date|as of (?:now|today)|right now|at the moment"
    r"|(?:during|under|throughout) (?:the |president )*(?:administration|presidency|term|tenure"
    r"|time)"
    r"(?: of)?(?: president)?|(?:during|under) (?:the )?(?:president )?(?=xx)|in office"
    r"|(?:in |of )?the (?:united states|u s|us|usa|world|history)|in (?:its|his|her|their) history"
    r"|including (?:\w+ ){0,3}(?:above|below)(?: \w+){0,4} ground|for (?:me|us))\b"
)
# Words that narrow a question or turn it round, where nothing explains them.
_RISKY = re.compile(
    r"(?:first|second|third|fourth|fifth|sixth|last|next|upcoming|previous|most|least|only|same"
    r"|another|other|more|less|fewer|better|best|worst|not|never|except|besides|without|before|after"
    r"|since|until|if|while|no|nor|neither|none|never|\w{2,}(?:n't|est)|top|average|half|twice|again"
    r"|wife|husband|girlfriend|boyfriend|why|per|percent|percentage|ratio|rate|than|instead)"
)
_CONDITIONS = re.compile(
    r"\b(?:(?:in|during|since|by|until|from|between|around|for) (?:the )?(?:year )?\d{4}s?"
    r"|(?<!^)(?<!^in )when (?:he|she|it|they|xx)|at the time|by the age|years? old|with (?:his"
    r"|her|its|their|the))\b"
)
# What is done with most things: no key of its own where a noun says what is asked.
_VERBS = frozenset(
    """
    build built constructed run runs running use used uses using play played playing make made
    written produce produced come comes came designed created developed located based published
    spoken situated sold belong belongs work works hold stand wear wears get got take took taken
    housed have having go goes lie lies found seen visible behind
    """.split()
)
_BECOMING = frozenset("become became turn turned get got".split())
_CLAUSE = frozenset(("that", "who", "whom", "whose", "which", "where", "when"))
_LONGEST_NAME = 80  # characters
_SPARE = 2  # words that nothing explains, which a question may have


@dataclass(frozen=True)
class Subject:
    """An entity: its name in the KG, where it stands, its facts, the stems of its page's words."""

    name: str
    span: Span
    facts: Mapping[str, Any]
    said: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def shown(self) -> str:
        """The name without what only tells it apart in brackets."""
        return re.sub(r"\s*\([^()]*\)$", "", self.name)

    @property
    def summary(self) -> str:
        return str(self.facts.get(SUMMARY) or "")


def subject(name: str, span: Span, names: Names) -> Subject:
    """The entity of that name with its page.

    Raises:
        ApiError: the page could not be had.
    """
    (page,) = names.call_many([("/open/get_entity", name)])
    facts = facts_of(page, name)
    said = {stem(word) for key, value in facts.items() for word in words(f"{key} {value}")}
    return Subject(name, span, facts, frozenset(said))


def subjects(asked: Asked, names: Names) -> list[Subject]:
    """The entities that stand in a question, in its order; several of one span where all fit it.

    An entity that its name tells apart ("Georgia (country)", "Boise, Idaho") may stand without.
    """
    found = [
        mention
        for mention in names.standing(asked, ENTITIES, cues=CUES)
        if any(len(word) > 1 and not word.isdigit() for word in words(mention.name))
    ]
    text = [word.text for word in asked.words]
    taken = [mention.span for mention in found]
    told_apart = []
    content = " ".join(asked.left(CUES)) if not found else ""
    beside = bool(found) and asked.has("or", "than", "versus", "vs", "compared", "between")
    for query in (asked.text, content):
        for name, _ in names.search(ENTITIES, query) if query and (beside or not found) else ():
            core = words(re.split(r" \(|, ", name)[0])
            if core != words(name) and not all(word in CUES | FUNCTION_WORDS for word in core):
                told_apart += [(name, span) for span in runs(core, text)]
            told_apart += [(name, span) for span in _ceremony(name, text)]
    extra = {
        (name, span)
        for name, span in told_apart
        if not any(span.meets(other) for other in taken)
        and not any(span.meets(other) and len(other) > len(span) for _, other in told_apart)
    }
    every = [(mention.name, mention.span) for mention in found] + sorted(extra, key=lambda p: p[0])
    return [subject(name, span, names) for name, span in sorted(every, key=lambda p: p[1].first)]


def _ceremony(name: str, text: Sequence[str]) -> Iterator[Span]:
    """Where an award's ceremony stands in short: "57th Grammys" for "57th Annual Grammy Awards"."""
    match = re.fullmatch(r"(\d+\w\w) (?:annual )?(.+?) awards?", " ".join(words(name)))
    if not match:
        return
    of, tail = match[2].split()[:-1], match[2].split()[-1]
    for last in (tail, f"{tail}s"):
        for between in ((), ("annual",)):
            for end in (("awards",), ("award",), ()):
                core = [match[1], *between, *of, last, *end]
                yield from runs(core, text)


def named(value: Any, of: Subject, names: Names) -> Subject | None:
    """The entity that a value of another one names, if it is one that the KG has."""
    text = re.sub(r"\s*\([^()]*\)", "", str(value)).strip(" ,;")
    if not text or len(text) > _LONGEST_NAME:
        return None
    places = [of.facts.get(key) for key in ("state", "subdivision_name1", "country")]
    queries = [f"{text}, {place}" for place in places if isinstance(place, str) and "," not in text]
    for query in (text, f"{text}, {of.shown}", *queries):
        found, _ = best(query, [(name, name) for name, _ in names.search(ENTITIES, query)])
        if found and found[0] != of.name:
            return subject(found[0], of.span, names)
    return None


def plain_rest(asked: Asked, spans: Sequence[Span]) -> str:
    """The words of a question with `xx` in the place of each name, in plain wording."""
    return plain(asked.without(spans, mark=NAME).plain)


def explained(
    rest: str, told: frozenset[str], about: Sequence[Subject], *, classes: bool = False
) -> bool:
    """Whether nothing in `rest` asks for more than `told`, the words that a reading explains.

    Words next to the name that say what it is, and those that its page has, are harmless; so is one
    word more. `classes`: so is what "which" asks of a class: "which law school is older".
    """
    rest = _HARMLESS_PHRASES.sub(" ", rest)
    if _CONDITIONS.search(rest):
        return False
    beside = _beside(rest, told, classes=classes)
    asking = _asking(rest)
    said = frozenset().union(*(each.said for each in about))
    harmless = _HARMLESS | _free_verbs(rest, told)
    spare_words = 0
    for word in rest.split():
        if word == NAME or word in told or word in FUNCTION_WORDS:
            continue
        if _RISKY.fullmatch(word):
            return False
        if word.isdigit():
            if word not in beside or stem(word) not in said:
                return False
            continue
        if word in beside or word in harmless:
            continue
        if word in asking:
            return False
        spare_words += stem(word) not in said
    return spare_words <= _SPARE


def harmless(word: str) -> bool:
    """Whether a word asks for nothing wherever it stands."""
    return word in _HARMLESS or word in _VERBS


def _free_verbs(rest: str, told: frozenset[str]) -> frozenset[str]:
    """The verbs of a question that say nothing beside the noun that it asks for."""
    if not told - _VERBS:
        return frozenset()
    if form_of(rest) in (Form.WHEN, Form.AGE):
        return _BECOMING
    tokens = rest.split()
    return frozenset(word for before, word in zip(["", *tokens], tokens, strict=False)
                     if word in _VERBS and before not in _CLAUSE)  # fmt: skip


def _beside(rest: str, told: frozenset[str], *, classes: bool) -> set[str]:
    """The words that say what a name stands for: "the 1982 maze game xx", "which law school"."""
    tokens = rest.split()
    asking = _asking(rest)
    steps = {NAME: (-1, 1), **({"which": (1,), "what": (1,)} if classes else {})}
    found: set[str] = set()
    for index, token in enumerate(tokens):
        for step in steps.get(token, ()):
            at = index + step
            while 0 <= at < len(tokens) and tokens[at] not in FUNCTION_WORDS | told | {NAME}:
                if token == NAME and step > 0 and tokens[at] in asking:
                    break
                found.add(tokens[at])
                at += step
    return found


@lru_cache(maxsize=256)
def _asking(rest: str) -> frozenset[str]:
    """The words of a question by which one of its form may ask for some key."""
    form = form_of(rest)
    return frozenset(
        word
        for way in WAYS
        if way.fits(form)
        for match in way.cue.finditer(rest)
        for word in match.group().split()
        if word not in FUNCTION_WORDS
    )


def _cues() -> Iterator[str]:
    for way in WAYS:
        yield from re.findall(r"[a-z]{3,}", re.sub(r"\\[a-zA-Z]|\(\?:", " ", way.cue.pattern))


CUES = frozenset(_cues()) | _HARMLESS
