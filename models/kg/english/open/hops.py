"""Questions that name an entity by another one: "the capital of …", "the designer of …".

The inner phrase ("the capital of xx") is read by the keys of the one that stands in the question;
its value is looked up, and the question is asked of that. Where the inner phrase asks for a key,
what is left of the question must never be asked of the outer entity: see `within`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.names import ENTITIES, Names
from models.kg.english.open.keys import SUMMARY, Asking, askings
from models.kg.english.open.subjects import NAME, Subject, named, plain_rest, subject
from models.kg.english.open.ways import Form, form_of
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked, Span
from models.kg.match import best
from utils.text import FUNCTION_WORDS, words

_TITLES = (
    r"(?:the|its|a|lead|main|chief|head|principal|original|current|present|latest|incumbent|first"
    r"|last|final|initial|earliest|second|third|former|previous|next|new|primary|founding)"
)
# Nouns that say of what kind an entity is that is known by its part in another one's page.
_RELATIONS = (
    r"(?:state |national |current )?capital(?: city)?|(?:largest|biggest|most populous) (?:city"
    r"|town)"
    r"|constellation|designers?|architects?|founders?|co ?founders?|creators?|authors?|writers?"
    r"|developers?|inventors?|composers?|directors?|producers?|publishers?|owners?|operators?"
    r"|presidents?|prime minister|chancellor|mayor|governor|leader|ruler|king|queen|emperor|head"
    r"|dean"
    r"|ceo|chair(?:man|woman|person)?|coach|manager|host|editor|spouse|wife|husband|partner|father"
    r"|mother|son|daughter|child|brother|sister|parent(?: company)?|manufacturer|maker|successor"
    r"|predecessor|(?:vice[ -]?president|running mate)|birthplace|hometown|alma mater"
    r"|(?:highest|tallest) (?:mountain|peak|point)|mountain range|reservoir|river"
    r"|home (?:stadium|arena)"
    r"|arena|stadium|headquarters|county seat|discoverer|translator|artist|builder|contractor"
    r"|engineer|sculptor|painter|namesake|incumbent"
)
_JOINS = r"(?:of|for|in|behind|to|at|on)"
# A person, or a place, by a clause: "the person who designed xx", "the river that xx spans".
_CLASSES = (
    r"(?:person|man|woman|people|company|firm|studio|city|town|country|state|county|river|place"
    r"|organi[sz]ation|university|school|team|club|constellation|island|range|newspaper|magazine)"
)
_HOLDS = r"(?:includes|contains|holds|has|houses|hosts|features|encompasses)"
_INNER = (
    re.compile(
        rf"\b(?:{_TITLES} )*(?P<what>{_RELATIONS}) (?:{_JOINS}|(?:that|which) {_HOLDS}|containing"
        rf"|including|housing|home to) (?:the )?{NAME}\b(?: (?:in it|lies in))?"
    ),
    re.compile(rf"\b{NAME} (?:{_TITLES} )*(?P<what>{_RELATIONS})\b(?= \w)(?! (?:in|of|for)\b)"),
    re.compile(rf"\b{NAME} (?:{_TITLES} )*(?P<what>{_RELATIONS})$"),
    re.compile(
        rf"\b(?:the )?(?P<class>{_CLASSES}) (?:that|which|who|whom|where"
        rf"|in which) (?P<what>(?:\w+ )"
        rf"{{0,4}}?{NAME}(?: is| was| were)?(?: (?:located|situated|built|found|born|in"
        rf"|by)){{0,2}})\b"
    ),
    re.compile(rf"\b(?:the )?(?P<class>{_CLASSES}) (?P<what>{NAME} (?:is|was) \w+ (?:in|by|at))\b"),
)
_CAPITAL = re.compile(
    r"(?:the )?(?:state )?capital(?: city)? of (?:the )?(?:state of |country of )?"
)
_OFFICE = re.compile(r"\b(?:latest|current|present|incumbent|sitting)\b")
_LONGEST_PLACE = 4  # words


@dataclass(frozen=True, slots=True)
class Hop:
    """The entity that is really asked about, the call that fetches it, and the question with `xx`
    for the whole phrase that names it."""

    subject: Subject
    call: str
    rest: str


def hops(asked: Asked, found: Sequence[Subject], names: Names) -> Iterator[Hop]:
    """The entities named by way of one that stands in the question, the nearest reading first."""
    for each in found:
        rest = plain_rest(asked, [each.span])
        yield from _by_key(rest, each, names)
        incumbent = each.facts.get("incumbent")
        inner = named(incumbent, each, names) if isinstance(incumbent, str) else None
        if inner:
            plain = _OFFICE.sub(" ", rest)
            yield Hop(inner, _through(each, "incumbent", inner), " ".join(plain.split()))
    yield from _capitals(asked, names)


def within(rest: str) -> list[frozenset[str]]:
    """The words of each inner phrase that names another entity, in a question that asks for more:
    a reading of `xx` itself must account for one word of each."""
    return [
        frozenset(match["what"].split()) - FUNCTION_WORDS - {NAME} for match, _ in _phrases(rest)
    ]


def _phrases(rest: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each inner phrase, and what is left of the question with `xx` in its place."""
    for pattern in _INNER:
        for match in pattern.finditer(rest):
            outer = " ".join(f"{rest[: match.start()]}{NAME}{rest[match.end() :]}".split())
            if not rest[match.end() :].startswith(" as ") and _asks_more(outer):
                yield match, outer


