"""Questions about who belongs to one band, or to which bands one musician does."""

from collections.abc import Callable

from models.kg.english.music import answers_members as say
from models.kg.english.music.answers_dates import EdgeRow
from models.kg.english.music.words import ARTIST, PEOPLE, THE, Found, explained, less, phrases
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_NUMBERS = {
    name: number for number, name in enumerate("two three four five six seven eight".split(), 2)
}
_STATED = rf"(?:{'|'.join(_NUMBERS)}|[2-8])"
_SIZES = {"duo": 2, "trio": 3, "quartet": 4, "quintet": 5, "sextet": 6}
_MANY_MORE = 99
# How English bounds a number -> the lowest and highest that are meant.
_BOUNDS: dict[str, Callable[[int], tuple[int, int]]] = {
    "more than": lambda n: (n + 1, _MANY_MORE),
    "over": lambda n: (n + 1, _MANY_MORE),
    "at least": lambda n: (n, _MANY_MORE),
    "fewer than": lambda n: (0, n - 1),
    "less than": lambda n: (0, n - 1),
    "under": lambda n: (0, n - 1),
    "at most": lambda n: (0, n),
    "exactly": lambda n: (n, n),
    "only": lambda n: (n, n),
}
_POLAR = r"^(?:does|do|did|is|are|was|were|has|have|had) (?!you )"
_BELONG = phrases(
    r"""
    (a )?members? of
    (a )?part of
    belong(s|ed|ing)?( to)?
    in
    with
    for
    from
    (play|perform|sing|work|start)(s|ed|ing)?( in| with| for)?
    sang|sung
    join(s|ed|ing)?
    form(s|ed|ing)?
    front(s|ed|ing)?
    """
)
_BANDS = r"(?:music(?:al)? |rock |pop |different )*(?:bands?|groups?|duos?|trios?)"
# How English asks who belongs to a band: all of a line's patterns stand in the question.
_WHO = (
    (rf"(?:{_STATED} )?(?:band ?)?members?|line ?up|bandmates|membership|personnel",),
    (
        r"who|whom|everyone|everybody|all",
        rf"(?:all )?(?:in|part of|belongs? to|play(?:s|ed)? (?:in|for|with)"
        r"|(?:sings?|sang|sung) (?:in|for|with)"
        r"|perform(?:s|ed)? (?:in|with)|comprises?) "
        rf"(?:the (?:\w+ )?(?:band|group|duo|trio) )?{ARTIST}",
    ),
    (r"composition of|who all|who (?:is|are|was|were)(?: all)? (?:in )?the (?:guys|people)",),
    (
        rf"who|what people|(?:which|what) {PEOPLE}",
        r"ma[kd]e?s? up|making up|constitut\w+|compris\w+|consist\w*|compos\w+|form(?:s|ed)?",
    ),
    (
        PEOPLE,
        rf"(?:in|part of|ma[kd]es? up|of|been|played|belonged to) "
        rf"(?:the (?:band|group|duo|trio) )?{ARTIST}",
    ),
    (rf"{ARTIST} (?:is |are )?(?:made up|composed|comprised|consists?|consisted) of",),
)
_MANY = (
    (rf"how many(?: (?:different|total|band|group|official|permanent))* {PEOPLE}",),
    (
        rf"(?:total )?(?:number|count|amount) of (?:all )?(?:the )?{PEOPLE}"
        r"|size of|how (?:big|large)|(?:member|head) ?count",
    ),
    (rf"how many (?:are|were|is|was)(?: there)? (?:in|part of) {THE}{ARTIST}",),
)
# A line-up of a time: of few members none has likely come or gone.
_FIRST = r"original(?:ly)?|founding|first"
_NOW = r"current(?:ly)?|now(?:adays)?|today|at present|present(?:-day)?|still|at the moment"
_GONE = r"former(?:ly)?|ex|past|left|died|dead|deceased|living|surviving|late"
_OLDEST = r"oldest|eldest|born (?:first|earliest)|most senior|first born"
_YOUNGEST = r"youngest|born (?:last|latest|most recently)|last born"


