"""Questions about artists: birth, origin, age, how long they lasted, members; two of them."""

from dataclasses import dataclass

from models.kg.english.compose import Difference, Most, Value
from models.kg.english.music import answers as say
from models.kg.english.music.times import window
from models.kg.english.music.words import ARTIST, TIME, WHEN, Found, explained, take_out
from models.kg.english.names import ARTISTS, Names
from models.kg.english.question import Asked
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.records import INVALID

_CUES = frozenset(
    """
    active age aged alive all artist artists band bands began begin beginning belong belonged birth
    birthdate birthday birthplace bore born break broke broken call called come comes consist
    consists country created creation date day dead death debut did die died disband disbanded does
    duo earlier elder ended first form formation formed found founded from gap group groups hail
    hails hometown in join joined later line lineup living long longer made make members member
    music musician musicians nation nationality native old older oldest one origin original
    originally originate out part pass passed people perform performed performer performing person
    place play playing quit rapper singer singers singing solo split start started starting
    still there those together two up was were when where which who year years young younger
    youngest name names the date's
    """.split()
)

_WHEN = rf"since when|{WHEN}|birth ?(?:date|day|year)|tell me|do you know"
_BORN = r"born|birth ?(?:date|day|year)|(?:date|day|year|time) of birth|birthdays?|birthdate|dob"
_FORMED = (
    r"(?:first )?(?:form(?:ed|ation|ing)?|found(?:ed|ing|ation)|establish(?:ed|ment)?|creat(?:ed|ion)|incepti?on"
    r"|assembled?|(?:started?|beg[aiu]n|beginning)(?: out| off)?(?: their| its| the)?"
    r" (?:perform(?:ing|ances)?|play(?:ing)?|making music|singing|career|music career|journey|band"
    r"|group|as|together|to (?:perform|play|sing|make music))(?: music)?(?: together)?(?: as)?"
    r"|start(?:ed)?|originated?|(?:get|got|came|come|coming|getting|band(?:ed)?|put) together"
    r"|(?:first )?(?:perform|play)(?:ed)? together|begin|began|come into (?:being|existence)|originate)"
    r"|active since|(?:been|become) (?:active|performing|together)"
)
_BAND = (
    r"band|group|duo|trio|quartet|quintet|boy ?band|girl group|ensemble|together|form(?:ed|ation)"
)
_DIED = r"die[ds]?|death|pass(?:ed|es)?(?: away)?|passing|deceased"
_PARTED = (
    r"disband(?:ed|ing|ment)?|(?:break|broke|broken|breaking)(?: ?up)|(?:split|splitting)(?: up)?"
    r"|dissol\w+|(?:call|called) it quits|part(?:ed)? ways|separat\w+|go separate ways|ceased?"
    r"|(?:stop|stopped|quit) (?:performing|playing|making music)(?: together)?|breakup|ended?|end"
)
_THE = r"(?:the )?(?:(?:band|singer|group|artist|rapper|musician) )?"
_YEAR = r"(?:what|which|exact|birth|the) year|year of birth"
_PEOPLE = r"(?:band ?|group )?(?:members?|people|persons?|musicians|artists|singers|performers|guys|girls)"
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Intent:
    """What is asked of one artist: all of a line's patterns stand in the question, of any line."""

    key: str
    compose: Compose
    lines: tuple[tuple[str, ...], ...]
    every: bool = True