def _inner(rest: str, about: Subject) -> Iterator[tuple[Asking, str]]:
    """What an inner phrase asks of `about`, and what is left with `xx` for the phrase."""
    for match, outer in _phrases(rest):
        for asking in askings(_plain_question(match), about.facts):
            if asking.key != SUMMARY and _covers(asking, match):
                yield asking, outer
                break


def _plain_question(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if groups.get("class"):
        return f"which {groups['class']} {groups['what']}"
    return f"what is the {groups['what']} of {NAME}"


def _covers(asking: Asking, match: re.Match[str]) -> bool:
    what = {word for word in match["what"].split() if word not in FUNCTION_WORDS and word != NAME}
    return bool(asking.explained) and bool(asking.explained & what or not what)


def _asks_more(outer: str) -> bool:
    """Whether a question still asks for something beside the name of the inner entity."""
    left = [word for word in outer.split() if word not in FUNCTION_WORDS and word != NAME]
    return bool(set(left) - {"name", "named", "called", "known", "person", "current", "currently"}
                or form_of(outer) is Form.WHERE)  # fmt: skip


def _through(about: Subject, key: str, inner: Subject) -> str:
    """The call for what a key names: by way of the key, where its value is the name in full."""
    if best(str(about.facts[key]), [(inner.name, inner)])[0]:
        return f"get_open(get_open({quoted(about.name)})[{quoted(key)}])"
    return f"get_open({quoted(inner.name)})"


def _by_key(rest: str, about: Subject, names: Names) -> Iterator[Hop]:
    """ "the designer of xx", "xx's designer", "the person who designed xx" within a question."""
    for asking, outer in _inner(rest, about):
        value = about.facts[asking.key]
        inner = named(value, about, names) if isinstance(value, str) else None
        if inner:
            yield Hop(inner, _through(about, asking.key, inner), outer)


def _capitals(asked: Asked, names: Names) -> Iterator[Hop]:
    """The capital of a place that has no page of its own, but whose capital is titled after it."""
    match = _CAPITAL.search(asked.plain)
    if not match:
        return
    place = asked.plain[match.end() :].split()[:_LONGEST_PLACE]
    for count in range(len(place), 0, -1):
        for name, _ in names.search(ENTITIES, " ".join(place[:count])):
            if "," not in name or words(name.rsplit(",", 1)[1]) != place[:count]:
                continue
            city = subject(name, Span(0, 1), names)
            if "capital" in str(city.facts.get("settlement_type", "")).lower():
                before, after = asked.plain[: match.start()], asked.plain[match.end() :].split()
                rest = f"{before}{NAME} {' '.join(after[count:])}".strip()
                yield Hop(city, f"get_open({quoted(name)})", rest)
                return
