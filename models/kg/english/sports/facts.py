r"""How English asks for a fact of a game.

Patterns are matched over the plain words of a question in which TEAM, OTHER, LEAGUE and WHEN stand
for what was found. They are written one alternative a line.
"""

import re

from models.kg.english.sports.stats import STATS
from models.kg.english.sports.venues import AWAY, EITHER, HOME
from models.kg.linking.question import any_of

GAME = any_of(
    r"""
    games?|match(?:es)?|match ?ups?|contests?|fixtures?|appearances?|outings?|encounters?
    clash(?:es)?|showdowns?|meetings?|bouts?|face ?offs?|battles?|duels?|ties?|competitions?
    thrillers?|derby|affairs?|test
    """
)
WIN = any_of(
    r"""
    wins?|won|winning|victor(?:y|ious|iously|s|ies)|triumph\w*|beats?|beating|defeat(?:ed|ing|s)?
    prevail\w*|on top|get the better|(?:three|3) points|succe(?:ed\w*|ss\w*)|overc[oa]me\w*
    edged?|outscored?|(?:g[eo]t|gets|took|take[sn]?|grab\w*|earn\w*) the (?:w|dub)
    """
)
LOSE = any_of(
    r"""
    lose|loses|lost|losing|loss|losses|beaten|defeated by|fall to|fell to|fell short|go down
    went down|succumb\w*|defeat(?! (?:OTHER|the OTHER))
    """
)
DRAW = r"draw|draws|drew|drawn|tie|tied|level|stalemate|share the (?:points|spoils)"
_A_TEAM = r"(?:other )?(?:team|side|club|squad)"
WHO = (
    rf"(?:who|whom|whos|which (?:{_A_TEAM}|opponent)|what {_A_TEAM}"
    rf"|(?:name|identify|tell me|give me|know) the {_A_TEAM}(?: that)?)"
)
_SIDES = any_of(
    r"""
    opponents?|opposition|opposing (?:team|side|club|squad)|other (?:team|side)|rivals?
    opponent (?:team|side|club)
    """
)
# What a team does with another, as verbs begin.
_PLAY = any_of(
    r"""
    play|fac(?:e|es|ed|ing)|meet|met|to?oke? on|taking on|tak(?:e|es|en) on|compet|contend|battl
    squar|go(?:es|ing|ne)? |went|clash|duel|lock|match|pit|tangl|challeng|oppos|host|visit|beat
    defeat|los[et]|dr[ae]w|up against|against|versus|vs|tackl|encounter|engag|confront|fight
    fought|pair|shar|welcom|travel|win|won|overc
    """
)
# A question to be answered by yes or no: its verb comes first.
_POLAR = r"^(?:(?!who|when|what|which|where|how|why|name|identify)\w+ )*?"
_AUXILIARY = r"(?:did|was|were|has|have|had|is|are|could|can|do|does|if|whether)"
_POLAR_FACTS = (
    ("clean sheet?", r"clean sheet|shut ?out"),
    ("lost?", r"(?:tast\w+|suffer\w*|slump\w* to|succumb\w* to|end\w* in|an?) (?:\w+ )?defeat"),
    ("won?", WIN),
    ("lost?", LOSE),
    ("drew?", DRAW),
    (
        "scored?",
        r"(?:manage|get|grab|bag|notch) (?:a|any) goals?|scored?(?: (?:a|any) goals?)?"
        r"|find the (?:back of the )?net|net",
    ),
    ("home?", HOME),
    ("away?", AWAY),
)
_COUNTED = r"(?:goals?|points?|pts|score[sd]?|scoring)"
_THE_TEAM = r"(?:the )?TEAM"
_POLITE = "on and so can could you please tell me do know in LEAGUE WHEN".replace(" ", "|")