# All there ever were, as the KG has them.
_GONE_ONES = r"(?:former|past|ex)(?: ones?| members?)?"
_GONE_OR_NOT = r"(?:current|present|past|former|old|ex)"
_EVERYONE = phrases(
    rf"""
    (both )?{_GONE_OR_NOT} (and|or|as well as|plus) {_GONE_OR_NOT}
    (including|includes?|counting|with|plus|and)( all| any| the)* {_GONE_ONES}
    {_GONE_ONES} (included|counted|too|as well|also)
    (over|through|throughout|across|down|during) (all )?(the|its|their) (years|history|career)
    (of|for) all time|at (any|one) (time|point)|(have|has|had) ever
    """
)
_EVERY = 15  # a longer list nobody asks for


def read(found: Found) -> list[Reading]:
    """What is asked of one band, or of one musician's bands."""
    rest = found.rest
    every = _less_all(rest, _EVERYONE)
    if every != rest and not every.has(_GONE, _NOW, _FIRST) and _asks_who(every):
        return _readings(found, say.Members(most=_EVERY))
    if rest.has(_GONE):
        return []
    if rest.match(_POLAR):
        return _of_size(found)
    for pattern, compose in (
        (rf"how many {_BANDS}", say.Members(count=True, least=1, most=99)),
        (rf"(?:what|which|name|list)(?: (?:all|other|of|the))* {_BANDS}", say.Bands()),
    ):
        if explained(rest, (pattern, _BELONG)) and not rest.has(_NOW, _FIRST):
            return _readings(found, compose)
    if any(explained(rest, line) for line in _MANY) and not rest.has("more|fewer|less|than"):
        return _readings(found, say.Members(count=True))
    return _readings(found, _line_up(rest)) if _asks_who(rest) else []


def _less_all(rest: Asked, pattern: str) -> Asked:
    match = rest.match(pattern)
    return rest if match is None else _less_all(less(rest, match), pattern)


def _of_size(found: Found) -> list[Reading]:
    """Whether a band has so many members."""
    match = found.rest.match(
        rf"{_POLAR}{THE}{ARTIST} (?:has |have |got )?(?:an? )?(?:(?P<how>{'|'.join(_BOUNDS)}) )?"
        rf"(?:(?P<number>{_STATED}) (?:(?:\w+ )?{PEOPLE}|piece)|(?P<size>{'|'.join(_SIZES)}))"
    )
    if match is None or not explained(found.rest, (match.re.pattern,), 0):
        return []
    number = _SIZES.get(match["size"] or "") or _number(match["number"])
    low, high = _BOUNDS[match["how"]](number) if match["how"] else (number, number)
    return _readings(found, say.HasMembers(low, high))


def _number(said: str) -> int:
    return _NUMBERS.get(said) or int(said)


def _asks_who(rest: Asked) -> bool:
    said = [pattern for pattern in (f"{_FIRST}|{_NOW}", _STATED) if rest.has(pattern)]
    return any(explained(rest, (*line, *said)) for line in _WHO)


def _line_up(rest: Asked) -> Compose:
    """All members, as many as the question says; of one time, only of a band that hardly changed"""
    stated = rest.match(rf"(?P<number>{_STATED}) (?:\w+ )?{PEOPLE}")
    if stated is not None:
        number = _number(stated["number"])
        return say.Members(least=number, most=number)
    return say.FewMembers(now=bool(rest.has(_NOW))) if rest.has(_NOW, _FIRST) else say.Members()


def read_edge(found: Found) -> list[Reading]:
    """Who of a band is the oldest or youngest."""
    rest = found.rest
    if rest.has("how old|when|where|how many|age|original|founding", _NOW, _GONE):
        return []
    for pattern, latest in ((_OLDEST, False), (_YOUNGEST, True)):
        if explained(rest, (pattern, r"members?|in|of|from|out of")):
            name = quoted(found.firsts[0])
            program = f'ALL get_person(ALL get_person({name})["members"])["birth_date"]'
            return [Reading(program, EdgeRow("birth_date", latest))]
    return []


def _readings(found: Found, compose: Compose) -> list[Reading]:
    return [
        Reading(f'ALL get_person({quoted(name)})["members"]', compose) for name in found.named[0]
    ]
