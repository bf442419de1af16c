"""How English names the Oscars: their categories, their ceremonies, and what is asked of them."""

import re
from dataclasses import dataclass

from models.kg.english.movie.keys import ORDINALS
from models.kg.linking.question import Asked

_FILM = r"(?:film|movie|picture|feature|motion picture)"
_BEST = r"(?:best |outstanding |top )"
_IN_SUPPORT = r"in an? (?:supporting|secondary) role"
_LEAD = r"in an? (?:leading|lead|main) role"
_PERFORMED = r"(?:performance by an? )?"

# A category, as English says it -> the name that the query language knows it by. The first fits.
_CATEGORIES: tuple[tuple[str, str], ...] = (
    (
        "best supporting actor",
        rf"{_BEST}?(?:actor|male performance|performance by an? actor) {_IN_SUPPORT}"
        rf"|{_BEST}?supporting (?:male )?actor(?: role)?",
    ),
    (
        "best supporting actress",
        rf"{_BEST}?(?:actress|female performance|performance by an? actress) {_IN_SUPPORT}"
        rf"|{_BEST}?supporting (?:actress|female actor)(?: role)?",
    ),
    (
        "best actor",
        rf"{_BEST}?{_PERFORMED}(?:lead |leading )?actor {_LEAD}"
        rf"|{_BEST}(?:lead |leading |male )?(?:actor|actor leading)|lead(?:ing)? actor",
    ),
    (
        "best actress",
        rf"{_BEST}?{_PERFORMED}(?:lead |leading )?actress {_LEAD}"
        rf"|{_BEST}(?:lead |leading )?(?:actress|female actor)|lead(?:ing)? actress",
    ),
    (
        "best director",
        rf"{_BEST}(?:film |movie )?(?:director|directing|direction|directed)"
        rf"|(?:achievement in )directing|directing (?=award|oscar|category)",
    ),
    (
        "best animated short",
        rf"{_BEST}?(?:animated short|short animated|animation short|short animation"
        rf"|short film animated)(?: subject)?(?: {_FILM})?",
    ),
    (
        "best animated feature",
        rf"{_BEST}(?:animated|animation)(?: feature)?(?: length)?(?: {_FILM})?"
        rf"|animated feature(?: {_FILM})?",
    ),
    (
        "best live action short",
        rf"{_BEST}?(?:live action short|short live action|short film live action)(?: {_FILM})?",
    ),
    (
        "best documentary short",
        rf"{_BEST}?(?:documentary short|short documentary)(?: subject)?(?: {_FILM})?",
    ),
    (
        "best documentary feature",
        rf"{_BEST}?(?:documentary|feature)(?: feature| documentary| length)+(?: {_FILM})?"
        rf"|{_BEST}documentary(?: {_FILM})?",
    ),
    (
        "best foreign language film",
        rf"{_BEST}?(?:foreign|international)(?: language)?(?: feature)? {_FILM}"
        rf"|{_BEST}(?:foreign language|foreign|international)(?: feature)?",
    ),
    (
        "best original screenplay",
        rf"{_BEST}?(?:original (?:screenplay|script|writing)|(?:screenplay|writing) original"
        r"(?: screenplay)?|writing \(?original screenplay)",
    ),
    (
        "best adapted screenplay",
        rf"{_BEST}?(?:adapted (?:screenplay|script)|(?:screenplay"
        rf"|writing) adapted(?: screenplay)?)",
    ),
    (
        "best original song",
        rf"{_BEST}(?:original |film |movie )?song|music original song|original song",
    ),
    (
        "best original score",
        rf"{_BEST}(?:original |film |musical |dramatic |music )*(?:score|music|soundtrack)"
        r"|original (?:musical )?score|music original score",
    ),
    ("best cinematography", rf"{_BEST}?(?:cinematography|cinematographer)"),
    ("best film editing", rf"{_BEST}(?:film |picture )?(?:editing|editor)|film editing"),
    (
        "best production design",
        rf"{_BEST}?(?:production design|art direction|set decoration)",
    ),
    ("best costume design", rf"{_BEST}?costume design(?:er)?|{_BEST}costumes?"),
    (
        "best makeup and hairstyling",
        rf"{_BEST}?(?:makeup|make up)(?: and (?:hair ?styling|hair))?|{_BEST}hair ?styling",
    ),
    ("best visual effects", rf"{_BEST}?(?:visual|special)(?: and special)? effects"),
    ("best sound editing", rf"{_BEST}?sound (?:effects )?editing"),
    ("best sound mixing", rf"{_BEST}?sound mixing"),
    ("best sound", rf"{_BEST}(?:achievement in )?sound"),
    ("irving g. thalberg memorial award", r"(?:irving g? ?)?thalberg(?: memorial)?(?: award)?"),
    ("jean hersholt humanitarian award", r"(?:jean )?hersholt(?: humanitarian)?(?: award)?"),
    ("honorary award", r"honorary (?:award|academy award|oscar)"),
    (
        "best picture",
        rf"{_BEST}(?:motion )?(?:picture|film|movie)|outstanding production"
        r"|(?:top|highest|main|biggest) (?:prize|award|honou?r)",
    ),
    (
        "acting",
        r"(?:for|in) (?:their )?acting|acting (?=award|oscar|academy|nomination|categor|win)",
    ),
    (
        "writing",
        r"(?:for|in) (?:screen)?writing|writing (?=award|oscar|academy|nomination|categor)",
    ),
)
# What a question without a category says of the kind of film.
_KINDS: tuple[tuple[str, str], ...] = (
    ("best animated feature", rf"animated (?:feature )?{_FILM}|cartoon"),
    ("best documentary feature", rf"documentary(?: {_FILM})?"),
    (
        "best foreign language film",
        rf"(?:foreign|international) (?:language )?{_FILM}"
        rf"|{_FILM} (?:from abroad|from overseas|in a foreign language|from another country)",
    ),
    ("best director", r"(?:which|what|name the|(?:is|was) the|tell me the) (?:film )?director"),
)
_PRIZE = r"(?:oscars?|academy|awards?|prize|trophy|statuette|category|nominat\w+)"
# What says a category in front of the prize's name alone: "the editing oscar"; or behind "for".
_SHORT: dict[str, str] = {
    "best actor": "actor",
    "best actress": "actress",
    "best director": "director|directing|direction",
    "best animated feature": rf"(?:animated|animation)(?: {_FILM})?|cartoon",
    "best documentary feature": rf"documentary(?: {_FILM})?",
    "best foreign language film": rf"(?:foreign|international)(?: language)?(?: {_FILM})?",
    "best original song": "song",
    "best original score": "score|music",
    "best film editing": "editing",
    "best costume design": "costumes?",
    "best sound": "sound",
    "best picture": "picture|film",
}
_FOR = r"(?:(?<=oscar for )|(?<=oscars for )|(?<=award for )|(?<=awards for ))"
# "The oscar for the song …" goes on with a name.
_OF_WORK = "directing|direction|film editing|editing|costumes?"


