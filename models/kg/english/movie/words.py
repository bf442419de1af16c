"""The words by which English asks about films, as data.

Patterns are matched over a question's folded words, in which XFILM and XPERSON stand for the names
that were found (see `things.py`).
"""

import re
from collections.abc import Collection, Iterable

from models.kg.english.question import Asked
from utils.text import FUNCTION_WORDS, stem

FILM, PERSON = "xfilm", "xperson"

KIND = (
    r"(?:movie|film|picture|feature|flick|cinema|motion picture|blockbuster|title|feature film)s?"
)

# Words that say nothing of what is asked.
_HARMLESS = """
    able acclaimed according account actually adaptation add aforementioned again age ahead american
    amount amounts anyone anything appropriate aware based became become becoming begin best-known
    better birth british bring brought by call called career carry case celebrated certain chance
    characters check choose chosen cinema cinematic collected confirm considered correct couldn't
    credited current currently date day decided delivered detail details determine did didn't
    differently do does eventually ever everyone exact exactly fact famed family famous fan fans
    feature featured features featuring feel figure filmmaker filmmakers films final finally first
    flick following full fully get getting globally go going good got great had happen hear helm
    hey hi hello help history hollywood idea identify individual individuals info information
    instance interested introduced itself know known large learn let listed look looking made main
    make maker makers making male man masterpiece mean mention mind moment month motion movie
    moviemaker moviemakers movies name named names need noted notable number object obtain
    occasion official officially once one ones originally particular people perhaps person piece
    please pictures picture popular possible possibly precise precisely prestigious production
    project public publicly question quick read really recall recognized reference referred
    regarding renowned respectively reveal right said screen screened sat see seen series
    share shed show showcased single someone something specific specify start state stated story
    supposed sure talented team tell term terms thank thanks then thing think time times title
    titled titles total true try understand unique used using version viewers viewing wanted watch
    watched way well-known whole wonder wondering word words work worked works world worldwide would
    year years amass amassed audience audiences basically brings celebrate celebrates chair collect
    collects crowd crowds earns else fetch fetched generate generated generates grand haul head headed
    mark marks note pull pulled rake rakes reap reaped receives reported seat seats sell selling sold
    something spending success taken theatre tally tallied totaled yield yielded always actual
"""

# Words of what is asked, of all the questions that are read here.
_ASKING = """
    academy accolade accolades achieve achievement acted acting action actor actors actress actresses
    adapted alias alternate alternative animated animation annual another appear appeared appearing
    appears award awarded awards baby beforehand behind belong birthdate birthday bestowed best big
    box budget came captured cash cast category categories ceremony ceremonies character charge
    choreographer cinemas cinematographer cinematography claim claimed come comes compare compared
    comparison compose composed composer coveted cost costs costume costumes coproduced created
    creator crew crowned debut debuted decorated dialogue differ different differs direct directed
    directing direction director directorial directors distinguished documentary dollar dollars
    duration earlier earliest earn earned earning earnings editing edited editor effects
    entered entitled executive expenditure feature financed foreign former formerly genre genres
    global globe gross grossed grossing hand held helmed hit hits hold holds honor honored honoring
    honour honoured impressive initial initially international involved involvement land landed
    language languages lasts lead leading leads length lengthy live long longer lyricist
    make makeup mixing money music nab nabbed named new nomination nominations nominated nominee
    nominees office older opened original origin oscar oscars outstanding part participate
    participated penned performance performances performed performer performers persona pick picked
    play played player playing plays portray portrayed portrayal portrays praised premiere premiered
    prior previous previously prize prizes produce produced producer producers producing profit
    raked rank rated rating ratings receipts receive received receiving recipient recognition
    recognised recognized record release released releases released reigns revenue reward rewarded
    role roles run running runtime sales scored score scoring scooped screen screenplay screens
    screenwriter script sequence shared short shot silver song songs sound spend spent spoken star
    starred starring stars starrer supervisor supporting supreme takes taken take takings take
    teamed theater theaters theatre theatres theatrical together took top trophy trophies title
    triumph triumphed under undertaken unveiled victorious victory visual went win winner winners
    winning wins won worked write writer writers writing written wrote young younger youngest
    younger elder born world entry entering debuts oldest age aged kind type sort english
"""