def _one(asked: Asked) -> list[Intent]:
    """What may be asked of one artist, the narrower before the wider."""
    year = asked.has(_YEAR)
    band = asked.has(_BAND)
    born = say.Year() if year else Value(first=True)
    return [
        Intent(
            "lifespan",
            say.Age(asked.at, death=True),
            ((r"how old", r"when", _DIED), (r"age", r"at|when", _DIED)),
        ),
        Intent("lifespan", say.Age(asked.at), ((r"how old",), (r"age",), (r"how many years old",))),
        Intent("lifespan", say.Ended(year=year), ((_WHEN, _DIED),)),
        Intent("lifespan", say.Ended(alive=None, year=year), ((_WHEN, _PARTED),)),
        Intent(
            "lifespan",
            say.Lives(),
            (
                (
                    rf"^(?:is|are) {_THE}{ARTIST}",
                    r"(?:still )?(?:alive"
                    r"|active|together|living|performing)",
                ),
                (rf"^(?:is|are) {_THE}{ARTIST} still (?:a )?(?:band|group)",),
            ),
        ),
        Intent(
            "lifespan",
            say.Lives("no", "yes"),
            (
                (
                    rf"^(?:has|have|did|is|are) {_THE}{ARTIST}"
                    rf"(?: already| ever)?",
                    rf"dead|{_DIED}|{_PARTED}",
                ),
            ),
        ),
        Intent(
            "lifespan",
            say.Span(),
            (
                (
                    r"life ?span|years active|active years"
                    r"|(?:when|(?:what|which) years) (?:is|was|were|are) ARTIST (?:active|together)",
                ),
            ),
        ),
        Intent(
            "lifespan",
            say.Lasted(asked.at if asked.has("(?:has|have) .*been") else None),
            (
                (
                    r"how (?:long|many years)",
                    r"together|active|last(?:ed)?"
                    r"|exist(?:ed)?|alive|live|performing|(?:a|one) (?:band|group)",
                ),
            ),
        ),
        Intent(
            "birth_date",
            born,
            (
                (_WHEN, _BORN),
                (
                    r"birth ?date|birthday|dob|birth year"
                    r"|(?:date|day|year|time) of birth",
                ),
            ),
        ),
        Intent(
            "birth_date",
            say.Began(bool(band), bool(year)),
            ((_WHEN, _FORMED), (r"how long (?:ago|back)", _FORMED), (r"formation (?:date|year)",)),
        ),
        Intent(
            "birth_place",
            Value(first=True),
            (
                (
                    r"where|(?:what|which) (?:country|nation|place|part of the world)",
                    rf"{_BORN}|from"
                    r"|come from|hail(?:s|ed)?(?: from)?|originat\w+|origins?|originally from|formed|based"
                    r"|founded|start(?:ed)?|native|belong(?:s|ed)?|raised",
                ),
                (
                    r"birth ?(?:place|country)|(?:place|country|nation|land) of (?:birth|origin)"
                    r"|(?:home|native|origin) (?:country|land)|homeland|nationality|country code",
                ),
                (r"what|which|tell|name", r"country|origins?|nation"),
            ),
        ),
        *_members(),
    ]


def _members() -> list[Intent]:
    """Who belongs to a band, and how many; of a person, to which bands."""
    return [
        Intent(
            "members",
            say.Members(count=True, least=1, most=99),
            (
                (
                    r"how many (?:different )?(?:bands|groups)",
                    r"member of|part of|belong\w*|in|play(?:ed)?|join(?:ed)?",
                ),
            ),
        ),
        Intent(
            "members",
            say.Members(least=1, most=99),
            (
                (
                    r"(?:what|which|name|list)(?: (?:all|other|of|the|different|music|musical))* (?:bands?|groups?)",
                    r"member of|part of|belong\w*|in|play(?:ed)?|join(?:ed)?",
                ),
            ),
        ),
        Intent(
            "members",
            say.Members(count=True),
            (
                (rf"how many(?: (?:different|total|band|group|official|permanent))* {_PEOPLE}",),
                (
                    r"(?:total )?(?:number|count) of (?:all )?(?:the )?(?:band )?(?:members|people|musicians)|size of|how (?:big|large)|member count",
                ),
                (rf"how many (?:are|were|is|was)(?: there)? (?:in|part of) {_THE}{ARTIST}",),
            ),
        ),
        Intent(
            "members",
            say.Members(),
            (
                (r"(?:[1-9] )?(?:band ?)?members?|line ?up|bandmates",),
                (
                    r"who|whom",
                    rf"(?:all )?(?:in|in the (?:band|group|duo|trio)|part of(?: the (?:band|group))?"
                    rf"|belongs? to|plays? in|sings? in|performs? in) {ARTIST}",
                ),
                (r"composition of|who all",),
                (
                    rf"who|what people|(?:which|what) {_PEOPLE}",
                    r"(?:make|made|makes|making) up|constitut\w+|compris\w+|consist\w*|compos\w+|form(?:s|ed)?",
                ),
                (
                    r"people|musicians|singers|persons?",
                    rf"(?:in|part of|make up|makes up|made up) (?:the (?:band|group) )?{ARTIST}",
                ),
                (rf"{ARTIST} (?:is |are )?(?:made up|composed|comprised|consists?|consisted) of",),
            ),
        ),
    ]


