"""Comparisons of entities: which is older, taller, larger; by how much; whether one is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.kg.english.open.keys import askings, first_key
from models.kg.english.open.measures import (
    ADJECTIVES,
    AHEAD,
    AREA,
    BEHIND,
    DIMENSIONS,
    EARLY,
    LATE,
    LEAST,
    MOST,
    SIZES,
)
from models.kg.english.open.subjects import NAME, Subject, explained, plain_rest
from models.kg.english.open.ways import WAYS, Kind
from models.kg.english.open.weigh import Apart, Compared, Lived
from models.kg.english.open.years import YEAR, of_year
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_JOINING = re.compile(
    r"\b(?:or|and|than|versus|vs|between|compared|before|after|prior|predat\w*|antedat\w*|exceed\w*"
    r"|surpass\w*|outshin\w*|outrank\w*|outlive\w*|outnumber\w*|outweigh\w*|later|earlier)\b"
)
_APART = re.compile(
    r"\b(?:how (?:much|many)(?: \w+){0,2} (?:\w+er|more|less|fewer|before|after)|difference"
    r"|by how (?:much|many)|how (?:much|many) \w+ apart)\b"
)
_TOTAL = re.compile(r"\b(?:total|combined|together|sum|altogether)\b")
_POLAR = re.compile(r"(?:is|was|are|were|does|did|do|has|have|had)\b")
_OF_ALL = (
    r"(?:in the (?:world|night sky|universe|solar system)|on (?:the )?earth|of all(?: time)?|ever)"
)


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is compared: each entity's key, which way, and the words that say so."""

    keys: tuple[str, ...]
    least: bool
    dated: bool
    told: frozenset[str]


def compares(rest: str) -> bool:
    """Whether a question weighs two things, so that a fact of one of them is no answer."""
    return bool(
        re.search(_WEIGHED, rest) and re.search(rf"\b(?:{AHEAD}|{BEHIND}|{EARLY}|{LATE})\b", rest)
    )


_WEIGHED = (
    rf"\b(?:which|who|whose|what|between|compared?|in terms of)\b.*(?:{NAME}|\w+) (?:or|versus"
    rf"|vs)\b"
    rf"|\bthan\b|^(?:is|was|are|were|does|did|do|has|have|had)\b.*\b(?:before|after)\b"
    rf"|\bbetween\b.*\band\b|\b(?:which|who) of\b.*\band\b"
)


def comparisons(asked: Asked, found: Sequence[Subject]) -> Iterator[Reading]:
    """Readings of a question that compares the entities found in it."""
    about = _one_a_span(found)
    rest = plain_rest(asked, [each.span for each in about])
    if len(about) == 1:
        yield from _beyond_compare(rest, about[0])
    if len(about) < 2 or not _JOINING.search(rest):
        return
    lived = _lifetimes(rest, about)
    if lived:
        yield lived
    if re.search(r"\b(?:die|died|dying|death|lived?|outlived?)\b", rest) and not _EVENT.search(
        rest
    ):
        return
    for measure in _measures(rest, about):
        if explained(
            _timeless(rest, about, measure), measure.told | _COMPARING, about, classes=True
        ):
            program = "; ".join(
                f"ALL get_open({quoted(each.name)})[{quoted(key)}]"
                for each, key in zip(about, measure.keys, strict=True)
            )
            yield Reading(program, _composer(rest, about, measure))


def _timeless(rest: str, about: Sequence[Subject], measure: _Measure) -> str:
    """A question without the year that all the values compared are of."""
    year = YEAR.search(rest)
    known = year and all(
        of_year(each.facts, key, year[1]) for each, key in zip(about, measure.keys, strict=True)
    )
    return YEAR.sub(" ", rest) if known and not measure.dated else rest


_EVENT = re.compile(rf"\b(?:{EARLY}|{LATE})\b")


_LONG_LIVED = re.compile(
    r"\b(?:live[ds]? (?:for )?(?:the )?long(?:er|est)|died? (?:the )?old(?:er|est)|outlive[ds]?"
    r"|was (?:the )?old(?:er|est) (?:when|at death)|longer lives?)\b"
)
_SHORT_LIVED = re.compile(
    r"\b(?:die[ds]? (?:the )?young(?:er|est)|live[ds]? (?:for )?(?:the )?short(?:er|est)"
    r"|shorter lives?)\b"
)


def _lifetimes(rest: str, about: Sequence[Subject]) -> Reading | None:
    """ "who lived longer", "who died younger": each one's age at death."""
    longer, shorter = _LONG_LIVED.search(rest), _SHORT_LIVED.search(rest)
    which = longer or shorter
    known = all(each.facts.get("birth_date") and each.facts.get("death_date") for each in about)
    if (
        not which
        or not known
        or not explained(rest, frozenset(which.group().split()) | _COMPARING, about)
    ):
        return None
    calls = [f"get_open({quoted(each.name)})" for each in about]
    program = "; ".join(f'{call}["birth_date"]; {call}["death_date"]' for call in calls)
    return Reading(program, Lived(tuple(each.shown for each in about), least=not longer))


_COMPARING = frozenset(
    "than or and between versus vs two which whose compared comparison more most less least"
    " difference much many total combined together sum first other".split()
)


def _one_a_span(found: Sequence[Subject]) -> list[Subject]:
    kept: dict[int, Subject] = {}
    for each in found:
        kept.setdefault(each.span.first, each)
    return list(kept.values())