CUES = frozenset(_HARMLESS.split()) | frozenset(_ASKING.split())
_STEMS = frozenset(stem(word) for word in CUES)

# Words that change what is asked: a reading has to name those that it understands.
_RISKY = frozenset(
    """
    not no never none without except excluding besides other others sequel sequels prequel prequels
    franchise trilogy saga remake reboot spinoff second third fourth fifth sixth seventh eighth ninth
    tenth last latest newest recent next least most highest lowest fewest biggest smallest worst
    longest shortest more less fewer higher lower greater larger bigger smaller later before after
    since until between during half average median sum percent percentage ratio difference gap
    combined minus plus ago weekend domestic domestically opening ticket tickets tv television show
    episode episodes season seasons book novel theme soundtrack album bafta golden globes emmy emmys
    grammy grammys tony cannes sag razzie critics guild rotten tomatoes metacritic trailer dvd
    streaming netflix inflation adjusted country countries studio company filmed location where
    today yesterday tomorrow week net salary paid than
    """.split()
)
_LINKS = frozenset(("and", "of", "the", "a", "an", "&", "in", "to"))
_NUMERAL = re.compile(r".*\d.*")


def unexplained(rest: Asked, allowed: Collection[str] = ()) -> int | None:
    """How many words nothing explains; None where one of them may change what is asked.

    That is so for numbers, for words such as "not" and "second", and for a word next to a name, of
    which it may be a part. `allowed`: words that the reading has understood.
    """
    plain = [word.text for word in rest.words]
    count = 0
    for index, word in enumerate(plain):
        if word in (FILM, PERSON) or word in allowed:
            continue
        if _NUMERAL.fullmatch(word) or word in _RISKY:
            return None
        if word in FUNCTION_WORDS or word in CUES or stem(word) in _STEMS:
            continue
        if _beside_name(plain, index):
            return None
        count += 1
    return count


def _beside_name(plain: list[str], index: int) -> bool:
    if _is_verb(plain, index):
        return False
    before, after = index - 1, index + 1
    while before >= 0 and plain[before] in _LINKS:
        before -= 1
    while after < len(plain) and plain[after] in _LINKS:
        after += 1
    near = plain[max(before, 0) : before + 1] + plain[after : after + 1]
    return FILM in near or PERSON in near


def _is_verb(plain: list[str], index: int) -> bool:
    """Whether the word is the verb of "did XFILM …": an article or nothing follows it."""
    after = plain[index + 1] if index + 1 < len(plain) else ""
    return (
        index > 1
        and plain[index - 1] in (FILM, PERSON)
        and plain[index - 2] in ("did", "does", "do")
        and (not after or after in FUNCTION_WORDS)
        and after != "and"
    )


def any_of(phrases: Iterable[str]) -> str:
    """A pattern for one of several phrases."""
    return "|".join(phrases)


_SCREEN = r"(?:the )?(?:big |silver |movie )?(?:screens?|theat(?:er|re)s?|cinemas?|box office)"
RELEASED = (
    r"releas(?:e|ed|es|ing)|premier(?:e|ed|es)|debut(?:ed|s)?|launch(?:ed)?|unveiled"
    r"|(?:came|come|comes|went|was|is|be) out|open(?:ed|s)?"
    rf"|(?:hit|hits|hitting|reach|reached|arrived? (?:in|at)|in|into|on|to|shown (?:in|on)) {_SCREEN}"
    r"|(?:first |initially )?(?:screened|shown|aired|seen|projected|exhibited)"
    r"|(?:publicly |first |made |become |became |generally )*(?:accessible|available)"
    r"|see the light of day|introduced to"
)
WHEN = (
    r"when|what (?:\w+ )?(?:date|day|year|time)|which (?:\w+ )?(?:date|day|year)|date|day|year"
    r"|how early"
)
BIRTH = (
    r"born|birthda(?:y|te)s?|birth (?:date|day|year)|(?:date|day|year|time) of birth|dob"
    r"|came? into (?:this|the) world|enter(?:ed)? (?:this|the) world|brought into (?:this|the) world"
    r"|birth"
)

_MONEY = r"rake|pull|make|made|making|bring in|brought in|rake in|raked in|take in|took in|pull in|pulled in"

