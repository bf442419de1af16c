"""Finds KG names in a question by the API's own searches.

`NameFinder` searches for the parts of a question that may be names. `_HitMatcher` then decides
which of the hits the question names, and by which words.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

from models.english.instalments import is_amount, is_unit, number_of_word, numbers_in
from models.english.likeness import THRESHOLD, likeness, name_words, part_likeness
from models.english.question import QuestionText, WordSpan
from models.kg.names.company_names import DOT_COM, core_name
from utils.crag_api import ApiCall, KgClient
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage
from utils.text import FUNCTION_WORDS, words

_POSSESSIVE = re.compile(r"['’]s$")
_LONGEST = 12  # words in a run that is searched separately
_LONGEST_NAME = 1_000  # characters; a longer text in a hit is no name
_MOST_HITS = 10_000  # of one search, which usually returns ten
_MOST_QUERIES = 24  # of one search
_MOST_ENDING_WORDS = 4  # of a question that are searched as a name
_SHORTEST = 5  # letters; a shorter name must match exactly
_LEAST_SCORE = 0.8
_SHORT_TITLE = 0.95  # the score of a part of a title
_PLACE = 0.9  # the score of a place without what it is in: "Allen" of "Allen, Texas"
_ACCENTED = {"e": "é", "o": "ö", "u": "ü"}  # the commonest ones in names
_MOST_ALIKE = 3  # names for the same words
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_NO_INSTALMENT = re.compile(r"[^\w\s]\w|[$€£%]")  # "$3", "2.5", "3-1" count something else
_NEAR = 4  # words from the number in a title to its last part
_LATEST_MENTION = 2  # years from a film's release to its awards


@dataclass(frozen=True, slots=True)
class NameSearch:
    """A search endpoint of the API, and how its hits match.

    Attributes:
        name_of: the name of a hit.
        beginning: minimum length of a name's prefix that counts as the name.
        ending: a suffix with which words are searched as well (".com").
        qualified: whether a name may end in a qualifier ("Allen, Texas").
        date_of: the date of a hit, whose year may follow its name ("Dune 1984").
    """

    endpoint: str
    name_of: Callable[[Any], str]
    beginning: int = _SHORTEST
    ending: str = ""
    qualified: bool = False
    date_of: Callable[[Any], str] | None = None


def _text_of_field(field: str) -> Callable[[Any], str]:
    return lambda hit: str(hit.get(field) or "")


MOVIES = NameSearch(
    "/movie/get_movie_info", _text_of_field("title"), date_of=_text_of_field("release_date")
)
FILM_PEOPLE = NameSearch("/movie/get_person_info", _text_of_field("name"))
COMPANIES = NameSearch("/finance/get_company_name", lambda hit: core_name(str(hit)), 4, DOT_COM)
ARTISTS = NameSearch("/music/search_artist_entity_by_name", str)
SONGS = NameSearch("/music/search_song_entity_by_name", str)
ENTITIES = NameSearch("/open/search_entity_by_name", str, qualified=True)


@dataclass(frozen=True, slots=True)
class Mention:
    """A KG entity by its own name, and the words of the question that name it.

    Attributes:
        score: the similarity of the two, 1 for a verbatim match.
        partial: only a part of the name is in the question.
    """

    name: str
    span: WordSpan
    score: float = 1.0
    partial: bool = False


def _no_spellings(_: str) -> str:
    return ""


class NameFinder:
    """Finds names for one question. Each call is made once."""

    def __init__(
        self,
        client: KgClient,
        deadline: Deadline,
        near_spellings: Callable[[str], str] = _no_spellings,
    ) -> None:
        """`near_spellings`: the words that a misspelt one may stand for, as one text to search;
        empty for a known word. The API's searches know whole words only, and find nothing by
        "titanc"."""
        self._client = client
        self._deadline = deadline
        self._near_spellings = near_spellings
        self._replies: dict[tuple[str, str], Any] = {}

    def call_many(self, calls: Sequence[tuple[str, str]]) -> list[Any]:
        """The results of the (endpoint, query) pairs, called in parallel.

        Raises:
            ApiError: one of them failed.
            DeadlineExceeded: there was no time for one.
        """
        new_calls = [call for call in dict.fromkeys(calls) if call not in self._replies]
        if new_calls:
            self._fetch(new_calls)
        return [self._replies[call] for call in calls]

    def _fetch(self, calls: Sequence[tuple[str, str]]) -> None:
        api_calls = [ApiCall(endpoint, {"query": query}) for endpoint, query in calls]
        replies = self._client.call_many(api_calls, deadline=self._deadline)
        for call, reply in zip(calls, replies, strict=True):
            if isinstance(reply, ApiError):
                self._deadline.check("the search for names")
                raise reply
            self._replies[call] = reply[:_MOST_HITS] if isinstance(reply, list) else reply

    def search(self, search: NameSearch, query: str) -> list[str]:
        """The names that one search finds, best first."""
        (hits,) = self.call_many([(search.endpoint, query)])
        return list(_names_of_hits(search, hits))

    def all_hits(self, search: NameSearch) -> list[str]:
        """The hits of all calls so far of a search that returns names."""
        names: dict[str, None] = {}
        for (endpoint, _), hits in self._replies.items():
            if endpoint == search.endpoint and isinstance(hits, list):
                names.update(dict.fromkeys(map(str, hits)))
        return list(names)

    def mentions_in(
        self, question: QuestionText, search: NameSearch, *, cues: Collection[str] = ()
    ) -> list[Mention]:
        """The names in the question, in order, without overlaps.

        Of overlapping names the longest wins. `cues` are the words of typical questions of this
        kind; other words that are not function words may be a misspelt name, or a part of one. A
        name made of cue words only counts if nothing else is found, or if it has several words.
        Without `cues`, only verbatim names are found.
        """
        free = FUNCTION_WORDS.union(cues)
        parts = list(_runs_of_other_words(question, free))
        stretches = list(dict.fromkeys((*_stretches(parts, question), *parts)))
        hits = self._search_all(search, _name_queries(question, stretches))
        if search.ending:
            hits += self._search_all(
                search, _name_queries_with_ending(question, parts, search.ending)
            )
        mentions = self._matches(question, search, hits, free, stretches, with_similar=bool(cues))
        if cues:
            unknown_words = _words_beside(mentions, question)
            near_hits = self._search_all(search, map(self._near_spellings, unknown_words))
            if near_hits:
                hits += near_hits
                mentions = self._matches(question, search, hits, free, stretches, with_similar=True)
        return _longest_apart(mentions)

    def _matches(
        self,
        question: QuestionText,
        search: NameSearch,
        hits: Sequence[str],
        free: Collection[str],
        stretches: Sequence[WordSpan],
        *,
        with_similar: bool,
    ) -> list[Mention]:
        """The hits that the question names, which may overlap."""
        matcher = _HitMatcher(question, hits, search, free, self._years_of_hits(search))
        return matcher.mentions(stretches, with_similar=with_similar)

    def _years_of_hits(self, search: NameSearch) -> dict[str, set[int]]:
        """The years of each name among the hits of all calls so far, as far as known."""
        years: dict[str, set[int]] = {}
        if search.date_of is None:
            return years
        for (endpoint, _), hits in self._replies.items():
            if endpoint != search.endpoint or not isinstance(hits, list):
                continue
            for hit in hits:
                year = _YEAR.match(search.date_of(hit))
                if year:
                    years.setdefault(search.name_of(hit), set()).add(int(year[0]))
        return years

    def _search_all(self, search: NameSearch, queries: Iterable[str]) -> list[str]:
        """The names that searches find, each once."""
        wanted = [query for query in dict.fromkeys(queries) if query.strip()][:_MOST_QUERIES]
        replies = self.call_many([(search.endpoint, query) for query in wanted])
        names: dict[str, None] = {}
        for reply in replies:
            names.update(dict.fromkeys(_names_of_hits(search, reply)))
        return list(names)


def _names_of_hits(search: NameSearch, hits: Any) -> Iterator[str]:
    """The names of the hits of a search, without empty ones.

    Raises:
        ApiGarbage: a hit has an unexpected form.
    """
    if not isinstance(hits, list):
        return
    for hit in hits:
        try:
            name = search.name_of(hit)
        except AttributeError as error:
            raise ApiGarbage(
                f"{search.endpoint}: a hit has an unexpected form: {hit!r:.80}"
            ) from error
        if words(name) and len(name) <= _LONGEST_NAME:
            yield name


# ---- what is searched: texts of the question that may be names


def _name_queries(question: QuestionText, stretches: Sequence[WordSpan]) -> Iterator[str]:
    """The texts to search: the whole question, and its parts that may be names."""
    yield question.text
    yield from _spellings(question, stretches)
    yield from _spellings(question, _last_words(question))
    yield from _joined_pairs(question, stretches)
    yield from _accented(question, stretches)
    yield from _spellings(question, _between_possessives(question, stretches))


def _name_queries_with_ending(
    question: QuestionText, parts: Sequence[WordSpan], ending: str
) -> Iterator[str]:
    """Each word of the parts with an ending: "amazon.com"."""
    for part in parts:
        for word in question.texts(part):
            yield word + ending


def _spellings(question: QuestionText, spans: Iterable[WordSpan]) -> Iterator[str]:
    """Each span as spelled in the question, and without a possessive ending, which may be part of
    the name."""
    for span in spans:
        spelling = question.spelled(span)
        yield spelling
        if spelling.endswith("s"):
            yield spelling.removesuffix("s").rstrip("'’")


def _joined_pairs(question: QuestionText, spans: Iterable[WordSpan]) -> Iterator[str]:
    """Each two adjacent words as one: the KG's search knows "T-Mobile" as "tmobile"."""
    for span in spans:
        for first, second in pairwise(question.texts(span)):
            if first not in FUNCTION_WORDS and second not in FUNCTION_WORDS:
                yield first + second


