"""A KG that knows only the names of one program, and the keys that it reads of open pages.

The parser links names and reads infobox keys by the API's replies. `NamesOfProgram` is a client
whose replies have the names in the spelling of the program, and nothing else that is similar, so
names are easier to link than over the full KG.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from models.kg.english.company_names import BY_TICKER
from models.kg.execution.fetch.infobox import find_key
from models.kg.language.ast import FunctionCall, NameList, Program, Query
from models.kg.lexicon.lexicon import lexicon
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import Entity, Parameter
from utils.crag_api import ApiCall
from utils.deadline import Deadline
from utils.text import words

# Common keys of infoboxes, with values as pages write them. A page has those that the program does
# not read, so that the key must be chosen, too.
DISTRACTORS = {
    "image": "Example.jpg",
    "caption": "A view from the south",
    "location": "North Riding",
    "type": "Public",
    "birth_date": "1970-01-31",
    "occupation": "Engineer",
    "spouse": "Somebody Else",
    "country": "Ruritania",
    "population_total": "12,345",
    "website": "www.example.com",
}
_ARTICLES = ("a", "an", "the")
_LONGEST_TICKER = 5  # letters; a longer name of one word is a company's
_SERIES = "get_movie_series"
_PARTS = ("{}: Part One", "{}: Part Two")  # the titles of a series
_NOT_LETTERS = re.compile(r"[^A-Z]")
# Keys whose values are numbers or dates, by a part of their name; others are names.
_NUMBER_KEY = re.compile(
    r"population|area|elevation|height|length|weight|depth|capacity|count|number|worth|units"
    r"|titles|champ|wins|budget|revenue|gross|employees|students|_(?:km|mi|mg|m|ft|kg)2?$"
)
_DATE_KEY = re.compile(r"date|year|founded|established|opened|released?$|born|died")


def plain_name(name: str) -> str:
    """A name without articles, case, accents and punctuation, by which the KG's search and the
    executor do not tell names apart.

    >>> plain_name("The Glass-Harbour")
    'glass harbour'
    """
    return " ".join(word for word in words(name) if word not in _ARTICLES)


class NamesOfProgram:
    """A client that finds the names of one program.

    The values of open pages are made up. A value that names a page is found by the open domain's
    search, as in the KG.
    """

    def __init__(self, program: Program) -> None:
        self._names: defaultdict[Entity, list[str]] = defaultdict(list)
        self._keys_of_page: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._names_of_values: list[str] = []
        for statement in program.statements:
            if isinstance(statement, Query):
                self._add_query(statement)

    def value_of(self, name: str, key: str) -> str | None:
        """The value of a key that the program reads of an open page; None for another key."""
        for page, values in self._keys_of_page.items():
            if plain_name(page) == plain_name(name):
                return values.get(key)
        return None

    # ---- the names of the program

    def _add_query(self, query: Query, *, names: Entity | None = None) -> list[str]:
        """Add the names in a query.

        Args:
            names: the type of entity that its values name, if they are an argument.

        Returns:
            its values, of a key of an open page.
        """
        call = query.source
        values: list[str] = []
        if not isinstance(call, FunctionCall):
            return values
        parameters = functions().parameters_of(call.function)
        for parameter, argument in zip(parameters, call.arguments, strict=False):
            if parameter.entity is None and call.function != _SERIES:
                continue
            for name in self._names_in(argument, parameter):
                if call.function == _SERIES:
                    self._names[Entity.MOVIE] += [part.format(name) for part in _PARTS]
                else:
                    self._names[parameter.entity or Entity.THING].append(name)
                if parameter.entity is Entity.THING and query.key:
                    values.append(self._add_fact(name, query.key, is_name=names is not None))
        for condition in call.where:
            if isinstance(condition.value, Query):
                self._add_query(condition.value)
        return values

    def _names_in(self, argument: Any, parameter: Parameter) -> list[str]:
        if isinstance(argument, Query):
            return self._add_query(argument, names=parameter.entity)
        if isinstance(argument, NameList):
            return list(argument.items)
        return [argument] if isinstance(argument, str) else []

    def _add_fact(self, page: str, key: str, *, is_name: bool) -> str:
        """The value of a key of a page, which is made up where it is new."""
        values = self._keys_of_page[page]
        if key not in values:
            values[key] = self._made_up_value(key, is_name=is_name)
        return values[key]

    def _made_up_value(self, key: str, *, is_name: bool) -> str:
        if not is_name and _DATE_KEY.search(key):
            return "1986-05-04"
        if not is_name and _NUMBER_KEY.search(key):
            return "1,234"
        name = f"Zembla{len(self._names_of_values) + 1}"
        self._names_of_values.append(name)
        return name

    # ---- replies

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        """The replies of the API's searches and look-ups; None for any other call."""
        return [self._reply(call) for call in calls]

    def _reply(self, call: ApiCall) -> Any:
        query = str(next(iter(call.params.values()), ""))
        match call.endpoint.rsplit("/", 1)[-1]:
            case "get_movie_info":
                return [{"title": name} for name in self._hits(query, Entity.MOVIE)]
            case "get_person_info":
                people = self._hits(query, Entity.PERSON, Entity.MUSICIAN)
                return [{"name": name} for name in people]
            case "search_artist_entity_by_name":
                return self._hits(query, Entity.MUSICIAN, Entity.PERSON)
            case "search_song_entity_by_name":
                return self._hits(query, Entity.SONG)
            case "search_entity_by_name":
                values = [name for name in self._names_of_values if words(name) == words(query)]
                return [*self._hits(query, Entity.THING), *values]
            case "get_entity":
                return self._page(query)
            case "get_company_name":
                companies = self._hits(query, Entity.COMPANY)
                return [name for name in companies if not _is_ticker(name)]
            case "get_ticker_by_name":
                return _ticker_of(query) if query in self._names[Entity.COMPANY] else None
        if call.endpoint in BY_TICKER:
            tickers = map(_ticker_of, self._names[Entity.COMPANY])
            return {"ticker": query} if query.upper() in tickers else None
        return None

    def _hits(self, query: str, *entities: Entity) -> list[str]:
        """The names of some types that share a word with a query."""
        query_words = words(query)
        hits: dict[str, None] = {}
        for entity in entities:
            for name in self._names[entity]:
                name_words = words(name)
                is_same = "".join(name_words) == "".join(query_words)
                if is_same or not set(query_words).isdisjoint(name_words):
                    hits[name] = None
        return list(hits)

    def _page(self, name: str) -> dict[str, Any] | None:
        """The page of a name, with the keys that the program reads, and others."""
        is_value = name in self._names_of_values
        if not is_value and name not in self._names[Entity.THING]:
            return None
        infobox = {"name": name}
        values = self._keys_of_page.get(name, {})
        for key, value in DISTRACTORS.items():
            if not _has_fact(values, key):
                infobox[key] = value
        return {"summary_structured": infobox | values, "summary_text": ""}


def _has_fact(values: dict[str, str], key: str) -> bool:
    """Whether one of the keys of a page holds the same fact as `key`."""
    keys = list(values)
    return find_key(key, keys) is not None or any(find_key(each, [key]) for each in keys)


def _is_ticker(name: str) -> bool:
    """Whether a name is a ticker: a short word that is in no dictionary ("apple" is a name)."""
    if len(name) > _LONGEST_TICKER or " " in name:
        return False
    return not lexicon().is_english(name.lower())


def _ticker_of(name: str) -> str:
    """The ticker of a company; of one with a longer name, a made-up one."""
    letters = _NOT_LETTERS.sub("", name.upper())
    return name.upper() if _is_ticker(name) else f"{letters[:3]}X"