# Keys of a film, and how English asks for each; in this order, the first that fits.
KEYS: tuple[tuple[str, str], ...] = (
    (
        "budget",
        r"budget|(?:production|total) costs?|cost|costs|how expensive|how much (?:\w+ )*"
        r"(?:spent|spend|invested|to (?:make|produce|film|shoot|create))|expenditure|expenses",
    ),
    (
        "revenue",
        r"box office(?! hit)|gross(?:ed|es|ing)?|revenues?|earn(?:ed|s|ings?)?|takings|receipts"
        rf"|sales|(?:how much|what|what amount) (?:\w+ )*(?:{_MONEY}|generate|collect|gain|amass|haul)(?:d|ed)?",
    ),
    (
        "length",
        r"how long (?:is|was|does|did|do)|run ?times?|run(?:ning)? times?|length|duration"
        r"|how many (?:minutes|hours)|screen time",
    ),
    ("genres", r"genres?|(?:kind|type|sort|category|style) of (?:movie|film)"),
    (
        "rating",
        r"rat(?:ings?|ed)|vote average|user score|imdb score|review score|how (?:good|well)",
    ),
    (
        "original_language",
        r"languages?|what tongue|spoken in|dialogue|lingua",
    ),
    (
        "original_title",
        r"(?:original(?:ly)?|initial(?:ly)?|official(?:ly)?|first|at first|former(?:ly)?|old"
        r"|native|working|earlier|previous(?:ly)?|prior|beforehand|different|another|before"
        r"|other|alternat(?:e|ive)|start|begin(?:ning)?|birth|launch|foreign)"
        r"(?: \w+)* (?:titled?|names?|named|entitled|called|known|call|moniker|titles|referred)"
        r"|(?:titled?|titles|names?|named|entitled|called|known|call|moniker|referred)(?: \w+)* "
        r"(?:original(?:ly)?|initial(?:ly)?|official(?:ly)?|first|at first|former(?:ly)?|earlier"
        r"|previous(?:ly)?|prior|beforehand|different(?:ly)?|before|start|begin(?:ning)?|ahead"
        r"|alternat(?:e|ive)|chose|chosen|intended)",
    ),
)

# Jobs of a film's crew, as English asks for them -> as the KG writes them.
JOBS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"executive produc(?:er|ers|ed)", ("Executive Producer",)),
    (r"co ?produc(?:er|ers|ed)", ("Co-Producer",)),
    (r"associate producers?", ("Associate Producer",)),
    (r"line producers?", ("Line Producer",)),
    (r"casting directors?|did the casting|casting", ("Casting",)),
    (r"art directors?|art direction", ("Art Direction",)),
    (r"second unit directors?", ("Second Unit Director",)),
    (r"first assistant directors?", ("First Assistant Director",)),
    (
        r"directors? of photography|cinematographers?|(?:did|handled|behind) the cinematography"
        r"|cinematography",
        ("Director of Photography", "Cinematography"),
    ),
    (
        r"compos(?:er|ers|ed)|scored|(?:wrote|did|made|created) the (?:music|score)"
        r"|music(?:al)? (?:score|composer)|original score",
        ("Original Music Composer",),
    ),
    (r"film editors?|editors?|edited", ("Editor",)),
    (
        r"costume design(?:er|ers)?|(?:designed|did) the costumes",
        ("Costume Design", "Costume Designer"),
    ),
    (r"production design(?:er|ers)?", ("Production Design", "Production Designer")),
    (r"set decorat(?:or|ors|ion)", ("Set Decoration",)),
    (r"stunt coordinators?", ("Stunt Coordinator",)),
    (r"makeup artists?|did the makeup", ("Makeup Artist",)),
    (r"visual effects supervisors?", ("Visual Effects Supervisor",)),
    (r"sound designers?", ("Sound Designer",)),
    (
        r"screenwrit(?:er|ers|ten)|screenplay|script ?writers?|script|writ(?:er|ers|ten|es|ing)"
        r"|wrote|penned|author(?:ed|s)?|scripted",
        ("Screenplay", "Writer", "Author", "Story"),
    ),
    (
        r"direct(?:or|ors|ed|s|ing|ion)|helm(?:ed|er)?|film ?makers?|movie ?makers?"
        r"|behind the camera|at the helm|in the director chair",
        ("Director",),
    ),
    (r"produc(?:er|ers|ed|es|ing)", ("Producer",)),
)
CAST = (
    r"cast|starr?(?:s|ed|ing)?|act(?:ed|ors?|ress|resses|ing)|(?:lead|leading|main|principal|title) "
    r"(?:roles?|parts?|actors?|actress(?:es)?|characters?|stars?|man|lady|men|ladies|performers?)"
    r"|play(?:ed|s)?|portray(?:ed|s)?|perform(?:ed|ers?)|leads?|appear(?:ed|s)?"
)
PLAYED = (
    r"play(?:s|ed|ing)?|portray(?:s|ed|ing)?|voice[sd]?|act(?:s|ed)? as|star(?:s|red)? as"
    r"|cast as|(?:in|took on|take on|plays?|for) the (?:role|part|character) of"
    r"|(?:the )?(?:role|part|character) of"
)