def _accented(question: QuestionText, spans: Iterable[WordSpan]) -> Iterator[str]:
    """A single word with one of its vowels accented: the KG's search does not find "Beyoncé" by
    "beyonce"."""
    for span in spans:
        word = question.words[span.first].text
        if len(span) == 1 and len(word) >= _SHORTEST and word.isascii():
            for place, letter in enumerate(word):
                if letter in _ACCENTED:
                    yield word[:place] + _ACCENTED[letter] + word[place + 1 :]


def _runs_of_other_words(question: QuestionText, free: Collection[str]) -> Iterator[WordSpan]:
    """The maximal runs of words that are not free."""
    indices = range(len(question.words))
    for is_free, run in groupby(indices, lambda index: question.words[index].text in free):
        if not is_free:
            run_indices = list(run)
            yield WordSpan(run_indices[0], run_indices[-1] + 1)


def _stretches(parts: Iterable[WordSpan], question: QuestionText) -> list[WordSpan]:
    """The same, joined where only function words are between two of them."""
    stretches: list[WordSpan] = []
    for part in parts:
        if stretches:
            between = question.words[stretches[-1].end : part.first]
            if all(word.text in FUNCTION_WORDS for word in between):
                stretches[-1] = WordSpan(stretches[-1].first, part.end)
                continue
        stretches.append(part)
    return stretches


