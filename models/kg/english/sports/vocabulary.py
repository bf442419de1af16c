"""The words of questions about games that change nothing, and what is left beside them."""

import re

from rapidfuzz import fuzz, process

from utils.text import FUNCTION_WORDS

_SHORTEST_MISSPELT = 6  # letters
_ALIKE = 85
VOCABULARY = frozenset(
    """
    3s able accumulate accumulated achieve achieved action active actual actually advantage
    adversaries adversary again against aggregate ahead all allow allowed altogether amass
    amassed amid amount another answer appearance appearances arena armband assist assists
    attack attacking attempt attempted attempts attendance attended audience await awaiting
    awaits away back backyard bag bagged basket basketball battle battled beat beaten began
    begin behind between big biting block blocked blocks board boards book booked both bout
    bring brought buckets bundesliga buzzer called calling came captain chalk chalked challenge
    challenged challenger charge clash clashed clashing clean clear close closing club clubs
    collect collected combined come comes commit committed compete competed competes competing
    competition competitions competitor competitors compile compiled concede conceded concerning
    conclude concluded concluding conclusion conference confront confronted contend contended
    contest contests contributed contribution count court crack cross crossed crowd cumulative
    current currently date dates day days defeat defeated defeats defensive details diary
    difference display domestic down draw drawn drew drop dropped dub due duel duke during earn
    earned earns effort emerge emerged emerges encounter encountered encountering encounters end
    ended ending ends enemy eng engage engaged engagement english epic esp event eventually ever
    exact exactly exciting expected face faced faces facing faithful fall falls fans far fare
    fared feature featured featuring field fight fighting figure final finals finish finished
    fixture fixtures flight foe following football foreign formation fought foul fouls fra
    franchise franchises free french frequency frequently front full fulltime game games gap
    gather gathered ger german get gets getting given go goal goals goalscoring goes going gone
    got grab grabbed great ground guest guests hand handed happen happened hardwood haul head
    headed held hello hey hi hit hold home hoop hoops horns host hosted hostile hosting hosts
    identify info information intense into involved ita italian keep kept kick kicked kickoff
    last latest lead leader leading league led let lie liga ligue like line lined lineup list
    live lock locked look looking looks lose loser losers losing loss losses lost made make
    makes man manage managed margin marked match matchday matched matches matchup matchups
    matchweek maximum meet meeting meetings meets memorable met most nail nailbiter name named
    nba net netted neutral next ninety notch notched number numbers numerical occurred off
    offense offensive official officiated often okay on only opponent opponents oppose opposed
    opposer opposes opposing opposite opposition other out outcome outcomes outfit outfits
    outing outings output over overall overtime own pair paired pairing participate participated
    participating participation particular past patch paths pct pencilled people percent
    percentage perform performance performed personal pit pitch pitted place planned play played
    player playing playoff playoffs plays please point pointer pointers points possession post
    posted pour poured premier preseason previous produce produced production pts pull pulled
    pulling put quantity question rack racked rebound rebounding rebounds recall recent record
    recorded referee refereed regarding register registered regular remember respect result
    results return rival rivals road role round said schedule scheduled score scoreboard
    scoreboards scorecard scored scoreline scores scoresheet scoring season secure secured
    securing seen serie serve served set shall share shared sheet sheets ship shipped shot shots
    showdown showdowns showing side sides single size skipper slot slotted soccer soil spanish
    specific spectators sport sports squad squads square squared squares squaring stadium start
    started starts stat statistic statistics stats steal steals step stepped still succeed
    successes successful successfully suffer suffered sum supporters tackle tackled take taken
    takes taking tallied tally taste tasted team teams tense terms territory then thing things
    three threes thriller thrilling through throw throws tie ties tight time times tip tipoff
    tipped toe together took top total totals tournament treys trip triumph triumphant turf turn
    turned turnover turnovers turns ultimately up upcoming update v value venue verdict versus
    victor victories victorious victors victory visit visited visiting vs w watch watched
    wearing week weekend weeks went when while whistle will win wind winner winning wins won
    wore work worked worn wound yield
    """.split()
)
# What a team "did" is a verb, whichever it is, unless it turns the question round. Before another
# verb it is the subject: a part of the team.
_VERBS = "score|have|get|make|put|grab|record|post|win|combine|contribute|add"
_DID = re.compile(
    rf"(?<=\bdid TEAM )(?!not|nt|miss|waste|commit|save|fail)[a-z]+\b(?! (?:{_VERBS})\b)"
)


def corrected(text: str) -> str:
    """A word as English spells it, where it is nearly a word of games."""
    if text in VOCABULARY or text in FUNCTION_WORDS or len(text) < _SHORTEST_MISSPELT:
        return text
    found = process.extractOne(text, VOCABULARY, scorer=fuzz.ratio, score_cutoff=_ALIKE)
    near = found[0] if found else text
    return near if near[:1] == text[:1] else text


def unexplained(plain: str) -> list[str]:
    """The words that are neither marks, function words, words of games, nor what a team did.

    Adverbs say nothing more.
    """
    return [
        word
        for word in _DID.sub(" ", plain).split()
        if not word.isupper()
        and word not in VOCABULARY
        and word not in FUNCTION_WORDS
        and not word.endswith("ly")
    ]
