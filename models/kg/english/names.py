"""Finds KG names in a question by the API's own searches."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from models.kg.english.company_names import DOT_COM, core_name
from models.kg.english.likeness import THRESHOLD, likeness, name_words, with_numerals
from models.kg.english.question import QuestionText, WordSpan, runs
from utils.crag_api import ApiCall, KgClient
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage
from utils.text import FUNCTION_WORDS, words

_POSSESSIVE = re.compile(r"['’]s$")
_LONGEST = 12  # words in a run that is searched separately
_MOST_HITS = 10_000  # of one search, which usually returns ten
_MOST_QUERIES = 24  # of one search
_SHORTEST = 5  # letters; a shorter name must match exactly
_LEAST_SCORE = 0.8
_SHORT_TITLE = 0.95  # the score of a part of a title
_MOST_ALIKE = 3  # names for the same words
_PART = 0.8  # minimum score of a part of a name


@dataclass(frozen=True, slots=True)
class NameSearch:
    """A search endpoint of the API, and how to read the name of a hit.

    `beginning`: minimum length of a name's prefix that counts as the name; `ending`: a suffix with
    which words are searched as well (".com"); `qualified`: a name may end in a qualifier.
    """

    endpoint: str
    name_of: Callable[[Any], str]
    beginning: int = _SHORTEST
    ending: str = ""
    qualified: bool = False


def _key(name: str) -> Callable[[Any], str]:
    return lambda hit: str(hit.get(name) or "")


MOVIES = NameSearch("/movie/get_movie_info", _key("title"))
FILM_PEOPLE = NameSearch("/movie/get_person_info", _key("name"))
COMPANIES = NameSearch("/finance/get_company_name", lambda hit: core_name(str(hit)), 4, DOT_COM)
ARTISTS = NameSearch("/music/search_artist_entity_by_name", str)
SONGS = NameSearch("/music/search_song_entity_by_name", str)
ENTITIES = NameSearch("/open/search_entity_by_name", str, qualified=True)


@dataclass(frozen=True, slots=True)
class Mention:
    """A KG entity by its own name, and the words of the question that name it.

    `score`: the similarity of the two, 1 for a verbatim match.
    """

    name: str
    span: WordSpan
    score: float = 1.0


class NameFinder:
    """Finds names for one question. Each call is made once."""

    def __init__(self, client: KgClient, deadline: Deadline) -> None:
        self._client = client
        self._deadline = deadline
        self._made: dict[tuple[str, str], Any] = {}

    def call_many(self, calls: Sequence[tuple[str, str]]) -> list[Any]:
        """The results of the (endpoint, query) pairs, called in parallel.

        Raises:
            ApiError: one of them failed.
            DeadlineExceeded: there was no time for one.
        """
        fresh = [call for call in dict.fromkeys(calls) if call not in self._made]
        if fresh:
            replies = self._client.call_many(
                [ApiCall(endpoint, {"query": query}) for endpoint, query in fresh],
                deadline=self._deadline,
            )
            for call, reply in zip(fresh, replies, strict=True):
                if isinstance(reply, ApiError):
                    self._deadline.check("the search for names")
                    raise reply
                self._made[call] = reply[:_MOST_HITS] if isinstance(reply, list) else reply
        return [self._made[call] for call in calls]

    def search(self, search: NameSearch, query: str) -> list[str]:
        """The names that one search finds, best first."""
        (hits,) = self.call_many([(search.endpoint, query)])
        return list(_names(search, hits))

    def found(self, search: NameSearch) -> list[str]:
        """The hits of all calls of a search that returns names."""
        hits = (hits for (endpoint, _), hits in self._made.items() if endpoint == search.endpoint)
        return list(dict.fromkeys(str(hit) for found in hits for hit in found or ()))

    def standing(
        self, asked: QuestionText, search: NameSearch, *, cues: Collection[str] = ()
    ) -> list[Mention]:
        """The names in the question, in order, without overlaps.

        Of overlapping names the longest wins. `cues` are the words of typical questions of this
        kind; other words that are not function words may be a misspelt name, or a part of one. A
        name made of cue words only counts if nothing else is found, or if it has several words.
        Without `cues`, only verbatim names are found.
        """
        free = FUNCTION_WORDS | set(cues) if cues else FUNCTION_WORDS
        parts = list(_parts(asked, free))
        stretches = list(dict.fromkeys((*_stretches(parts, asked), *parts)))
        queries = _spellings(asked, (*stretches, *_endings(asked)))
        owners = _spellings(asked, _owners(asked, stretches))
        hits = self._hits(search, [asked.text, *queries, *joined(asked, stretches), *owners])
        if search.ending:
            hits += self._hits(
                search, [w + search.ending for part in parts for w in asked.texts(part)]
            )
        found = _found(asked, hits, stretches, free, search)
        return _apart(found or _exact(asked, hits, search))

    def _hits(self, search: NameSearch, queries: Iterable[str]) -> list[str]:
        """The names that searches find, each once."""
        wanted = [query for query in dict.fromkeys(queries) if query.strip()][:_MOST_QUERIES]
        replies = self.call_many([(search.endpoint, query) for query in wanted])
        return list(dict.fromkeys(name for reply in replies for name in _names(search, reply)))


def _found(
    asked: QuestionText,
    hits: Sequence[str],
    stretches: Sequence[WordSpan],
    free: Collection[str],
    search: NameSearch,
) -> list[Mention]:
    """Names that occur verbatim; in the remaining words, similar ones."""
    exact = _exact(asked, hits, search)
    found = [m for m in exact if not _all_in(asked, m.span, free)]
    for stretch in stretches if free is not FUNCTION_WORDS else ():
        inside = [m for m in found if m.span.meets(stretch)]
        least = max((len(m.span) for m in inside), default=0)
        spans = (span for span in _around(asked, stretch, free) if len(span) > least)
        similar = max(
            (_similar(asked, hits, span, free, search) for span in spans), key=_score, default=[]
        )
        similar = [m for m in similar if m.name not in {each.name for each in inside}]
        if similar and (not inside or _score(similar) >= THRESHOLD):
            found += similar
    for mention in exact:  # "The Help" next to another name
        if len(mention.span) > 1 and not any(mention.span.meets(m.span) for m in found):
            found.append(mention)
    return found if any(not _all_in(asked, m.span, free) for m in found) else []


def _score(mentions: Sequence[Mention]) -> float:
    return mentions[0].score if mentions else 0.0


def _around(asked: QuestionText, stretch: WordSpan, free: Collection[str]) -> list[WordSpan]:
    """Runs of words that may be a name: parts of a stretch, and those with one more word; the
    longest first."""
    first, last = max(0, stretch.first - 1), min(len(asked.words), stretch.last + 2)
    if len(stretch) > _LONGEST:
        return []
    runs = [WordSpan(i, j) for i in range(first, last) for j in range(i + 1, last + 1)]
    return sorted(
        (run for run in runs if run.meets(stretch) and _may_name(asked, run, free)),
        key=lambda run: (-len(run), abs(run.first - stretch.first)),
    )


def _may_name(asked: QuestionText, run: WordSpan, free: Collection[str]) -> bool:
    ends = (asked.words[run.first].text, asked.words[run.last - 1].text)
    return not _all_in(asked, run, free) and not any(word in FUNCTION_WORDS for word in ends)


def _names(search: NameSearch, hits: Any) -> Iterator[str]:
    for hit in hits if isinstance(hits, list) else []:
        try:
            name = search.name_of(hit)
        except AttributeError as error:
            raise ApiGarbage(
                f"{search.endpoint}: a hit has an unexpected form: {hit!r:.80}"
            ) from error
        if words(name):
            yield name


def _spellings(asked: QuestionText, spans: Iterable[WordSpan]) -> Iterator[str]:
    """Each span as spelled in the question, and without a possessive ending, which may be part of
    the name."""
    for span in spans:
        spelled = asked.spelled(span)
        yield spelled
        if spelled.endswith("s"):
            yield spelled.removesuffix("s").rstrip("'’")


def joined(asked: QuestionText, spans: Iterable[WordSpan]) -> Iterator[str]:
    """Each two adjacent words as one: the KG's search knows "T-Mobile" as "tmobile"."""
    for span in spans:
        for left, right in pairwise(asked.texts(span)):
            if not {left, right} & FUNCTION_WORDS:
                yield left + right