LANGUAGES = {
    "english": "en", "french": "fr", "spanish": "es", "german": "de", "italian": "it",
    "japanese": "ja", "korean": "ko", "chinese": "zh", "mandarin": "zh", "cantonese": "cn",
    "hindi": "hi", "russian": "ru", "portuguese": "pt", "arabic": "ar", "turkish": "tr",
    "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi", "dutch": "nl",
    "polish": "pl", "czech": "cs", "hungarian": "hu", "greek": "el", "hebrew": "he",
    "thai": "th", "persian": "fa", "farsi": "fa", "tamil": "ta", "telugu": "te",
    "malayalam": "ml", "bengali": "bn", "indonesian": "id", "vietnamese": "vi", "ukrainian": "uk",
    "romanian": "ro", "icelandic": "is", "tagalog": "tl", "urdu": "ur", "kannada": "kn",
    "catalan": "ca", "serbian": "sr", "croatian": "hr", "bulgarian": "bg", "latin": "la",
}  # fmt: skip

GENRES = {
    "action": "Action", "adventure": "Adventure", "animation": "Animation",
    "animated": "Animation", "comedy": "Comedy", "comedies": "Comedy", "crime": "Crime",
    "documentary": "Documentary", "documentaries": "Documentary", "drama": "Drama",
    "dramas": "Drama", "family": "Family", "fantasy": "Fantasy", "history": "History",
    "historical": "History", "horror": "Horror", "musical": "Music", "mystery": "Mystery",
    "romance": "Romance", "romantic": "Romance", "science fiction": "Science Fiction",
    "sci fi": "Science Fiction", "thriller": "Thriller", "thrillers": "Thriller", "war": "War",
    "western": "Western", "westerns": "Western",
}  # fmt: skip

COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10,
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
}  # fmt: skip

_POLITE = (
    r"(?:(?:hey|hi|hello|please|so|ok|okay|well|um|just|kindly) )*"
    r"(?:(?:can|could|would|will|may|might|are|do|did|does) (?:you|i|we|anyone|someone) "
    r"(?:(?:please|kindly|possibly|able to|be able to|happen to|also|help me) )*"
    r"(?:tell|say|confirm|know|let|inform|verify|check|clarify|explain|find out|figure out|see|ask"
    r"|share|advise|recall|remember)"
    r"(?: (?:me|us|to me|know|for me|out))*"
    r"|(?:please )?(?:tell|let|confirm|inform|verify)(?: me| us| know)*"
    r"|i(?:'m| am)? (?:wonder(?:ing)?|want to know|would like to know|curious|need to know)"
    r"|i'd like to know) ?(?:about )?"
)
_AUX = r"(?:is|was|are|were|did|does|do|has|had|have|will|would|isn't|wasn't|didn't|hasn't|doesn't)"
_WH = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b")


_SETTING = r"(?:in|for|by|at|on|during|with|as|of|about|regarding|concerning) (?:\S+ ){1,6}?"
_OPENING = re.compile(
    rf"(?:{_POLITE})?(?:{_SETTING})?(?:{_POLITE})?(?:(?:if|whether) )?(?:{_SETTING})?"
    rf"{_AUX}\b(?! (?:you|i|we)\b)"
)


def is_polar(rest: Asked) -> bool:
    """Whether yes or no is asked: it opens with an auxiliary, after polite and other phrases."""
    opening = _OPENING.match(rest.plain)
    return opening is not None and _WH.search(opening.group()) is None


def asks_what(rest: Asked) -> bool:
    """Whether a question word stands in it."""
    return _WH.search(rest.plain) is not None