def _between_possessives(
    question: QuestionText, stretches: Iterable[WordSpan]
) -> Iterator[WordSpan]:
    """The parts of a stretch before and after each possessive: "Costco's special dividend"."""
    for stretch in stretches:
        ends_of_owners = [
            index
            for index in range(stretch.first + 1, stretch.end)
            if _POSSESSIVE.search(question.spelled(WordSpan(index - 1, index)))
        ]
        if ends_of_owners:
            for first, last in pairwise((stretch.first, *ends_of_owners, stretch.end)):
                yield WordSpan(first, last)


def _last_words(question: QuestionText) -> Iterator[WordSpan]:
    """The last words: a name that consists of cue words is often at the end."""
    count = len(question.words)
    for size in range(2, min(_MOST_ENDING_WORDS, count) + 1):
        yield WordSpan(count - size, count)


# ---- which hits the question names


@dataclass(frozen=True)
class _HitMatcher:
    """Finds the hits of a search in a question.

    Attributes:
        free: words that are not part of a name, unless the whole name is in the question.
        years: those of the hits by name, as far as known.
    """

    question: QuestionText
    hits: Sequence[str]
    search: NameSearch
    free: Collection[str]
    years: Mapping[str, Collection[int]]

    def mentions(self, stretches: Sequence[WordSpan], *, with_similar: bool) -> list[Mention]:
        """The names in the question, which may overlap: those with a word that is not free, else
        any."""
        exact = self._exact_mentions()
        mentions = [mention for mention in exact if not self._is_free(mention.span)]
        if with_similar:
            for stretch in stretches:
                mentions += self._similar_mentions(stretch, mentions)
        for mention in exact:  # "The Help" next to another name
            if len(mention.span) > 1 and not _meets_any(mention.span, mentions):
                mentions.append(mention)
        if all(self._is_free(mention.span) for mention in mentions):
            return exact
        return mentions

    def _exact_mentions(self) -> list[Mention]:
        """The names, and parts of them, that are in the question word by word."""
        mentions = []
        for name in self.hits:
            for alias, score in self._aliases(name):
                for span in self._spans_of(name_words(alias)):
                    mention = Mention(name, span, score)
                    if not self._is_of_another(mention):
                        mentions.append(mention)
        return mentions

    @cached_property
    def _question_words(self) -> list[str]:
        return [word.text for word in self.question.words]

    def _spans_of(self, name: Sequence[str]) -> Iterator[WordSpan]:
        """Where the words of a name stand in the question; in a longer name, numbers may be written
        in another way."""
        if not name:
            return
        question_words = self._question_words
        size = len(name)
        for start in range(len(question_words) - size + 1):
            within = question_words[start : start + size]
            if all(
                word == name_word or (size > 1 and number_of_word(word) == name_word)
                for word, name_word in zip(within, name, strict=True)
            ):
                yield WordSpan(start, start + size)

    def _aliases(self, name: str) -> Iterator[tuple[str, float]]:
        """A name and its parts: after "the", before and after a colon, before a bracket. Without
        its number, the beginning of a name is another name."""
        yield name, 1.0
        parts: list[str] = []
        if name.count(":") == 1:
            beginning, ending = name.split(":")
            if _numbers(beginning) == _numbers(name):
                parts.append(beginning)
            if any(not is_unit(word) and not number_of_word(word) for word in words(ending)):
                parts.append(ending)
        if name.lower().startswith("the "):
            parts.append(name[4:])
        for part in parts:
            if len(words(part)) > 1:
                yield part, _SHORT_TITLE
        if self.search.qualified and "(" in name:
            beginning, _, qualifier = name.partition("(")
            if all(_YEAR.fullmatch(number) for number in _numbers(qualifier)):
                yield beginning, _SHORT_TITLE
        if self.search.qualified and ", " in name:
            yield name.partition(", ")[0], _PLACE

    def _is_of_another(self, mention: Mention) -> bool:
        """Whether a number beside a name makes it another one: "Rocky" in "Rocky 7", or
        "Jump Street" in "25 Jump Street". The year of a film only says which one is meant."""
        question_words = self.question.words
        if self._lacks_number(mention):
            return True
        first = mention.span.first
        if mention.partial and first > 0 and self._is_instalment_at(first - 1):
            return not _YEAR.fullmatch(question_words[first - 1].text)
        end = mention.span.end
        own_words = name_words(mention.name)
        while end < len(question_words) and question_words[end].text in own_words:
            end += 1
        is_owner = _POSSESSIVE.search(self.question.spelled(WordSpan(first, end)))
        if is_owner or end == len(question_words):
            return False
        if is_unit(question_words[end].text) and end + 1 < len(question_words):
            return self._is_instalment_at(end + 1)
        if not self._is_instalment_at(end):
            return False
        if not _YEAR.fullmatch(question_words[end].text):
            return True
        year = int(question_words[end].text)
        years = self.years.get(mention.name, ())
        return bool(years) and not any(0 <= year - each <= _LATEST_MENTION for each in years)

    def _lacks_number(self, mention: Mention) -> bool:
        """Whether the part of a name without its number stands behind another number: "The Return"
        of "Harbour 2: The Return" in "Harbour 3: The Return"."""
        numbers = _numbers(mention.name)
        if not Counter(numbers) - Counter(_numbers(self.question.spelled(mention.span))):
            return False
        before = self._question_words[max(mention.span.first - _NEAR, 0) : mention.span.first]
        others = map(number_of_word, before)
        return any(each and each.isdecimal() and each not in numbers for each in others)

    def _is_instalment_at(self, index: int) -> bool:
        """Whether a word of the question is a whole number that counts nothing named behind it."""
        question_words = self.question.words
        number = number_of_word(question_words[index].text)
        if number is None or not number.isdecimal():
            return False
        if _NO_INSTALMENT.search(self.question.spelled(WordSpan(index, index + 1))):
            return False
        following = question_words[index + 1].text if index + 1 < len(question_words) else ""
        return not is_amount(following)

    def _similar_mentions(self, stretch: WordSpan, mentions: Sequence[Mention]) -> list[Mention]:
        """The names that are similar to words of a stretch, if they fit better than `mentions`."""
        inside = [mention for mention in mentions if mention.span.meets(stretch)]
        least_words = max((len(mention.span) for mention in inside), default=0)
        best: list[Mention] = []
        best_score = 0.0
        for span in self._spans_around(stretch):
            if len(span) <= least_words:
                continue
            alike = self._most_similar(span)
            if alike and alike[0].score > best_score:
                best = alike
                best_score = alike[0].score
        if inside and best_score < THRESHOLD:
            return []
        names_inside = {mention.name for mention in inside}
        return [mention for mention in best if mention.name not in names_inside]

    def _spans_around(self, stretch: WordSpan) -> list[WordSpan]:
        """Runs of words that may be a name: parts of a stretch, and those with one more word; the
        longest first."""
        if len(stretch) > _LONGEST:
            return []
        first = max(0, stretch.first - 1)
        last = min(len(self.question.words), stretch.end + 2)
        spans = []
        for start in range(first, last):
            for end in range(start + 1, last + 1):
                span = WordSpan(start, end)
                if span.meets(stretch) and self._may_be_name(span):
                    spans.append(span)
        return sorted(spans, key=lambda span: (-len(span), abs(span.first - stretch.first)))

    def _may_be_name(self, span: WordSpan) -> bool:
        first_word = self.question.words[span.first].text
        last_word = self.question.words[span.end - 1].text
        if first_word in FUNCTION_WORDS or last_word in FUNCTION_WORDS:
            return False
        return not self._is_free(span)

    def _most_similar(self, span: WordSpan) -> list[Mention]:
        """The names most similar to the words of a span; none if the similarity is low, and at most
        three of equal similarity."""
        span_words = self.question.texts(span)
        may_be_part = all(word not in self.free or word in FUNCTION_WORDS for word in span_words)
        mentions: list[Mention] = []
        for name in self.hits:
            text = _unqualified(name, span_words) if self.search.qualified else name
            mention = Mention(name, span, _whole_likeness(span_words, text))
            if may_be_part:
                part = _part_score(span_words, text, self.search.beginning)
                if part > mention.score:
                    mention = Mention(name, span, part, partial=True)
            if mention.score >= _LEAST_SCORE and not self._is_of_another(mention):
                mentions.append(mention)
        top = max((mention.score for mention in mentions), default=0.0)
        return [mention for mention in mentions if mention.score == top][:_MOST_ALIKE]

    def _is_free(self, span: WordSpan) -> bool:
        """Whether all words of a span are free."""
        return all(word in self.free for word in self.question.texts(span))


