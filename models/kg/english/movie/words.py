"""The words by which English asks about films, as data.

Patterns are matched over a question's folded words, in which XFILM and XPERSON stand for the names
that were found (see `things.py`).
"""

import re
from collections.abc import Collection

from models.kg.linking.question import Asked
from utils.text import FUNCTION_WORDS, stem

FILM, PERSON = "xfilm", "xperson"

KIND = (
    r"(?:movie|film|picture|feature|flick|cinema|motion picture|blockbuster|title|feature film)s?"
)

# Words that say nothing of what is asked.
_HARMLESS = """
    able abroad acclaimed according account accrued accumulate accumulated across actual
    actually adaptation add aforementioned again age ahead always amass amassed american amount
    amounts anyone anything appropriate approx approximately around arrive arrived arrives
    audience audiences aware bank banked based basically bday became become becoming begin
    behind best-known better birth bow bowed brain brains breathe breathed bring bringing brings
    british brought bucks by call called career carried carry cartoon case cashed catch
    celebrate celebrated celebrates certain chair chance characters check choose chosen cinema
    cinemagoers cinematic classified clock clocked clocks collect collected collects confirm
    considered correct correctly couldn't craft crafted credit credited credits crowd crowds
    current currently data date day decided delivered depicted depicts detail details determine
    did didn't differently do does dough earns else embodied embody entire entirely enumerate
    eventually ever everyone exact exactly existing fact fall falls famed family famous fan fans
    feature featured features featuring feel fetch fetched fetching figure filming filmmaker
    filmmakers films final finally first fits flick following full fully gave generate generated
    generates gentleman get getting giving globally go going good got grand great guy had hand
    handed handle handled hands happen haul head headed hear hello helm help hey hi history
    hollywood home honestly hour hours idea identify individual individuals info information
    instance interested internationally introduced itself kindly know known lady large launch
    launched learn let life lifetime listed listing lists look looking made main make maker
    makers making male man mark marks mastermind masterpiece mean mention mentioned mind minute
    minutes moment month motion movie moviegoers moviemaker moviemakers movies name named names
    native need notable note noted number object obtain occasion official officially on-screen
    once one ones onscreen originally overall overseas part particular parts people perhaps
    person pick picture pictures piece please popular portraying possible possibly post posted
    precise precisely prestigious price produced production project public publicly pull pulled
    put quantity question quick quickly rack racked rake rakes ran reach reached read really
    reap reaped recall receives recognized reference referred regarding register registered
    reins remember renowned reported respectively responsible reveal right roughly said sat
    scale screen screened screenplay seat seats see seen sell selling series share shed shooting
    shots show showcased simply single sold someone something speak speaks specific specify
    spending spoke start state stated statue statuette story success supposed sure tag taken
    talented tallied tally team tell term terms thank thanks theatre theatrically then thing
    think time times title titled titles tongue total totaled trophy true try understand unique
    used using version view viewers viewing walk walked wanted watch watched way well-known
    whether whole woman wonder wondering word words work worked works world worldwide would year
    years yield yielded
"""

# Words of what is asked, of all the questions that are read here.
_ASKING = """
    academy accolade accolades achieve achievement acted acting action actor actors actress
    actresses adapted age aged alias alternate alternative animated animation annual another
    appear appeared appearing appears award awarded awards baby beforehand behind belong best
    bestowed big birthdate birthday born box budget came captured cash cast categories category
    ceremonies ceremony character charge choreographer cinemas cinematographer cinematography
    claim claimed come comes compare compared comparison compose composed composer coproduced
    cost costs costume costumes coveted created creator crew crowned debut debuted debuts
    decorated dialogue differ different differs direct directed directing direction director
    directorial directors distinguished documentary dollar dollars duration earlier earliest
    earn earned earning earnings edited editing editor effects elder english entered entering
    entitled entry executive expenditure feature financed foreign former formerly genre genres
    global globe gross grossed grossing hand held helmed hit hits hold holds honor honored
    honoring honour honoured impressive initial initially international involved involvement
    kind land landed language languages lasts lead leading leads length lengthy live long longer
    lyricist make makeup mixing money music nab nabbed named new nominated nomination
    nominations nominee nominees office older oldest opened origin original oscar oscars
    outstanding part participate participated penned performance performances performed
    performer performers persona pick picked play played player playing plays portray portrayal
    portrayed portrays praised premiere premiered previous previously prior prize prizes produce
    produced producer producers producing profit raked rank rated rating ratings receipts
    receive received receiving recipient recognised recognition recognized record reigns release
    released releases revenue reward rewarded role roles run running runtime sales scooped score
    scored scoring screen screenplay screens screenwriter script sequence shared short shot
    silver song songs sort sound spend spent spoken star starred starrer starring stars
    supervisor supporting supreme take taken takes takings teamed theater theaters theatre
    theatres theatrical title together took top triumph triumphed trophies trophy type under
    undertaken unveiled victorious victory visual went win winner winners winning wins won
    worked world write writer writers writing written wrote young younger youngest
"""

