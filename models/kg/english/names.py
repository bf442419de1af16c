"""Names of the KG that stand in a question, found by the API's own searches."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from models.kg.linking.question import Asked, Span, runs
from models.kg.match import THRESHOLD, likeness
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage
from utils.text import FUNCTION_WORDS, words

_LONGEST = 12  # words of a run that is searched for on its own
_MOST_HITS = 10_000  # of one call: a search gives ten, the works of an artist are some hundreds
_SHORTEST_MISSPELT = 5  # letters; a shorter name that is nearly alike is another one


class Client(Protocol):
    """What of `utils.crag_api.CragClient` is used here."""

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]: ...


@dataclass(frozen=True, slots=True)
class Search:
    """An endpoint of the API that finds things by name, and how to read a hit's name."""

    endpoint: str
    name_of: Callable[[Any], str]


def _key(name: str) -> Callable[[Any], str]:
    return lambda hit: str(hit.get(name) or "")


MOVIES = Search("/movie/get_movie_info", _key("title"))
FILM_PEOPLE = Search("/movie/get_person_info", _key("name"))
COMPANIES = Search("/finance/get_company_name", str)
ARTISTS = Search("/music/search_artist_entity_by_name", str)
SONGS = Search("/music/search_song_entity_by_name", str)
ENTITIES = Search("/open/search_entity_by_name", str)


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing of the KG, by its own name there, and the words of the question that name it.

    `hits`: what the search gave for that name; several where several things bear it.
    """

    name: str
    span: Span
    hits: tuple[Any, ...] = ()


class Names:
    """Finds names for one question. Each call is made once."""

    def __init__(self, client: Client, deadline: Deadline) -> None:
        self._client = client
        self._deadline = deadline
        self._made: dict[tuple[str, str], Any] = {}

    def call_many(self, calls: Sequence[tuple[str, Any]]) -> list[Any]:
        """What each (endpoint, query) gives, all asked side by side.

        Raises:
            ApiError: one of them failed.
            DeadlineExceeded: there was no time for one.
        """
        fresh = [
            call for call in dict.fromkeys((e, str(q)) for e, q in calls) if call not in self._made
        ]
        typed = {(endpoint, str(query)): query for endpoint, query in calls}
        if fresh:
            replies = self._client.call_many(
                [Call(endpoint, {"query": typed[endpoint, text]}) for endpoint, text in fresh],
                deadline=self._deadline,
            )
            for call, reply in zip(fresh, replies, strict=True):
                if isinstance(reply, ApiError):
                    self._deadline.check("the search for names")
                    raise reply
                self._made[call] = reply[:_MOST_HITS] if isinstance(reply, list) else reply
        return [self._made[endpoint, str(query)] for endpoint, query in calls]

    def fetch(self, endpoint: str, **params: Any) -> Any:
        """What one endpoint gives that is not asked by a name.

        Raises:
            ApiError: it failed.
            DeadlineExceeded: there was no time for it.
        """
        key = (endpoint, repr(sorted(params.items())))
        if key not in self._made:
            (reply,) = self._client.call_many([Call(endpoint, params)], deadline=self._deadline)
            if isinstance(reply, ApiError):
                self._deadline.check("the search for names")
                raise reply
            self._made[key] = reply
        return self._made[key]

    def search(self, search: Search, query: str) -> list[tuple[str, Any]]:
        """The named hits of one search, best first."""
        (hits,) = self.call_many([(search.endpoint, query)])
        return list(_named(search, hits))

    def standing(
        self, asked: Asked, search: Search, *, cues: Collection[str] = ()
    ) -> list[Mention]:
        """The names that stand in the question word for word, in their order, none overlapping.

        Of overlapping ones the longest wins. A name made of function words and `cues` alone, the
        words by which questions of this kind ask, counts only where nothing else is found: then the
        longest of those that end or begin a stretch of such words. Where no name stands there word
        for word, one that is nearly alike may (see `models/kg/match.py`).
        """
        free = FUNCTION_WORDS | set(cues)
        stretches = list(_stretches(asked, free))
        queries = [asked.text, *_spellings(asked, stretches)]
        hits = self._hits(search, queries)
        found = _exact(asked, hits)
        proper = [m for m in found if not _all_in(asked, m.span, free)]
        if not proper:
            hits |= self._hits(search, _spellings(asked, _windows(asked, free)))
            found = _exact(asked, hits)
            proper = [m for m in found if not _all_in(asked, m.span, free)]
        if not proper:
            proper = list(_misspelt(asked, hits, stretches))
        return _apart(proper or found)

    def alike(self, asked: Asked, search: Search, *, cues: Collection[str] = ()) -> list[Mention]:
        """The names that a whole stretch of words without cues is, or is nearly: misspelt, in
        another order, without its little words."""
        stretches = list(_stretches(asked, FUNCTION_WORDS | set(cues)))
        hits = self._hits(search, (asked.spelled(span) for span in stretches))
        return _apart(_misspelt(asked, hits, stretches))

    def _hits(self, search: Search, queries: Iterable[str]) -> dict[str, list[Any]]:
        wanted = [query for query in dict.fromkeys(queries) if query.strip()]
        hits: dict[str, list[Any]] = {}
        for reply in self.call_many([(search.endpoint, query) for query in wanted]):
            for name, hit in _named(search, reply):
                known = hits.setdefault(name, [])
                if hit not in known:
                    known.append(hit)
        return hits


def _named(search: Search, hits: Any) -> Iterator[tuple[str, Any]]:
    for hit in hits if isinstance(hits, list) else []:
        try:
            name = search.name_of(hit)
        except AttributeError as error:
            raise ApiGarbage(
                f"{search.endpoint}: a hit has an unexpected form: {hit!r:.80}"
            ) from error
        if words(name):
            yield name, hit


def _spellings(asked: Asked, spans: Iterable[Span]) -> Iterator[str]:
    """Each span as the question spells it, and again less a possessive ending, which may as well be
    part of the name."""
    for span in spans:
        spelled = asked.spelled(span)
        yield spelled
        if spelled[-2:] in ("'s", "’s"):
            yield spelled[:-2]


def _all_in(asked: Asked, span: Span, free: Collection[str]) -> bool:
    return all(asked.words[i].text in free for i in range(span.first, span.last))


def _stretches(asked: Asked, free: Collection[str]) -> Iterator[Span]:
    """The maximal stretches of words that are not free, little words between two of them kept."""
    kept = [index for index, word in enumerate(asked.words) if word.text not in free]
    first = last = -1
    for index in kept:
        between = asked.words[last:index] if last >= 0 else ()
        if last >= 0 and all(word.text in FUNCTION_WORDS for word in between):
            last = index + 1
            continue
        if last >= 0:
            yield Span(first, last)
        first, last = index, index + 1
    if last >= 0:
        yield Span(first, last)


def _windows(asked: Asked, free: Collection[str]) -> Iterator[Span]:
    """Runs of words that may be a name among words that usually are none: they begin where a free
    word, or nothing, stands before, and end the same way."""
    count = len(asked.words)
    for first in range(count):
        for last in range(count, first, -1):
            if last - first <= _LONGEST and (last == count or first == 0 or last - first <= 3):
                yield Span(first, last)


def _exact(asked: Asked, hits: dict[str, list[Any]]) -> list[Mention]:
    plain = [word.text for word in asked.words]
    return [
        Mention(name, span, tuple(found))
        for name, found in hits.items()
        for span in runs(words(name), plain)
    ]


def _misspelt(
    asked: Asked, hits: dict[str, list[Any]], stretches: Sequence[Span]
) -> Iterator[Mention]:
    for span in stretches:
        text = " ".join(asked.words[i].text for i in range(span.first, span.last))
        if len(text) < _SHORTEST_MISSPELT:
            continue
        scored = [(likeness(text, name), name) for name in hits]
        top = max((score for score, _ in scored), default=0.0)
        if top >= THRESHOLD:
            for score, name in scored:
                if score == top:
                    yield Mention(name, span, tuple(hits[name]))


def _apart(mentions: Iterable[Mention]) -> list[Mention]:
    """The longest ones that do not overlap, in the order of the question."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (-len(m.span), m.span.first)):
        same = [k for k in kept if k.span == mention.span]
        if same or not any(mention.span.meets(k.span) for k in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: (m.span.first, m.name))