def _composer(rest: str, about: Sequence[Subject], measure: _Measure) -> Compared | Apart:
    if _APART.search(rest):
        return Apart(measure.keys, measure.dated)
    if _TOTAL.search(rest) and not measure.dated:
        return Apart(measure.keys, total=True)
    polar = bool(_POLAR.match(rest)) and not re.search(rf"{NAME} or (?:\w+ )*{NAME}", rest)
    names = tuple(each.shown for each in about)
    return Compared(names, measure.keys, measure.least, measure.dated, polar)


def _measures(rest: str, about: Sequence[Subject]) -> Iterator[_Measure]:
    """What a question may compare, the surest first."""
    yield from _of_dates(rest, about)
    named = False
    for measure in _of_dimensions(rest, about):
        named = True
        yield measure
    if named:
        return
    yield from _of_amounts(rest, about)
    for adjective in ADJECTIVES:
        match = adjective.cue.search(rest)
        keys = _keys(about, adjective.keys, own=adjective.keys != SIZES) if match else None
        if match and keys:
            told = frozenset(match.group().split())
            yield _Measure(keys, adjective.least, adjective.dated, told)


def _of_dimensions(rest: str, about: Sequence[Subject]) -> Iterator[_Measure]:
    """ "which has the longer history", "by brightness, which comes out on top": a noun that says
    what is compared, and whether more or less of it is meant."""
    less = re.search(rf"\b(?:{BEHIND})\b", rest)
    which = less or re.search(rf"\b(?:{AHEAD})\b", rest)
    if not which and not _APART.search(rest) and not _TOTAL.search(rest):
        return
    for cue, keys, dated, reverse in DIMENSIONS:
        match = re.search(rf"\b(?:{cue})\b", rest)
        own = _keys(about, keys.split(), own=keys != AREA) if match else None
        if match and own:
            told = {*match.group().split(), *(which.group().split() if which else ())}
            yield _Measure(own, (less is not None) != reverse, dated, frozenset(told | _VAGUE))
            return


_VAGUE = frozenset("record records rich extensive long established out on top terms".split())


def _of_dates(rest: str, about: Sequence[Subject]) -> Iterator[_Measure]:
    """ "which was founded first": a verb that has a date, and which of the dates is meant."""
    early = re.search(rf"\b(?:{EARLY})\b", rest)
    late = re.search(rf"\b(?:{LATE})\b", rest)
    if not early and not late and not _APART.search(rest):
        return
    for way in WAYS:
        if way.kind is not Kind.DATE:
            continue
        match = way.cue.search(rest.replace("more recently", "last"))
        keys = _keys(about, way.keys, own=True) if match else None
        if match and keys:
            which = early or late
            told = {*match.group().split(), *(which.group().split() if which else ())}
            yield _Measure(keys, early is not None, True, frozenset(told | {"come", "came"}))


def _of_amounts(rest: str, about: Sequence[Subject]) -> Iterator[_Measure]:
    """ "which has more students": a noun that has an amount, and whether more or less is meant."""
    least = re.search(rf"\b(?:{LEAST})\b", rest)
    which = least or re.search(rf"\b(?:{MOST})\b", rest)
    if not which and not _APART.search(rest) and not _TOTAL.search(rest):
        return
    direction = set(which.group().split()) if which else set()
    plain = "how many " + re.sub(rf"\b(?:{LEAST}|{MOST})\b", " ", rest)
    shared = _shared(about)
    for asking in askings(" ".join(plain.split()), shared):
        if asking.kind in (Kind.COUNT, Kind.NUMBER):
            told = asking.explained | direction
            yield _Measure((asking.key,) * len(about), least is not None, False, told)


def _shared(about: Sequence[Subject]) -> Mapping[str, object]:
    """The keys that all have, with the first one's values."""
    first, *others = (each.facts for each in about)
    return {k: v for k, v in first.items() if v and all(facts.get(k) for facts in others)}


def _keys(about: Sequence[Subject], keys: Sequence[str], *, own: bool) -> tuple[str, ...] | None:
    """The first of `keys` that all have; `own`: else the first that each has."""
    shared = first_key(_shared(about), keys)
    if shared:
        return (shared,) * len(about)
    found = tuple(first_key(each.facts, keys) for each in about)
    known = tuple(key for key in found if key)
    return known if own and len(known) == len(about) else None


@dataclass(frozen=True, slots=True)
class BeyondCompare:
    """The entity, or "yes", where its summary says that it is the most so of all there are."""

    name: str
    superlative: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = str(outcomes[-1].values[0]) if outcomes[-1].values else ""
        found = re.search(
            rf"\b(?:is|was|stands as|remains) the (?:world's )?{self.superlative}\b[^.;,]*", text
        )
        of_all = found and (re.search(_OF_ALL, found.group(), re.I) or "world's" in found.group())
        return self.name if of_all else None


_SUPERLATIVES = {"brighter": "brightest", "taller": "tallest", "larger": "largest",
                 "bigger": "(?:largest|biggest)", "longer": "longest", "deeper": "deepest",
                 "higher": "highest", "heavier": "heaviest", "older": "oldest",
                 "faster": "fastest"}  # fmt: skip


def _beyond_compare(rest: str, about: Subject) -> Iterator[Reading]:
    """ "which is brighter, xx or …", where xx is the brightest of all and the other has no page."""
    match = re.search(rf"\b({'|'.join(_SUPERLATIVES)})\b", rest)
    joined = re.search(rf"{NAME} or \w|\bor (?:the )?{NAME}|{NAME} (?:\w+ )?than \w", rest)
    if not match or not joined:
        return
    polar = re.match(rf"(?:is|was|are) (?:the )?{NAME}", rest) and " than " in rest
    said = "yes" if polar else about.shown
    program = f"ALL get_open({quoted(about.name)})[{quoted('summary_text')}]"
    yield Reading(program, BeyondCompare(said, _SUPERLATIVES[match[1]]))