def _all_in(asked: QuestionText, span: WordSpan, free: Collection[str]) -> bool:
    return all(word in free for word in asked.texts(span))


def _parts(asked: QuestionText, free: Collection[str]) -> Iterator[WordSpan]:
    """The maximal runs of words that are not free."""
    for is_free, run in groupby(enumerate(asked.words), lambda each: each[1].text in free):
        if not is_free:
            indices = [index for index, _ in run]
            yield WordSpan(indices[0], indices[-1] + 1)


def _stretches(parts: Iterable[WordSpan], asked: QuestionText) -> list[WordSpan]:
    """The same, joined where only function words are between two of them."""
    found: list[WordSpan] = []
    for part in parts:
        between = asked.words[found[-1].last : part.first] if found else ()
        if found and all(word.text in FUNCTION_WORDS for word in between):
            found[-1] = WordSpan(found[-1].first, part.last)
        else:
            found.append(part)
    return found


def _owners(asked: QuestionText, stretches: Iterable[WordSpan]) -> Iterator[WordSpan]:
    """The parts of a stretch before and after each possessive: "Costco's special dividend"."""
    for stretch in stretches:
        inside = range(stretch.first + 1, stretch.last)
        owners = [i for i in inside if _POSSESSIVE.search(asked.spelled(WordSpan(i - 1, i)))]
        if owners:
            yield from map(WordSpan, (stretch.first, *owners), (*owners, stretch.last))