def _unqualified(name: str, span_words: Sequence[str]) -> str:
    """A name, without its qualifier if the words are only that: "Texas" is not "Allen, Texas"."""
    core, _, qualifier = name.partition(", ")
    return core if set(span_words) <= set(words(qualifier)) else name


def _numbers(name: str) -> tuple[str, ...]:
    """The numbers in a name, or in a part of one."""
    return numbers_in(name_words(name))


def _whole_likeness(span_words: Sequence[str], name: str) -> float:
    """From 0 to 1: the similarity of words to a whole name."""
    is_long = len("".join(span_words)) >= _SHORTEST
    return likeness(" ".join(span_words), name) if is_long else 0.0


def _part_score(span_words: Sequence[str], name: str, beginning: int) -> float:
    """The score of words as a part at one end of a name; 0 if they are none.

    Args:
        beginning: minimum length of a prefix.
    """
    text = " ".join(span_words)
    core = [word for word in name_words(text) if word not in FUNCTION_WORDS]
    core_of_name = [word for word in name_words(name) if word not in FUNCTION_WORDS]
    letters = len("".join(core))
    if letters < beginning or len(core) >= len(core_of_name):
        return 0.0
    begins = core_of_name[: len(core)] == core
    ends = letters >= _SHORTEST and core_of_name[-len(core) :] == core
    return part_likeness(text, name) if begins or ends else 0.0


def _words_beside(mentions: Sequence[Mention], question: QuestionText) -> list[str]:
    """The words of the question that are in none of the mentions, each once."""
    words_beside: dict[str, None] = {}
    for index, word in enumerate(question.words):
        if not _meets_any(WordSpan(index, index + 1), mentions):
            words_beside[word.text] = None
    return list(words_beside)


def _meets_any(span: WordSpan, mentions: Iterable[Mention]) -> bool:
    return any(span.meets(mention.span) for mention in mentions)


def _longest_apart(mentions: Iterable[Mention]) -> list[Mention]:
    """The longest ones without overlaps, except of the same words, in the question's order."""
    apart: list[Mention] = []
    longest_first = sorted(mentions, key=lambda mention: (-len(mention.span), mention.span.first))
    for mention in longest_first:
        is_same_span = any(mention.span == other.span for other in apart)
        if is_same_span or not _meets_any(mention.span, apart):
            apart.append(mention)
    return sorted(apart, key=lambda mention: (mention.span.first, mention.name))