_WHICH = r"(?:what|which|whats)(?: (?:is|was|number|the))*"
_WHETHER = rf"{_POLAR}{_AUXILIARY} (?:\w+ ){{0,2}}?TEAM .*?"
_RESULT = rf"{WIN}|{LOSE}|{DRAW}"
# In order: the first that matches is what is asked. Nouns that mean one fact come before verbs that
# come with many.
_CUES: tuple[tuple[str, str], ...] = (
    ("referee", r"referee\w*|refs?|reffed|officiat\w+|match official|blew the whistle"),
    (
        "captain",
        rf"""
        captain\w*|skipper\w*|leaders?|armband|led|lead|leading|at the helm|headed|helm\w*
        command\w*|leadership|spearhead\w*|took (?:charge|the reins)|forefront
        (?:guid|steer|direct)(?:ed|ing|e)? {_THE_TEAM}|head of {_THE_TEAM}
        in charge (?:of|for) {_THE_TEAM}|call(?:ed|ing) the shots
        """,
    ),
    (
        "attendance",
        r"attendances?|attended|attendees|spectators?|turnout|how many (?:people|fans)|crowd size"
        r"|the crowd (?:at|for|in|like)|size of the crowd"
        r"|how (?:big|large) (?:\w+ ){0,2}?crowd|number of (?:people|fans)",
    ),
    ("formation", r"formations?|tactical (?:setup|shape|system)|lined? up in"),
    ("possession", r"possession|(?:share|percentage) of the ball"),
    ("xga", r"xga|expected goals (?:against|conceded|allowed)"),
    ("xg", r"xg|expected goals?|goals expected"),
    (
        "date",
        rf"""
        ^(?:(?:{_POLITE}) ){{0,6}}?(?:when|whens)
        ^(?:(?:{_POLITE}) ){{0,6}}?(?:on )?(?:what|which) (?:exact )?(?:date|day)\b(?! of the week)
        """,
    ),
    ("date", r"(?:(?:what|which) (?:exact )?(?:date|day)|(?<!since )when)$"),
    (
        "host",
        rf"""
        {WHO} (?:had|enjoyed|got|was|were|is|are|played) (?:\w+ ){{0,2}}?(?:at home|hosts?|hosting)
        {WHO} (?:had|enjoyed|got|was|were|is|are) (?:\w+ ){{0,2}}?home (?:court|side|team|advantage)
        """,
    ),
    ("round", rf"{_WHICH} (?:match ?week|match ?day|game ?week|round)"),
    ("weekday", r"day of the week|(?:what|which) weekday"),
    ("time", r"what time|(?:kick ?off|tip ?off|start(?:ing)?) time|at what hour"),
    ("result", rf"(?:{_RESULT}) (?:\w+ ){{0,4}}?or (?:\w+ ){{0,2}}?(?:{_RESULT})"),
    ("won?", rf"{_WHETHER}(?:three|3|maximum|full|all the) points"),
    *STATS,
    ("own", r"in terms of (?:points|goals|scoring)|put past"),
    (
        "result",
        rf"""
        (?:win|loss|draw|result) status|record|outcomes?|results?|fate|what happened
        win (?:lose|loss|lost) (?:or|and)|(?:victorious|winners?) or (?:defeated|losers?|beaten)
        (?:wins?|won|w) (?:or|and|vs) (?:an? )?(?:draw |drew |lost? )?(?:or )?(?:{LOSE}|{DRAW}|l)
        (?:lose|lost) or win|win draw|wins and losses
        how did (?:\w+ ){{0,3}}?TEAM (?:fare|do|perform|get on|go|finish|end)
        how did .* (?:end|conclude|go)|how (?:well|good)|how .* (?:turn|pan) out
        """,
    ),
    ("venue", rf"{EITHER}|venue|home (?:side|team) or"),
    (
        "winner",
        rf"""
        {WHO} (?:won|wins|prevailed|triumphed|emerged|was the (?:winner|victor)|ended up winning)
        {WHO} (?:came (?:out|off)|ended up|was|were|left) (?:as )?(?:the )?(?:victor\w*|winn\w+)
        {WHO} (?:came (?:out|off)|ended up) on top
        {WHO} (?:got|gets|took|takes|claimed|secured|earned|grabbed) the (?:win|victory|w|dub)
        winners?|victors?|winning (?:team|side|club)
        """,
    ),
    ("loser", rf"{WHO} (?:lost|loses)|losers?|losing (?:team|side|club)"),
    ("home?", rf"{_POLAR}(?:was|is) .*TEAM (?:\w+ )*(?:a|at|their) (?:{HOME})"),
    ("away?", rf"{_POLAR}(?:was|is) .*TEAM (?:\w+ )*(?:an?|on|their) (?:{AWAY})"),
    *((fact, rf"{_WHETHER}(?:{cue})") for fact, cue in _POLAR_FACTS),
    (
        "margin",
        r"""
        by how (?:many|much)|margins?|by what (?:margin|score)
        (?:goal|points?|score) (?:difference|differential|gap)|difference (?:in|between)
        (?:win|won|lose|lost|beat|beaten|defeat(?:ed)?) (?:\w+ ){0,4}?by(?! (?:TEAM|OTHER))
        how many (?:points|goals) (?:more|fewer|ahead|behind|clear)
        """,
    ),
    (
        "total",
        rf"""
        combined|both (?:teams|sides|clubs)|(?:the|by) two (?:teams|sides)
        (?:the )?(?:teams|sides) (?:combine\w*|score\w*|total\w*)|{_COUNTED} altogether
        how many (?:goals|points) (?:were|was) (?:there|scored|made|put up)(?! (?:by|for))
        """,
    ),
    (
        "other",
        rf"""
        conced\w+|(?:goals|points) against(?! (?:OTHER|the))|allow(?:ed|s|ing)?|let in
        (?:gave|given|give) up|leak\w*|ship(?:s|ped)?
        (?:{_SIDES}) (?:\w+ )?{_COUNTED}|{_COUNTED} (?:\w+ )?(?:by|of|for) (?:\w+ )?(?:{_SIDES})
        (?:goals|points) (?:did|have|had|were|was) (?:\w+ )?(?:{_SIDES})
        (?:score|scored|goals|points) (?:\w+ ){{0,2}}?(?:against|past|on) {_THE_TEAM}
        """,
    ),
    (
        "opponent",
        rf"""
        (?:{_SIDES}|oppos(?:ing|ed?|er)|adversar(?:y|ies)|foes?)(?! (?:score|goals|points))
        challengers?|challenge|enemy|competitors?|other side of|opposite number
        {WHO} (?:\w+ ){{0,5}}?(?:TEAM|they) (?:\w+ ){{0,6}}?(?:{_PLAY})\w*
        {WHO} (?:\w+ ){{0,5}}?(?:TEAM|they) .*(?:with|against|versus)(?: (?:WHEN|on|in|during|at)|$)
        {WHO} (?:\w+ ){{0,4}}?(?:{_PLAY})\w*(?: \w+){{0,5}}? (?:TEAM|them)
        who(?:s| is| are|) (?:up )?WHEN (?:up )?for {_THE_TEAM}
        who (?:has|have|do|does) {_THE_TEAM} (?:got|have|get) WHEN
        (?:against|versus|vs|with) {WHO}
        TEAM (?:\w+ ){{0,3}}?(?:{_PLAY})\w*(?: \w+){{0,2}}? {WHO}
        """,
    ),
    (
        "date",
        r"""
        date|schedul\w*|calendar|how soon
        when (?:is|are|was|will|does|do|did|can) (?:\w+ ){0,2}?TEAM
        """,
    ),
    (
        "own",
        r"""
        (?:how many|number of|amount of|count of|how much) (?:\w+ )?(?:goals?|points?|times)
        how much did|(?:finish|end)(?:ed)? (?:up )?with
        """,
    ),
    (
        "score",
        r"""
        final score|score ?lines?|(?:latest|current|live|full time) score
        (?:what|whats|was|is|the) score(?!d)|(?<!did )(?<!did the )TEAM score(?!d)
        score (?:was|is)|scores? (?:of|for|from|at|between)
        """,
    ),
    ("own", r"goals?|points?|pts|tally|total|net|netted|scor(?:e|ed|ing)|put up|haul"),
    ("result", rf"{WIN}|{LOSE}"),
    (
        "opponent",
        rf"""
        against|versus|vs|faced?|facing|up against|take on|took on|opposite|(?:which|what) {_A_TEAM}
        (?:who|whom) (?:did|does|do|will|is|are|was|were) {_THE_TEAM} .*\b(?:{GAME})
        {WHO} (?:\w+ ){{0,4}}?for {_THE_TEAM} WHEN
        (?:what|who)s? (?:was|is|will be)? ?{_THE_TEAM} (?:WHEN )?(?:match ?up|fixture|test)
        """,
    ),
)
_FACTS = tuple((fact, re.compile(rf"(?:\b|^)(?:{any_of(cues)})\b")) for fact, cues in _CUES)
_HOW_MANY_GAMES = re.compile(r"\bhow many (?:\w+ )?(?:games|matches|fixtures|contests)\b")
_EXISTS = re.compile(
    rf"{_POLAR}(?:(?:do|does|did|will|is|are|was|were) {_THE_TEAM} (?:\w+ )?"
    r"(?:play|playing|played|have|having|in action|scheduled|feature|featuring)"
    rf"(?: (?:to play|a|any|an|in|LEAGUE|{GAME}))*(?: WHEN)?$"
    r"|(?:is|are|was|were) there (?:a|an|any) .*TEAM)"
)
_COMPARED = re.compile(
    r"\b(?:(?P<more>more|most|higher|highest|bigger|biggest|greater|greatest|better|best|larger"
    r"|largest)|(?P<less>fewer|fewest|less|least|lower|lowest|smaller|smallest|worse|worst))\b"
)
# What belongs to a part of a team or of a game, or to a season: the tables of games do not tell it.
_WHO_DID = (
    r"who (?:\w+ )?(?:scored?|netted|assisted|made|hit|had|grabbed|started|played for|coach\w*"
    r"|manage\w*)"
)
_PARTS = any_of(
    r"""
    players?|scorers?|goal ?scorers?|mvp|coach\w*|managers?|bench|starters?|starting|lineups?
    backcourt|frontcourt|rookies?|strikers?|forwards?|midfielders?|defenders?|(?:goal)?keepers?
    duo|trio|quarters?|half|halves|halftime|minutes?|penalt(?:y|ies)|cards?|corners?|offsides?|saves?
    stadiums?|arenas?|channels?|tv|stream\w*|tickets?|odds|predict\w*|favou?rites?|injur\w*|records
    rank\w*|standings?|tables?|positions?|titles?|troph(?:y|ies)|championships?|streaks?|draft\w*
    trades?|traded|transfers?|salar\w+|average|per game|each
    """
)
_NOT_OF_A_GAME = re.compile(rf"\b(?:{_WHO_DID}|{_PARTS})\b")
_CAPTAIN = re.compile(r"\b(?:captain\w*|skipper\w*|armband)\b")


def fact_of(plain: str, *, several: bool = False) -> str | None:
    """What is asked of a game: a name in `game.FACTS`; None where nothing of it is.

    `several`: teams are compared, so that "who" is one of them.
    """
    aside = plain.replace("who ", "") if several else plain
    if _CAPTAIN.search(plain):
        aside = aside.replace("player", "")
    if of_parts(aside):
        return None
    if _EXISTS.search(plain) or is_count(plain):
        return "played?"
    return next((fact for fact, pattern in _FACTS if pattern.search(plain)), None)


def of_parts(plain: str) -> bool:
    """Whether it is about what belongs to no game as a whole: its players, a table, a stadium."""
    return _NOT_OF_A_GAME.search(plain) is not None


def is_count(plain: str) -> bool:
    """Whether games are counted."""
    return _HOW_MANY_GAMES.search(plain) is not None


def compared(plain: str) -> str | None:
    """ "more" or "less" where teams are compared."""
    match = _COMPARED.search(plain)
    return match.lastgroup if match else None