def _endings(asked: QuestionText) -> Iterator[WordSpan]:
    """The last words: a name that consists of cue words is often at the end."""
    count = len(asked.words)
    return (WordSpan(count - size, count) for size in range(2, min(4, count) + 1))


def _exact(asked: QuestionText, hits: Sequence[str], search: NameSearch) -> list[Mention]:
    plain = [word.text for word in asked.words]
    numbered = with_numerals(plain)
    return [
        Mention(name, span, score)
        for name in hits
        for alias, score in _aliases(name, search)
        for said in [name_words(alias)]
        for span in runs(said, numbered if len(said) > 1 else plain)
    ]


def _aliases(name: str, search: NameSearch) -> Iterator[tuple[str, float]]:
    """A name and its parts: after "the", before and after a colon, before a bracket."""
    yield name, 1.0
    parts = name.split(":") if name.count(":") == 1 else []
    parts += [name[4:]] if name.lower().startswith("the ") else []
    yield from ((part, _SHORT_TITLE) for part in parts if len(words(part)) > 1)
    if search.qualified and "(" in name:
        yield name.partition("(")[0], _SHORT_TITLE


def _similar(
    asked: QuestionText,
    hits: Sequence[str],
    span: WordSpan,
    free: Collection[str],
    search: NameSearch,
) -> list[Mention]:
    """The names most similar to a run of words; none if the similarity is low, or many are equally
    similar."""
    plain = asked.texts(span)
    may_be_part = all(word not in free or word in FUNCTION_WORDS for word in plain)
    said = with_numerals(plain)
    texts = {name: _unqualified(name, said) if search.qualified else name for name in hits}
    scored = [
        (_similarity(said, name_words(text), may_be_part, search.beginning), name)
        for name, text in texts.items()
    ]
    top = max((score for score, _ in scored), default=0.0)
    best = [name for score, name in scored if score == top >= _LEAST_SCORE]
    return [Mention(name, span, top) for name in best[:_MOST_ALIKE]]


def _unqualified(name: str, said: Sequence[str]) -> str:
    """A name, without its qualifier if only that is said: "Texas" is not "Allen, Texas"."""
    core, _, qualifier = name.partition(", ")
    return core if set(said) <= set(words(qualifier)) else name


def _similarity(
    said: Sequence[str], name: Sequence[str], may_be_part: bool, beginning: int
) -> float:
    """From 0 to 1: the similarity to the whole name, or to a part at one end of a title."""
    whole = likeness(" ".join(said), " ".join(name)) if len("".join(said)) >= _SHORTEST else 0.0
    core = [word for word in said if word not in FUNCTION_WORDS]
    own = [word for word in name if word not in FUNCTION_WORDS]
    size = len("".join(core))
    if not may_be_part or size < beginning or len(core) >= len(own):
        return whole
    at_end = own[: len(core)] == core or (size >= _SHORTEST and own[-len(core) :] == core)
    part = _PART + (1 - _PART) * 0.9 * len(core) / len(own)
    return max(whole, part if at_end else 0.0)


def _apart(mentions: Iterable[Mention]) -> list[Mention]:
    """The longest ones without overlaps, in the order of the question."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (-len(m.span), m.span.first)):
        same = [k for k in kept if k.span == mention.span]
        if same or not any(mention.span.meets(k.span) for k in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: (m.span.first, m.name))