_CHANGING = (
    r"current(?:ly)?|now|today|at present|original(?:ly)?|founding|former|ex|past|still|left"
)

# How English compares when artists were born, or began: whether the later date is asked for.
# A question with any of these is about what artists made.
_MADE = (
    r"songs?|albums?|tracks?|records?|releas\w+|discography|ep|lp|tunes?|gramm\w+|billboard|hits?"
)

_COMPARISONS = (
    (r"younger|youngest|(?:born|birthday) (?:later|last|more recently|after)", True),
    (
        r"older|oldest|elder|eldest|(?:born|birthday) (?:first|earlier|before|sooner)|senior"
        r"|(?:earlier|earliest|first) (?:born|birth ?(?:date|day)?)",
        False,
    ),
    (
        rf"(?:{_FORMED})(?: as an? (?:band|group))? (?:later|last|more recently)|newer|newest"
        rf"|(?:most|more) recently (?:{_FORMED})|later (?:{_FORMED})",
        True,
    ),
    (
        rf"(?:{_FORMED})(?: as an? (?:band|group))? (?:first|earlier|earliest|sooner)|(?:first|earlier) to (?:{_FORMED})"
        rf"|first (?:{_FORMED})|around (?:first|longer)|been (?:around|performing|together|active)|(?:active|together) (?:longer|longest|first)",
        False,
    ),
)


def read(asked: Asked, names: Names) -> list[Reading]:
    found = take_out(asked, names, ARTISTS, ARTIST, _CUES)
    if found.rest.has(_MADE):
        return []
    match len(found.named):
        case 1:
            return _born_within(found) or _of_one(found, asked)
        case 2:
            return [*_of_two(found), *_compared(found)]
        case 0:
            return []
        case _:
            return _compared(found)


def _of_one(found: Found, asked: Asked) -> list[Reading]:
    rest = found.rest
    readings = [
        Reading(f"ALL get_person({quoted(name)})[{quoted(intent.key)}]", intent.compose)
        for intent in _one(asked)
        if any(explained(rest, line) for line in intent.lines)
        and not (intent.key == "members" and rest.has(_CHANGING))
        for name in found.named[0]
    ]
    return [*_member_by_age(found), *_first_kind(readings, len(found.named[0]))]


def _born_within(found: Found) -> list[Reading]:
    """Whether an artist was born, or began, in a time."""
    meant, rest = window(found.rest)
    polar = rf"^(?:is|was|were|did|has|have|had) {_THE}{ARTIST}"
    if meant is None or not explained(rest, (polar, f"{_BORN}|{_FORMED}", TIME)):
        return []
    program = f'ALL get_person({quoted(found.firsts[0])})["birth_date"]'
    return [Reading(program, say.Within(meant.low, meant.high, exact=True))]


def _first_kind(readings: list[Reading], spellings: int) -> list[Reading]:
    """The readings of the first intent that fits, one a spelling of the name."""
    return readings[:spellings]


def _member_by_age(found: Found) -> list[Reading]:
    """Who of a band is the oldest or youngest."""
    oldest = r"oldest|eldest|born (?:first|earliest)|most senior|first born"
    youngest = r"youngest|born (?:last|latest|most recently)|last born"
    for pattern, latest in ((oldest, False), (youngest, True)):
        if explained(found.rest, (pattern, r"members?|in|of|from|out of")) and not found.rest.has(
            "how old|when|where|how many|age|" + _CHANGING
        ):
            name = quoted(found.firsts[0])
            program = f'ALL get_person(ALL get_person({name})["members"])["birth_date"]'
            return [Reading(program, say.EdgeRow("birth_date", latest))]
    return []


