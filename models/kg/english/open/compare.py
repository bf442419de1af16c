"""Comparisons of entities: which is older, taller, larger; by how much; whether one is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.kg.english.open.compose import Apart, Compared
from models.kg.english.open.keys import askings, first_key
from models.kg.english.open.subjects import NAME, Subject, explained, plain_rest
from models.kg.english.open.ways import WAYS, Kind
from models.kg.english.question import Asked
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from models.kg.language.printer import quoted

_SINCE = (
    "birth_date founded established foundation formation established_date inception date_founded"
    " created formed year_completed completion_date built opened opening opened_date released"
    " release_date release launch_date start_year firstdate year_start year commissioned date_start"
)
_HEIGHT = (
    "height_architectural architectural height tip height_tip roof elevation_m elevation elevation_ft"
    " dam_height height_max altitude_m minaret_height"
)
_LENGTH = "length_km length length_mi dam_length length_m distance mainspan total_length"
_SIZE = (
    "area_total_km2 area_km2 area area_total_sq_mi area_sqmi site_area floor_area students membership"
    " mean_radius radius num_employees"
)
_POPULATION = "population_total population population_estimate population_est 2010pop"


_SIZES = tuple(_SIZE.split())  # of different kinds: an area is not compared with students


@dataclass(frozen=True, slots=True)
class Adjective:
    """A word of comparison that says by itself what is compared."""

    cue: re.Pattern[str]
    keys: tuple[str, ...]
    least: bool = False
    dated: bool = False


def _adjective(cue: str, keys: str, *, least: bool = False, dated: bool = False) -> Adjective:
    return Adjective(re.compile(rf"\b(?:{cue})\b"), tuple(keys.split()), least, dated)


_ADJECTIVES = (
    _adjective(r"(?:long|rich|old)(?:er|est) history|(?:been around|exist\w*) (?:for )?longer|longer"
               r" (?:standing|running|established)", _SINCE, least=True, dated=True),
    _adjective(r"short(?:er|est) history|more recent history", _SINCE, dated=True),
    _adjective(r"old(?:er|est)|eld(?:er|est)|more ancient", _SINCE, least=True, dated=True),
    _adjective(r"young(?:er|est)|new(?:er|est)|more recent(?:ly)?|most recent(?:ly)?", _SINCE,
               dated=True),
    _adjective(r"tall(?:er|est)|high(?:er|est)(?= |$)", _HEIGHT),
    _adjective(r"short(?:er|est)", f"{_HEIGHT} {_LENGTH}", least=True),
    _adjective(r"long(?:er|est)", _LENGTH),
    _adjective(r"deep(?:er|est)", "depth_max max_depth depth res_max_depth"),
    _adjective(r"wid(?:er|est)|broader", "width_km width width_mi dam_width_crest"),
    _adjective(r"heav(?:ier|iest)|more massive|weighs? more", "mass weight launch_mass"),
    _adjective(r"light(?:er|est)|less massive|weighs? less", "mass weight launch_mass", least=True),
    _adjective(r"bright(?:er|est)", "appmag_v appmag_v1", least=True),
    _adjective(r"(?:dimm|faint)(?:er|est)|less bright", "appmag_v appmag_v1"),
    _adjective(r"hott(?:er|est)", "temperature"),
    _adjective(r"cool(?:er|est)|cold(?:er|est)", "temperature", least=True),
    _adjective(r"(?:more|most) (?:populous|populated|people|residents|inhabitants)|bigger population",
               _POPULATION),
    _adjective(r"(?:less|least) (?:populous|populated)|fewe(?:r|st) (?:people|residents|inhabitants)",
               _POPULATION, least=True),
    _adjective(r"(?:more|most) expensive|costl(?:ier|iest)|costs? more|cost the most",
               "cost construction_cost budget"),
    _adjective(r"cheap(?:er|est)|less expensive|costs? less", "cost construction_cost budget",
               least=True),
    _adjective(r"(?:rich|wealthi)(?:er|est)", "net_worth"),
    _adjective(r"(?:near|clos)(?:er|est)", "dist_ly distance", least=True),
    _adjective(r"(?:near|clos)(?:er|est)", "parallax"),
    _adjective(r"farther|further|more distant|farthest|furthest", "dist_ly distance"),
    _adjective(r"farther|further|more distant|farthest|furthest", "parallax", least=True),
    _adjective(r"(?:larg|bigg|great)(?:er|est)|more extensive", _SIZE),
    _adjective(r"small(?:er|est)|tini(?:er|est)", _SIZE, least=True),
)  # fmt: skip
_MOST = (
    r"more|most|larg(?:er|est)|bigg(?:er|est)|great(?:er|est)|high(?:er|est)|long(?:er|est)|better"
)
_LEAST = r"fewe(?:r|st)|less|least|small(?:er|est)|low(?:er|est)|short(?:er|est)|worse"
_EARLY = r"first|earlier|earliest|before|sooner|prior"
_LATE = r"later|latest|after|last|more recently|most recently"
_JOINING = re.compile(r"\b(?:or|and|than|versus|vs|between|compared)\b")
_APART = re.compile(r"\b(?:how (?:much|many)(?: \w+){0,2} (?:\w+er|more|less|fewer|earlier|later|before"
                    r"|after)|difference|by how (?:much|many)|how (?:much|many) \w+ apart)\b")  # fmt: skip
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


def comparisons(asked: Asked, found: Sequence[Subject]) -> Iterator[Reading]:
    """Readings of a question that compares the entities found in it."""
    about = _one_a_span(found)
    rest = plain_rest(asked, [each.span for each in about])
    if len(about) == 1:
        yield from _beyond_compare(rest, about[0])
    if len(about) < 2 or not _JOINING.search(rest):
        return
    for measure in _measures(rest, about):
        if explained(rest, measure.told | _COMPARING, about, classes=True):
            program = "; ".join(
                f"ALL get_open({quoted(each.name)})[{quoted(key)}]"
                for each, key in zip(about, measure.keys, strict=True)
            )
            yield Reading(program, _composer(rest, about, measure))


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
    yield from _of_amounts(rest, about)
    for adjective in _ADJECTIVES:
        match = adjective.cue.search(rest)
        keys = _keys(about, adjective.keys, own=adjective.keys != _SIZES) if match else None
        if match and keys:
            told = frozenset(match.group().split())
            yield _Measure(keys, adjective.least, adjective.dated, told)


def _of_dates(rest: str, about: Sequence[Subject]) -> Iterator[_Measure]:
    """ "which was founded first": a verb that has a date, and which of the dates is meant."""
    early = re.search(rf"\b(?:{_EARLY})\b", rest)
    late = re.search(rf"\b(?:{_LATE})\b", rest)
    if not early and not late and not _APART.search(rest):
        return
    for way in WAYS:
        if way.kind is not Kind.DATE:
            continue
        match = way.cue.search(rest)
        keys = _keys(about, way.keys, own=True) if match else None
        if match and keys:
            which = early or late
            told = {*match.group().split(), *(which.group().split() if which else ())}
            yield _Measure(keys, early is not None, True, frozenset(told | {"come", "came"}))


def _of_amounts(rest: str, about: Sequence[Subject]) -> Iterator[_Measure]:
    """ "which has more students": a noun that has an amount, and whether more or less is meant."""
    least = re.search(rf"\b(?:{_LEAST})\b", rest)
    which = least or re.search(rf"\b(?:{_MOST})\b", rest)
    if not which and not _APART.search(rest) and not _TOTAL.search(rest):
        return
    direction = set(which.group().split()) if which else set()
    plain = "how many " + re.sub(rf"\b(?:{_LEAST}|{_MOST})\b", " ", rest)
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
    """ "which is brighter, xx or …", where xx is the brightest of all, and the other has no page."""
    match = re.search(rf"\b({'|'.join(_SUPERLATIVES)})\b", rest)
    joined = re.search(rf"{NAME} or \w|\bor (?:the )?{NAME}|{NAME} (?:\w+ )?than \w", rest)
    if not match or not joined:
        return
    polar = re.match(rf"(?:is|was|are) (?:the )?{NAME}", rest) and " than " in rest
    said = "yes" if polar else about.shown
    program = f"ALL get_open({quoted(about.name)})[{quoted('summary_text')}]"
    yield Reading(program, BeyondCompare(said, _SUPERLATIVES[match[1]]))
