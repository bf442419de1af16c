"""The English of questions about music: names taken out, and what may stay unexplained."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from models.kg.english.music.spelling import meant
from models.kg.english.names import Mention, Names, Search
from models.kg.linking.question import Asked, Span
from models.kg.match import THRESHOLD, likeness
from utils.text import FUNCTION_WORDS

ARTIST, SONG, TIME = "ARTIST", "SONG", "TIME"  # what stands where a name or a time was

# What kind of thing a name is: true of it, and no part of what is asked.
KINDS = frozenset(
    """
    act album albums alternative american artist artists australian band bands blues boy british
    canadian classic classical composer country dance duo duos english ensemble entertainer ep
    famous folk funk girl group groups gospel grunge hip hit hop indie irish jazz korean latin lp
    metal music musical musician musicians named pop popular punk quartet r rap rapper rappers
    record records recording reggae rock single singer singers singles solo song songs songstress
    songwriter soul star studio superstar synth track tracks trio tune tunes called titled title
    entitled k b rnb name names piece pieces one ones
    breakthrough legendary heavy iconic popstar diva vocal vocals group's performer performers
    """.split()
)
# Words that add nothing to what is asked.
HARMLESS = FUNCTION_WORDS | frozenset(
    """
    actual actually again among back basically because between both career case certain comes
    complete course curious currently date dates day detail details do does doesn't during each
    either entire ever every exact far fact figure following full fully give given going got group
    guess has he hello her hey hi him his history honest however identify info information
    interested into let list learn look looking love me mention more now okay ok once originally
    people per person possible possibly possibly question quick quite really recall remember
    remind said sake she since-then someone something specific specifically speaking state still
    such sure thank thanks then thing things think time to together trying try true two up used
    very wanna well whether wonder world year years yet
    """.split()
)
# Words that change what is asked: none of them may be passed over.
_RISKY_WORDS = frozenset(
    """
    not no nor never none neither except excluding without besides apart only other another

    than before after since until till prior following preceding next previous former original
    originally current founding new old third fourth fifth sixth final most least top best worst
    first second last half double twice thrice times percent average combined

    wife husband daughter son sons kid kids child children father mother dad mom brother brothers
    sister sisters parent parents spouse girlfriend boyfriend partner cousin uncle aunt married
    marry founder manager producer label drummer bassist guitarist guitar drums bass keyboardist
    pianist vocalist lead frontman leader

    about actor actors actress award awards billboard book cast character chart charts city
    companies company concert concerts contest cost cover covered covers emperor episode feature
    featured features featuring festival film films followers game games genre genres grammies
    grammy grammys height hometown inspiration inspired instagram king live lyric lyrics meaning
    middle movie movies net network nickname novel oscar oscars play president price
    real remix sales sampled samples school season sell selling sells series show shows sold
    soundtrack spotify starred starring stars stock street style super bowl superbowl surname tall
    team theme tour touring tours town tv units video videos views weight worth youtube

    older younger newer later earlier longer shorter bigger taller

    died die killed turning chorus hook verse bridge intro backing background riff
    """.split()
)
_RISKY_FORMS = re.compile(
    r"\d.*"  # numbers and ordinals
    r"|(?!inter|request|honest|latest$)\w{2,}est"  # superlatives
    r"|(?:stream|nominat|instrument)\w*"
)


def phrases(table: str) -> str:
    """Any of the patterns of a table, one a line; `\\` at the end goes on with the next line.

    Parentheses capture nothing.
    """
    lines = re.sub(r"\\\n\s*", "", table).splitlines()
    return "|".join(re.sub(r"\((?!\?)", "(?:", line.strip()) for line in lines if line.strip())


# How English asks for a time.
WHEN = phrases(
    r"""
    when
    (what|which|exact|whats)( the| exact| specific| calendar| precise| is| was| original)* \
    (date|day|year|time|month)
    (date|year|day) (when|that|of|on which|in which)
    how long ago
    how many years ago
    years?
    dates?
    day
    """
)
BORN = phrases(
    r"""
    born
    birth ?(date|day|year)|birthdays?|birthdate|dob
    (date|day|year|time) of birth
    (saw|see|seen|witness(ed)?|marks?|marked)( the)? birth( of)?
    (came|come|comes|coming|brought|enter(s|ed|ing)?|arriv(e|ed|es)|delivered)( in| into| to)? \
    (the|this|our) world
    (saw|see|seen)( the)?( first)? light of day
    """
)
# How English says that an artist began.
_FORMED = phrases(
    r"""
    (form(ed|ation|ing)?|found(ed|ing|ation)|establish(ed|ment)?|creat(ed|ion))
    incepti?on|assembled?|inaugurated
    (started?|beg[aiu]n|beginning)( out| off)?( their| its| the)? \
    (perform(ing|ances?)?|play(ing)?|(making|to make) music|singing|(music )?career|journey\
    |band|group|as|together|to (perform|play|sing))( music)?( together)?( as)?
    start(ed)?|originated?|begin|began
    (get|got|came|come|coming|getting|band(ed)?|put|brought|bring|join(ed)?|performing|playing) \
    (forces|together)
    (set|started|teamed|teaming|team|linked) up
    (get|got) (started|going)|(get|got) (their|its) start
    (take|took|taken) shape|(kick|kicked) off|(come|came) about|(come|came) on the scene
    (perform|play)(ed)? together
    (come|came) into (being|existence)
    active since
    (been|become|became) (active|performing|together|around|making music|playing)
    """
)
FORMED = rf"(?:first )?(?:{_FORMED})"
BEGAN_BAND = phrases(
    r"""
    band|group|duo|trio|quartet|quintet|boy ?band|girl group|ensemble
    together|form(ed|ation)
    """
)
# What a kind of artist is called before its name.
THE = r"(?:the )?(?:(?:band|singer|group|artist|rapper|musician|duo) )?"
# How English says who is in a band.
PEOPLE = (
    r"(?:band ?|group )?"
    r"(?:members?|people|persons?|musicians|artists|singers|performers|guys|girls|bandmates"
    r"|individuals|folks|lads)"
)

# Letters, and how names that English takes over have them.
_ACCENTS = {"a": "á", "e": "é", "i": "í", "o": "óö", "u": "úü", "n": "ñ", "c": "ç"}
_ACCENTED = 12  # letters of the longest text that is tried with accents
_SHORTEST = 5  # letters; a shorter name that is nearly alike is another one
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Found:
    """The names of one kind in a question, and the question with a mark in the place of each.

    `named` has the KG's names at each place, those spelled as the question spells them first.
    """

    named: tuple[tuple[str, ...], ...]
    rest: Asked

    @property
    def firsts(self) -> tuple[str, ...]:
        return tuple(names[0] for names in self.named)


def take_out(asked: Asked, names: Names, search: Search, mark: str, cues: Collection[str]) -> Found:
    """The names of one kind that stand in a question, each place once."""
    places: dict[Span, list[Mention]] = {}
    standing = names.standing(asked, search, cues=cues)
    for mention in [*standing, *_nearly(asked, names, search, cues, standing)]:
        places.setdefault(mention.span, []).append(mention)
    ordered = _less_years(asked, sorted(places, key=lambda span: span.first))
    named = tuple(
        tuple(m.name for m in sorted(places[span], key=lambda m: _spelled_apart(asked, m)))
        for span in ordered
    )
    return Found(named, asked.without(ordered, mark))


def _nearly(
    asked: Asked, names: Names, search: Search, cues: Collection[str], found: Iterable[Mention]
) -> Iterator[Mention]:
    """The names beside those found, that words which nothing explains spell nearly, or without
    their accents: the API finds no "ö" by an "o"."""
    free = FUNCTION_WORDS | set(cues) | KINDS | HARMLESS | {ARTIST, SONG, TIME}
    taken = [mention.span for mention in found]
    for span in unexplained(asked, free, taken):
        text = " ".join(asked.words[i].text for i in range(span.first, span.last))
        if len(text) < _SHORTEST or risky(text):
            continue
        spelled = asked.spelled(span)
        queries = dict.fromkeys([spelled, text, *_accented(text)])
        hits = [hit for query in queries for hit, _ in names.search(search, query)]
        scored = [(likeness(text, name), name) for name in dict.fromkeys(hits)]
        top = max((score for score, _ in scored), default=0.0)
        if top >= THRESHOLD:
            name = next(name for score, name in scored if score == top)
            yield Mention(name, span, (name,))


def unexplained(asked: Asked, free: Collection[str], taken: Collection[Span]) -> Iterator[Span]:
    """The runs of words that are neither free nor part of a name."""
    first = None
    for i, word in enumerate([*asked.words, None]):
        inside = any(span.first <= i < span.last for span in taken)
        if word is not None and word.text not in free and not inside:
            first = i if first is None else first
        elif first is not None:
            yield Span(first, i)
            first = None


def _accented(text: str) -> Iterator[str]:
    """A short name with each of its letters accented in turn."""
    if len(text) <= _ACCENTED:
        for i, letter in enumerate(text):
            for accented in _ACCENTS.get(letter, ""):
                yield text[:i] + accented + text[i + 1 :]


def _less_years(asked: Asked, spans: list[Span]) -> list[Span]:
    """The places of names less those of bare years, unless nothing else is named."""
    others = [span for span in spans if not _YEAR.fullmatch(asked.spelled(span))]
    return others or spans


def _spelled_apart(asked: Asked, mention: Mention) -> int:
    """0 where the question spells the name as the KG does, 1 but for its case, 2 otherwise."""
    spelled = asked.spelled(mention.span)
    if spelled == mention.name:
        return 0
    return 1 if spelled.lower() == mention.name.lower() else 2


def less(asked: Asked, match: re.Match[str], mark: str = "") -> Asked:
    """The question without the words of a match over its plain text; `mark` stands there instead"""
    first = asked.plain[: match.start()].count(" ")
    return asked.without([Span(first, first + len(match.group().split()))], mark)


def explained(rest: Asked, patterns: Iterable[str], spare: int = 1) -> bool:
    """Whether each pattern stands in `rest`, anywhere, and nothing but harmless words is left over.

    `spare` words that nobody knows may be left, unless a risk lies in them (a number, a
    comparison, a negation, a relative).
    """
    gone: set[int] = set()
    for pattern in patterns:
        matches = list(re.finditer(rf"\b(?:{pattern})\b", rest.plain))
        if not matches:
            return False
        for match in matches:
            first = rest.plain[: match.start()].count(" ")
            gone.update(range(first, first + len(match.group().split())))
    left = [word.text for i, word in enumerate(rest.words) if i not in gone]
    return settled(left, spare)


def settled(left: Iterable[str], spare: int = 1) -> bool:
    """Whether words that nothing explains may be passed over."""
    odd = [
        word
        for word in left
        if word not in HARMLESS and word not in KINDS and word not in (ARTIST, SONG, TIME)
    ]
    return len(odd) <= spare and not any(risky(word) or meant(word) for word in odd)


def risky(word: str) -> bool:
    """Whether a word changes what is asked."""
    return word in _RISKY_WORDS or _RISKY_FORMS.fullmatch(word) is not None


def respelled(asked: Asked) -> Asked | None:
    """The question with each word that is nearly one by which music is asked for as that word.

    None where there is no such word.
    """
    text = asked.text
    for word in reversed(asked.words):
        known = word.text in KINDS or word.text in HARMLESS or risky(word.text)
        right = None if known else meant(word.text)
        if right is not None:
            text = f"{text[: word.start]}{right}{text[word.end :]}"
    return None if text == asked.text else Asked.of(text, asked.at)