def _of_two(found: Found) -> list[Reading]:
    one, other = found.firsts
    rest = found.rest
    members = _each("members", found)
    between = (
        r"member of|part of|in|belong\w*|play(?:s|ed)?(?: in| with| for)?|join(?:ed)?|with"
        r"|sing(?:s)? (?:in|with|for)|perform(?:s|ed)? (?:in|with)|from"
    )
    role = (
        r"(?:lead |bass |back ?up )?(?:drummer|bassist|guitarist|singer|vocalist|keyboardist|"
        r"frontman|frontwoman|pianist|member|musician|drums|guitar|bass|keyboards?|vocals|piano)"
    )
    asks = rf"^(?:so )?(?:is|was|are|were|did|does|has|have) {ARTIST}"
    presupposes = (
        r"when|how long|how many years|what (?:year|instrument|role)|which (?:year|instrument)|why"
    )
    joined = r"join(?:ed|ing)?|le(?:ave|ft|aving)|quit|member of|part of|be in|play(?:ed|ing)?|replace[ds]?"
    if explained(
        rest, (asks, between, r"(?:a |the )?members?(?: of)?|part of|in|belong\w*|join(?:ed)?")
    ):
        return [Reading(members, say.Belongs((one, other)))]
    if rest.match(asks) and rest.has(role, between) and explained(rest, (asks, role, between)):
        return [Reading(members, say.Belongs((one, other), yes=None))]
    if rest.match(presupposes) and any(
        explained(rest, (presupposes, *line), spare=2)
        for line in ((role, joined), (role,), (joined,))
    ):
        return [Reading(members, say.Belongs((one, other), yes=None, no=INVALID))]
    return _same_and_apart(found)


def _same_and_apart(found: Found) -> list[Reading]:
    rest = found.rest
    born = _each("birth_date", found)
    polar = r"^(?:is|was|are|were|did|does|do|has|have)"
    if explained(rest, (polar, r"same (?:year|time)", f"{_BORN}|{_FORMED}")):
        return [Reading(born, say.Same(4))]
    if explained(rest, (polar, r"same (?:date|day|birthday)", _BORN)):
        return [Reading(born, say.Same())]
    if explained(rest, (polar, r"same (?:country|place|nation\w*)")):
        return [Reading(_each("birth_place", found), say.Same())]
    gap = r"how many years|how much|age (?:difference|gap)|difference|years apart|by how many years"
    if explained(rest, (gap, rf"older|younger|age|ages|apart|{_BORN}|{_FORMED}")):
        return [Reading(born, say.Apart())]
    for pattern, latest in _COMPARISONS:
        than = rf"(?:{pattern})(?: as)? (?:than|before|after) {ARTIST}|(?:born|{_FORMED}) {'after' if latest else 'before'} {ARTIST}"
        if explained(rest, (rf"{polar} {ARTIST}", than)):
            return [Reading(born, say.Sooner(later=latest))]
    return []


def _compared(found: Found) -> list[Reading]:
    """Which of several artists is the younger, or began first, or has more members."""
    rest = found.rest
    counts = "; ".join(f'get_person({quoted(n)})["members"]["len"]' for n in found.firsts)
    if explained(rest, (r"how many (?:more|fewer)|difference", r"(?:band )?members|people")):
        return [Reading(counts, Difference())] if len(found.named) == _PAIR else []
    for pattern, least in (
        (r"more|most|larger|largest|bigger|biggest", False),
        (r"fewer|fewest|less|least|smaller|smallest", True),
    ):
        if explained(rest, (r"who|which|what", pattern, r"members|people|lineup|bands?|groups?")):
            return [Reading(counts, Most(found.firsts, least))]
    asks = rf"who|which|what|name|tell|whose|between|out of|of|{ARTIST} or (?:the )?{ARTIST}"
    for pattern, latest in _COMPARISONS:
        if explained(rest, (asks, pattern)) and not rest.has("how (?:old|many|much)|when|where"):
            return [Reading(_each("birth_date", found), say.Edge(found.firsts, latest))]
    return []


def _each(key: str, found: Found) -> str:
    calls = (f"ALL get_person({quoted(name)})[{quoted(key)}]" for name in found.firsts)
    return "; ".join(calls)