CUES = frozenset(_HARMLESS.split()) | frozenset(_ASKING.split())
_STEMS = frozenset(stem(word) for word in CUES)

# Words that change what is asked: a reading has to name those that it understands.
_RISKY = frozenset(
    """
    not no never none without except excluding besides other others sequel sequels prequel
    prequels franchise trilogy saga remake reboot spinoff second third fourth fifth sixth
    seventh eighth ninth tenth last latest newest recent next least most highest lowest fewest
    biggest smallest worst longest shortest more less fewer higher lower greater larger bigger
    smaller later before after since until between during half average median sum percent
    percentage ratio difference gap combined minus plus ago weekend domestic domestically
    opening ticket tickets tv television show episode episodes season seasons book novel theme
    soundtrack album bafta golden globes emmy emmys grammy grammys tony cannes sag razzie
    critics guild rotten tomatoes metacritic trailer dvd streaming netflix inflation adjusted
    country countries studio company filmed location where today yesterday tomorrow week net
    salary paid than
    """.split()
)
_LINKS = frozenset(("and", "of", "the", "a", "an", "&", "in", "to"))
_TRUTH = re.compile(r" ?\b(?:yes or no|true or false)\b ?(?!.*\bx(?:film|person)\b)")
# What follows a title's words in the title of another film.
_OF_A_TITLE = frozenset("one two three four five ii iii iv too part chapter volume".split())
_PREPOSITIONS = frozenset(("under", "into", "within", "over"))
_NUMERAL = re.compile(r".*\d.*")


def unexplained(rest: Asked, allowed: Collection[str] = ()) -> int | None:
    """How many words nothing explains; None where one of them may change what is asked.

    That is so for numbers, for words such as "not" and "second", and for a word next to a name, of
    which it may be a part. `allowed`: words that the reading has understood.
    """
    plain = _TRUTH.sub("", rest.plain).split()
    count = 0
    for index, word in enumerate(plain):
        if word in (FILM, PERSON) or word in allowed:
            continue
        if _NUMERAL.fullmatch(word) or word in _RISKY:
            return None
        if word in _OF_A_TITLE and index and plain[index - 1] == FILM:
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
        and (not after or after in FUNCTION_WORDS or after in _PREPOSITIONS)
        and after != "and"
    )


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
_SETTING = (
    r"(?:in|for|by|at|on|during|with|as|of|about|regarding|concerning|between|from|since|before"
    r"|after|throughout|within) (?:\S+ ){1,6}?"
)
_OPENING = re.compile(
    rf"(?:{_POLITE})?(?:{_SETTING})?(?:{_POLITE})?(?:{_SETTING})?{_AUX}\b(?! (?:you|i|we)\b)"
)
_WHETHER = re.compile(
    rf"(?:{_POLITE}|true or false )(?:{_SETTING})?(?:if|whether)\b|true or false\b"
)
_TAG = re.compile(
    r"\b(?:right|correct|true|true or false|yes or no"
    r"|(?:isn't|wasn't|aren't|weren't|didn't|doesn't|hasn't) (?:it|he|she|they|that))$"
)


def is_polar(rest: Asked) -> bool:
    """Whether yes or no is asked: it opens with an auxiliary or with "if", after polite and other
    phrases, or it ends with a tag, such as "right?"."""
    plain = rest.plain
    if _WHETHER.match(plain) or (_TAG.search(plain) and _WH.search(plain) is None):
        return True
    opening = _OPENING.match(plain)
    return opening is not None and _WH.search(opening.group()) is None


def asks_what(rest: Asked) -> bool:
    """Whether a question word stands in it."""
    return _WH.search(rest.plain) is not None