def _category(name: str, pattern: str) -> re.Pattern[str]:
    short = _SHORT.get(name)
    if short is None:
        return re.compile(rf"\b(?:{pattern})\b")
    said = "|".join(word for word in short.split("|") if word in _OF_WORK.split("|"))
    behind = rf"|{_FOR}(?:{said})" if said else ""
    return re.compile(rf"\b(?:{pattern}|(?:{short})(?= {_PRIZE}){behind})\b")


_PATTERNS = tuple((name, _category(name, pattern)) for name, pattern in _CATEGORIES)

OSCARS = r"(?:oscars?|academy(?: awards?| honors?| honours?)?)"
AWARDS = rf"(?:{OSCARS}|awards?|accolades?|trophy|trophies|honors?|honours?|prizes?|statuettes?)"
WON = (
    r"w[io]ns?|winn(?:er|ers|ing)|took home|take home|taken home|takes home|taking home"
    r"|receiv(?:ed?|ing)"
    r"|recipients?|awarded|honou?r(?:ed|ing)?|recogni[sz](?:ed|ing)|earn(?:ed|ing)?|got|gets?"
    r"|claimed?"
    r"|claim(?:ed|ing)?|bag(?:ged|ging)?|scoop(?:ed)?|snag(?:ged)?|nab(?:bed)?|land(?:ed)?|secured?"
    r"|grab(?:bed)?|clinch(?:ed)?|praised|distinguished|crowned|presented|given|named|garner(?:ed)?"
    r"|(?:w[ae]nt|go(?:es|ing)?|walk(?:ed|s|ing)?|c[ao]me|ran|left) (?:home|away|off) with"
    r"|carr(?:y|ied) (?:off|home|away)|hand(?:ed)?|went to|go to"
    r"|victor(?:y|ious)|triumph(?:ed|ant)?|accept(?:ed)?|walked away|picked up|captured|celebrated"
    r"|acknowledged|bestowed|selected|deemed|voted|chosen|collect(?:ed)?|rewarded|collected"
)
NOMINATED = r"nominat(?:ed|ions?|ing)|nominees?|nods?|up for|contenders?|shortlisted|competed"
# Awards that are not the Oscars.
_OTHERS = re.compile(
    r"\b(?:baftas?|golden globes?|emmys?|grammys?|tony|tonys|cannes|palme|sag|critics|guild"
    r"|razzies?"
    r"|raspberry|mtv|people choice|saturn|venice|berlin\w*|sundance|cesar|goya|filmfare|independent"
    r"|national board|annie|bet|billboard|mvp|heisman)\b"
)
_FIRST_CEREMONY = 1928  # the ceremony of a year is that many years after its number
_CEREMONY = re.compile(rf"\b(\d{{1,3}})(?:st|nd|rd|th)\b(?= (?:annual )?{OSCARS})")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FILM_LEVEL = frozenset(
    ("best picture", "best animated feature", "best animated short", "best live action short",
     "best documentary feature", "best documentary short", "best foreign language film",
     "best visual effects")
)  # fmt: skip
OF_PEOPLE = frozenset(
    ("best actor", "best actress", "best supporting actor", "best supporting actress",
     "best director", "acting")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Award:
    """What a question says of the Oscars.

    Attributes:
        rest: its words without those of categories and ceremonies; CATEGORY stands for a category.
        categories: by their names in the query language, in the order of the question.
        years: of ceremonies.
        oscars: whether the Oscars are named as such.
        nominated: whether nominations are asked for, rather than wins.
    """

    rest: Asked
    categories: tuple[str, ...]
    years: tuple[int, ...]
    oscars: bool
    nominated: bool

    @property
    def category(self) -> str | None:
        return self.categories[0] if self.categories else None


CATEGORY = "xcategory"


def award_of(rest: Asked) -> Award | None:
    """What is said of the Oscars; None where nothing is, or of other awards."""
    plain = rest.plain
    oscars = re.search(rf"\b{OSCARS}\b", plain) is not None
    if _OTHERS.search(plain):
        return None
    found: list[tuple[int, str]] = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(plain):
            found.append((match.start(), name))
        plain = pattern.sub(
            lambda m: " ".join([CATEGORY] + ["xpart"] * m.group().count(" ")), plain
        )
    years = [int(match.group()) for match in _YEAR.finditer(plain)]
    years += [int(match[1]) + _FIRST_CEREMONY for match in _CEREMONY.finditer(plain)]
    plain = _CEREMONY.sub("", _YEAR.sub("", plain)).replace("xpart", "")
    if not found and not oscars:
        return None
    order = _in_order(rest.plain) or [
        name for name, pattern in _KINDS if re.search(rf"\b(?:{pattern})\b", plain)
    ]
    return Award(
        Asked.of(plain, rest.at),
        tuple(dict.fromkeys(order)),
        tuple(dict.fromkeys(years)),
        oscars,
        re.search(rf"\b(?:{NOMINATED})\b", plain) is not None,
    )


def _in_order(plain: str) -> list[str]:
    """The categories in the order in which they stand."""
    places: list[tuple[int, str]] = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(plain):
            places.append((match.start(), name))
        plain = pattern.sub(lambda m: "_" * len(m.group()), plain)
    return [name for _, name in sorted(places)]


def film_is_asked(award: Award) -> bool:
    """Whether a film is the answer, rather than a person: by the first noun that is asked for."""
    kinds = r"(?:films?|movies?|pictures?|features?|documentar(?:y|ies)|cartoons?)"
    people = (
        r"(?:actors?|actress(?:es)?|directors?|person|people|performers?|filmmakers?|stars?"
        r"|individuals?|man|woman|composers?|winners?|nominees?|name|writers?|artists?|recipients?)"
    )
    plain = award.rest.plain
    if re.search(r"\bwhose (?:performance|portrayal|role|acting|work)\b", plain):
        return False
    match = re.search(
        rf"\b(?:which|what|whose|name|identify|tell me|say|know)(?: (?!who\b)\w+){{0,5}}? "
        rf"(?P<noun>{kinds}|{people})\b|\b(?P<who>who|whom|whose)\b",
        plain,
    )
    by_category = award.category in _FILM_LEVEL
    if match is None or match["who"]:
        return by_category
    if re.fullmatch(r"winners?|nominees?|name|recipients?", match["noun"]):
        after = re.search(rf"\bname of the (?P<noun>{kinds}|{people})\b", plain)
        return re.fullmatch(kinds, after["noun"]) is not None if after else by_category
    return re.fullmatch(kinds, match["noun"]) is not None


def place_of(rest: Asked) -> int | None:
    """1 for "first", 2 for "second", …, -1 for "last"; None where no place is asked for."""
    if rest.match(r"last|latest|most recent(?:ly)?"):
        return -1
    found = [ORDINALS[word.text] for word in rest.words if word.text in ORDINALS]
    return found[0] if len(found) == 1 else None
