"""Questions about one artist: birth, origin, age, how long they lasted, members."""

from dataclasses import dataclass

from models.kg.english.compose import Is, Value
from models.kg.english.music import answers_dates as dates
from models.kg.english.music import answers_life as life
from models.kg.english.music import members, pair
from models.kg.english.music.apposition import apposed
from models.kg.english.music.countries import CODES
from models.kg.english.music.times import window
from models.kg.english.music.words import (
    ARTIST,
    BEGAN_BAND,
    BORN,
    FORMED,
    THE,
    TIME,
    WHEN,
    Found,
    explained,
    phrases,
    take_out,
)
from models.kg.english.names import ARTISTS, Names
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_CUES = frozenset(
    """
    active age aged alive all artist artists band bands began begin beginning belong belonged birth
    birthdate birthday birthplace bore born break broke broken call called come comes consist
    consists country created creation date day dead death debut did die died disband disbanded does
    duo earlier elder ended first form formation formed found founded from gap group groups hail
    hails home hometown in join joined later line lineup living long longer made make members member
    music musician musicians nation nationality native old older oldest one origin original
    originally originate out part pass passed people perform performed performer performing person
    place play playing quit rapper singer singers singing solo split start started starting
    still there those together two up was were when where which who year years young younger
    youngest name names the date's
    """.split()
)
# Somebody else than the artist who is named: "the band that ARTIST was in".
_DESCRIBED = (
    rf"the (?:band|group|duo|trio|artist|singer|musician)s? (?:that|who|whom|which|whose|where)"
    rf"(?! \w+ (?:called|named|known)) (?:\w+ ){{0,4}}{ARTIST}"
)
# A question with any of these is about what artists made.
_MADE = phrases(
    r"""
    songs?|albums?|tracks?|records?|tunes?|discography|ep|lp|hits?
    releas\w+
    gramm\w+|billboard
    """
)
_WHEN = rf"since when|{WHEN}|birth ?(?:date|day|year)|tell me|do you know"
_YEAR = r"(?:what|which|exact|birth|the) year|year of birth"
_DIED = phrases(
    r"""
    die[ds]?|death|passing|deceased|demise|perish(ed)?
    pass(ed|es)?( away| on)?
    (lose|lost) (his|her) life
    (leave|left) (the|this|our) (world|earth)
    breath(e|ed) (his|her) last
    """
)
_DEAD = rf"dead|no longer (?:alive|with us)|{_DIED}"
_PARTED = phrases(
    r"""
    disband(ed|ing|ment)?
    (break|broke|broken|breaking)( ?up| apart)
    (split|splitting)( up)?
    dissol\w+|separat\w+|breakup
    (call|called) it (quits|a day)
    part(ed)? (ways|company)
    fold(ed)?|call(ed)? time|wind(ing)? up|wound up
    stop(ped)? (being|existing)
    (go|went|gone) (their )?separate ways
    (stop|stopped|quit) (performing|playing|making music)( together)?
    (come|came) to an end
    ceased?( to exist)?
    ended?|end
    """
)
_LASTING = (
    r"(?:together|active|last(?:ed)?|exist(?:ed|ence)?|alive|live|performing|performed|around"
    r"|making music)(?: together)?"
)
_SPAN = phrases(
    rf"""
    (when|(what|which) years) (is|was|were|are) {THE}{ARTIST} ({_LASTING})
    from when (to|till|until) when( did| was| were)? {THE}{ARTIST} ({_LASTING})
    (over|during|in) (what|which) (period|time|years|span)( of time)? \
    (is|was|were|are|did) {THE}{ARTIST} ({_LASTING})
    """
)
_LAND = r"country|nation|land|place"
_COUNTRY = rf"(?:what|which) (?:{_LAND}|part of the world)"
_FROM = phrases(
    r"""
    (come |originally |hail(s|ed|ing)? )?from
    (hail|originat)\w*
    origins?
    formed|based|founded|start(ed)?|native|raised
    belong(s|ed)?
    calls? home
    """
)
_ORIGIN = phrases(
    rf"""
    birth ?(place|country)
    ({_LAND}) of (birth|origin)
    (original |own )?(home|native|origin|birth) ?(country|land|nation)
    (original|own) (country|nation)
    homeland|motherland|nationality|country code|citizenship
    """
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What is asked of one artist: all patterns of one of `lines` stand in the question."""

    key: str
    compose: Compose
    lines: tuple[tuple[str, ...], ...]


def _intents(asked: Asked) -> list[Intent]:
    """What may be asked of one artist, the narrower before the wider."""
    year = bool(asked.has(_YEAR))
    lasting = asked.at if asked.has("(?:has|have) .*been") else None
    return [
        Intent(
            "lifespan",
            life.Age(asked.at, death=True),
            ((r"how old|(?:at )?(?:what|which) age", r"when|at|age", _DIED), (r"age", _DIED)),
        ),
        Intent("lifespan", life.Age(asked.at), ((r"how (?:many years )?old|age",),)),
        Intent("lifespan", life.Ended(year=year), ((_WHEN, _DIED),)),
        Intent(
            "lifespan",
            life.Ended(alive=None, year=year),
            ((_WHEN, _PARTED), (r"(?:until|till) (?:when|(?:what|which) year)", _LASTING)),
        ),
        Intent(
            "lifespan",
            life.Lives(),
            (
                (
                    rf"^(?:is|are|do|does) {THE}{ARTIST}",
                    r"(?:still )?(?:alive|active|together|living|performing|around|going|exist"
                    r"|live|perform|play(?:ing)?|make music|making music)(?: together)?",
                ),
                (rf"^(?:is|are) {THE}{ARTIST} still (?:a )?(?:band|group)",),
            ),
        ),
        Intent(
            "lifespan",
            life.Lives("no", "yes"),
            (
                (
                    rf"^(?:has|have|did|is|are) {THE}{ARTIST}(?: already| ever)?",
                    f"{_DEAD}|{_PARTED}",
                ),
            ),
        ),
        Intent(
            "lifespan",
            life.Span(),
            (
                (r"life ?span|years active|active years",),
                (_SPAN,),
            ),
        ),
        Intent(
            "lifespan",
            life.Lasted(lasting),
            (
                (
                    r"how (?:long|many years)",
                    rf"{_LASTING}|(?:a|one) (?:band|group)",
                ),
            ),
        ),
        Intent(
            "birth_date",
            dates.Year() if year else Value(first=True),
            ((_WHEN, BORN), (r"birth ?date|birthday|dob|birth year|(?:date|day|year) of birth",)),
        ),
        Intent(
            "birth_date",
            dates.Since(asked.at),
            ((r"how (?:long|many years)", r"since|ago", FORMED),),
        ),
        Intent(
            "birth_date",
            dates.Began(bool(asked.has(BEGAN_BAND)), year),
            ((_WHEN, FORMED), (r"formation (?:date|year)",)),
        ),
        Intent(
            "birth_place",
            Value(first=True),
            (
                (rf"where|{_COUNTRY}", rf"{BORN}|{_FROM}"),
                (_ORIGIN,),
                (r"what|which|tell|name", r"country|origins?|nation"),
            ),
        ),
    ]


def read(asked: Asked, names: Names) -> list[Reading]:
    found = apposed(take_out(asked, names, ARTISTS, ARTIST, _CUES))
    if found.rest.has(_MADE) or not found.named or found.rest.match(_DESCRIBED):
        return []
    if len(found.named) > 1:
        return pair.read(found)
    return _born_within(found) or _is_from(found) or _of_one(found)


def _of_one(found: Found) -> list[Reading]:
    rest = found.rest
    first = pair.stranger(found) or members.read_edge(found)
    for intent in _intents(rest):
        if any(explained(rest, line) for line in intent.lines):
            return [
                *first,
                *(
                    Reading(f"ALL get_person({quoted(name)})[{quoted(intent.key)}]", intent.compose)
                    for name in found.named[0]
                ),
            ]
    return first or members.read(found)


def _is_from(found: Found) -> list[Reading]:
    """Whether an artist is from a country."""
    rest = found.rest
    countries = "|".join(CODES)
    match = rest.match(rf"(?:in |from |an? )?(?:the )?(?P<country>{countries})")
    polar = rf"^(?:is|was|were|are|did|does|do) {THE}{ARTIST}"
    if match is None or not explained(rest, (polar, match.group()), 0):
        if match is None or not explained(rest, (polar, rf"{BORN}|{_FROM}", match.group()), 0):
            return []
    program = f'ALL get_person({quoted(found.firsts[0])})["birth_place"]'
    return [Reading(program, Is(CODES[match["country"]]))]


def _born_within(found: Found) -> list[Reading]:
    """Whether an artist was born, or began, in a time."""
    meant, rest = window(found.rest)
    polar = rf"^(?:is|was|were|did|has|have|had) {THE}{ARTIST}"
    if meant is None or not explained(rest, (polar, f"{BORN}|{FORMED}", TIME)):
        return []
    program = f'ALL get_person({quoted(found.firsts[0])})["birth_date"]'
    return [Reading(program, dates.Within(meant.low, meant.high, exact=True))]
