"""The lexicon's files as typed records: an unknown or misspelt field is an error at load."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.kg.lexicon.types import End, QuestionOperator, Side, ValueType
from models.kg.schema.functions import Type
from models.records import Domain
from utils.errors import SettingsError

GENERAL = "general"  # the file about how English asks; the others are about a domain each
Phrases = tuple[str, ...]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class RelationRow(_Record):
    """A row `[[relation]]`: how questions name keys of the schema, and what else that implies.

    Attributes:
        keys: patterns of "function.key"; `*` stands for anything.
        names: nouns for the key, also used to repair programs and to write training questions.
        phrases: other wordings. One of the names or phrases must occur in the question.
        id: tells relations with the same key and thing type apart.
        needs: one of these must occur, too; "@name" is a list of the file's `[needs]` or
            `[context]`. None: those of the function's row in `[[games]]`.
        context: words that may stand around a phrase without a meaning of their own; "@name" is a
            list of the file's `[context]`.
        where: conditions on the rows: "eq winner true", "gt close open"; a word in small letters is
            a key of the row.
        filter: a table of `[filters]`; each of its values makes a relation with its own phrases.
        thing: `from` in the file; the type of the thing, where a function takes several types.
        dated: the key that a time restricts, and by which latest and first are ordered.
        countable: the KG has all values, so they may be counted.
        absent: the quantity of no values in a comparison; 0 if they are countable.
        type, unit: of a key that the schema does not list.
        time: the time to use, whatever the question says.
        until: for a count, the last year that it covers.
        past: the values include past ones, so none can be said to be current.
        side: where the thing must stand relative to the phrase.
        pick: which of several values is the answer.
        edge: which of several days' rows is the answer.
        read: the key to read after sorting.
        also: another "function.key" whose values are added.
        free: a key that must have a value named by the unexplained words of the question.
        pair: a second thing must be named, for another parameter.
        own_name: the value is a name of the thing itself.
        negated: the question asks whether the value differs.
        birth: the value is a date of birth, so ages can be told.
    """

    keys: tuple[str, ...]
    names: Phrases = ()
    phrases: Phrases = ()
    id: str = ""
    needs: Phrases | str | None = None
    context: Phrases = ()
    where: tuple[str, ...] = ()
    filter: str = ""
    thing: str = Field(default="", alias="from")
    dated: str = ""
    countable: bool = False
    absent: float | None = None
    type: Type = Type.TEXT
    unit: str = ""
    time: str = ""
    until: int = 0
    past: bool = False
    side: Side | None = None
    pick: End | None = None
    edge: End | None = None
    read: str = ""
    also: str = ""
    free: str = ""
    pair: bool = False
    own_name: bool = False
    negated: bool = False
    birth: bool = False


class AdjectiveRow(_Record):
    """A row `[[adjective]]`: comparing words and the keys that they compare; "older" asks for the
    minimum date of birth."""

    phrases: Phrases
    keys: tuple[str, ...]
    operator: QuestionOperator


class GamesRow(_Record):
    """A row `[[games]]`: a function whose first row is the game that the phrases ask for."""

    function: str
    needs: Phrases


class FactRow(_Record):
    """A row `[[fact]]`: the phrases for a fact of an open-domain entity."""

    name: str
    phrases: Phrases


class PageRow(_Record):
    """A row `[[page]]`: the title of a page with more about a thing, "{}" for its name, and the
    phrases that ask for what stands there."""

    title: str
    phrases: Phrases


class WordList(_Record):
    """A table with one list of words."""

    words: Phrases


class NotNames(_Record):
    """`[not_names]`: words that hardly name a company, separated by blanks."""

    words: str = ""


class DomainFile(_Record):
    """A file about a domain.

    Attributes:
        types: the words for each type of thing.
        context, needs: lists of phrases that several relations share, by name.
        source: the type of a function's argument, by a pattern of its name.
        values: phrases by key and value, for yes/no questions.
        filters: phrases by table and value, for `filter` of relations.
        lower_is_more: keys such as a rank, of which a lower value is more.
        signed: keys whose values may be negative.
        dates: infobox facts that are dates, whatever their text looks like.
        things_of_facts: by the type of the things, the infobox facts that name such things.
        facts_of_people: infobox facts of people that only their pages have.
        champion_words: words for a championship, which a list of honours writes as "champion".
        honour_words: words around a title that lists of honours do not write.
        edition_endings: words behind the name of an event in the titles of its editions.
    """

    domain: Domain
    types: Mapping[str, Phrases] = {}
    context: Mapping[str, Phrases] = {}
    needs: Mapping[str, Phrases] = {}
    source: Mapping[str, str] = {}
    values: Mapping[str, Mapping[str, Phrases]] = {}
    filters: Mapping[str, Mapping[str, Phrases]] = {}
    relation: tuple[RelationRow, ...] = ()
    adjective: tuple[AdjectiveRow, ...] = ()
    games: tuple[GamesRow, ...] = ()
    fact: tuple[FactRow, ...] = ()
    page: tuple[PageRow, ...] = ()
    things_of_facts: Mapping[str, tuple[str, ...]] = {}
    facts_of_people: tuple[str, ...] = ()
    edition_endings: tuple[str, ...] = ()
    champion_words: Phrases = ()
    honour_words: Phrases = ()
    lower_is_more: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    route: WordList = WordList(words=())
    not_names: NotNames = NotNames()


class QuestionWords(_Record):
    """`[question]` of the general file: words that show how a question is built."""

    interrogatives: Phrases
    polar_verbs: Phrases
    subordinate: Phrases
    tags: Phrases
    requests: Phrases
    whether: Phrases
    breaks: Phrases
    several: Phrases
    current: Phrases
    time_words: Phrases
    single_work: Phrases
    beaten: Phrases
    by_how_much: Phrases
    margin: Phrases
    positive: Phrases
    negative: Phrases
    each_work: Phrases
    possessives: Phrases
    month_edges: Phrases
    top_rank: Phrases
    last_season: Phrases
    daily: Phrases
    yearly: Phrases
    comparatives: Phrases
    before_noun: Phrases


class GeneralFile(_Record):
    """The file about how English asks, whatever it is about.

    Attributes:
        irregular: irregular forms by their base form, separated by blanks.
        kg_units: how many of the KG's own units a unit of an amount is.
        ceremonies: what is added to the number of a ceremony to get the KG's year.
        filler: words without a meaning of their own.
        blocking: unexplained, these words veto every answer but yes and no.
        lacking: unexplained, these words veto every answer, as the KG lacks what they name.
        forms: the types of answers that each form of question asks for.
        never: the types that are no answer to a form of question.
    """

    irregular: Mapping[str, str]
    operators: Mapping[QuestionOperator, Phrases]
    kg_units: Mapping[str, float]
    ceremonies: Mapping[str, int]
    filler: WordList
    blocking: WordList
    lacking: WordList
    types: Mapping[str, Phrases]
    forms: Mapping[str, tuple[ValueType, ...]]
    never: Mapping[str, tuple[ValueType, ...]]
    question: QuestionWords


def read_general(folder: Path) -> GeneralFile:
    """The general file of a lexicon.

    Raises:
        SettingsError: a field is unknown, missing or of another type.
    """
    return _read_file(GeneralFile, folder / f"{GENERAL}.toml")


@cache
def read_domains(folder: Path) -> dict[str, DomainFile]:
    """The files about domains by their names, in alphabetical order.

    Raises:
        SettingsError: a field is unknown, missing or of another type.
    """
    files = sorted(folder.glob("*.toml"))
    return {file.stem: _read_file(DomainFile, file) for file in files if file.stem != GENERAL}


_File = TypeVar("_File", bound=_Record)


def _read_file(kind: type[_File], file: Path) -> _File:
    try:
        return kind.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise SettingsError(f"{file.name}: {place}: {first['msg']}") from error
