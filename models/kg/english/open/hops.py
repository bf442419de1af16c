"""Questions that name an entity by another one: "the capital of …", "the designer of …"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.names import ENTITIES, Names
from models.kg.english.open.keys import first_key
from models.kg.english.open.subjects import NAME, Subject, named, plain_rest, subject
from models.kg.english.open.ways import WAYS, Kind
from models.kg.english.question import Asked, Span
from models.kg.language.printer import quoted
from utils.text import words

_TITLES = r"(?:(?:the|lead|main|chief|head|principal|original|current|present|latest|incumbent) )*"
_CAPITAL = re.compile(
    r"(?:the )?(?:state )?capital(?: city)? of (?:the )?(?:state of |country of )?"
)
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
            plain = re.sub(r"\b(?:latest|current|present|incumbent|sitting)\b", " ", rest)
            yield Hop(inner, _through(each.name, "incumbent"), " ".join(plain.split()))
    yield from _capitals(asked, names)


def _through(name: str, key: str) -> str:
    return f"get_open(get_open({quoted(name)})[{quoted(key)}])"


def _by_key(rest: str, about: Subject, names: Names) -> Iterator[Hop]:
    """ "the designer of xx", "xx's designer", "who designed xx" said within another question."""
    for way in WAYS:
        if way.kind is not Kind.TEXT:
            continue
        key = first_key(about.facts, way.keys)
        if key is None or not isinstance(about.facts[key], str):
            continue
        cue = way.cue.pattern.removeprefix(r"\b").removesuffix(r"\b")
        phrase = re.compile(
            rf"\b{_TITLES}(?:{cue}) (?:of|for|behind|in) (?:the )?{NAME}\b"
            rf"|\b{NAME} {_TITLES}(?:{cue})\b(?= \w)"
            rf"|\b(?:the )?(?:person|man|woman|people|company|studio|city|country|state|place)"
            rf" (?:who|that|which|where|in which) (?:{NAME} )?(?:is |was )?(?:{cue})(?: {NAME})?(?: in)?\b"
        )
        match = phrase.search(rest)
        outer = (
            " ".join(f"{rest[: match.start()]}{NAME}{rest[match.end() :]}".split()) if match else ""
        )
        if (
            not match
            or rest[match.end() :].startswith(" as ")
            or not outer.replace(NAME, "").strip()
        ):
            continue
        inner = named(about.facts[key], about, names)
        if inner:
            yield Hop(inner, _through(about.name, key), outer)


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
