"""The types of the things that questions are about, and of the values that answer them."""

from enum import StrEnum

from models.kg.schema.functions import Entity, Key, Type


class ThingType(str):
    """The type of a thing that a question is about: "movie", "soccer team", "year".

    It is a text, not an enum: a file of the lexicon may add types of its own.
    """

    __slots__ = ()

    def is_same_as(self, kind: str) -> bool:
        """Whether a type of values or of the schema's entities has the same name."""
        return str(self) == str(kind)

    @property
    def is_team(self) -> bool:
        return self in _TEAMS

    @property
    def is_year(self) -> bool:
        return self in _YEARS

    @property
    def is_number(self) -> bool:
        """Whether the thing is a number or year, which the KG does not have as an entity."""
        return self in _NUMBERS

    @property
    def has_title_or_person_name(self) -> bool:
        """Whether it is a film, a song or a person."""
        return self in _NAMED

    @property
    def may_be_cue_words(self) -> bool:
        """Whether names of this type may consist of words with another meaning: the film "Her"."""
        return self in _NAMED_LIKE_CUES


MOVIE = ThingType("movie")
PERSON = ThingType("person")
MUSICIAN = ThingType("musician")
SONG = ThingType("song")
COMPANY = ThingType("company")
OPEN_ENTITY = ThingType("thing")  # an open-domain entity
SERIES = ThingType("series")  # of films
SOCCER_TEAM = ThingType("soccer team")
NBA_TEAM = ThingType("nba team")
YEAR = ThingType("year")
GRAMMY_YEAR = ThingType("grammy year")
NUMBER = ThingType("number")
_TEAMS = frozenset((SOCCER_TEAM, NBA_TEAM))
_YEARS = frozenset((YEAR, GRAMMY_YEAR))
_NUMBERS = frozenset((YEAR, GRAMMY_YEAR, NUMBER))
_NAMED = frozenset((MOVIE, PERSON, MUSICIAN, SONG))
_NAMED_LIKE_CUES = frozenset((MOVIE, SONG, OPEN_ENTITY))


class ValueType(StrEnum):
    """The type of a relation's values, and of an answer. The last three are of answers only."""

    MOVIE = "movie"
    PERSON = "person"
    MUSICIAN = "musician"
    SONG = "song"
    COMPANY = "company"
    THING = "thing"
    TEAM = "team"
    MONEY = "money"
    NUMBER = "number"
    FRACTION = "fraction"
    DATE = "date"
    YEAR = "year"
    SPAN = "span"
    LANGUAGE = "language"
    COUNTRY = "country"
    RESULT = "result"
    FLAG = "flag"
    LIST = "list"
    TEXT = "text"
    POLAR = "polar"
    WHICH = "which"
    INVALID = "invalid"

    @property
    def is_numeric(self) -> bool:
        return self in _NUMERIC

    @property
    def is_time(self) -> bool:
        """Whether it is a date or a year."""
        return self in _TIMES

    @property
    def is_ordered(self) -> bool:
        """Whether two values can be compared: numbers, dates, years."""
        return self in _NUMERIC or self in _TIMES

    @property
    def is_name(self) -> bool:
        """Whether values are names of films, songs or people."""
        return self in _NAMES

    @property
    def is_listed(self) -> bool:
        """Whether a thing may have several values at once: names, or the members of a list."""
        return self in _NAMES or self is ValueType.LIST


_NUMERIC = frozenset((ValueType.MONEY, ValueType.NUMBER, ValueType.FRACTION))
_TIMES = frozenset((ValueType.DATE, ValueType.YEAR))
_NAMES = frozenset((ValueType.MOVIE, ValueType.PERSON, ValueType.MUSICIAN, ValueType.SONG))
_OF_SCHEMA = {
    Type.DATE: ValueType.DATE,
    Type.YEAR: ValueType.YEAR,
    Type.NUMBER: ValueType.NUMBER,
    Type.LIST: ValueType.LIST,
    Type.SPAN: ValueType.SPAN,
    Type.FLAG: ValueType.FLAG,
}
_OF_UNITS = {"$": ValueType.MONEY, "$/share": ValueType.MONEY, "fraction": ValueType.FRACTION}
_OF_CODES = {
    "language": ValueType.LANGUAGE,
    "country": ValueType.COUNTRY,
    "result": ValueType.RESULT,
}


def value_type(key: Key) -> ValueType:
    """The type of a key's values."""
    if key.entity in (Entity.TEAM, Entity.GAME):
        return ValueType.TEAM
    if key.entity:
        return ValueType(key.entity)
    if key.unit in _OF_UNITS:
        return _OF_UNITS[key.unit]
    if key.codes in _OF_CODES:
        return _OF_CODES[key.codes]
    return _OF_SCHEMA.get(key.type, ValueType.TEXT)


class QuestionOperator(StrEnum):
    """What a question does with values; `[operators]` of `general.toml` has the words for each."""

    OTHER = "other"
    COUNT = "count"
    SUM = "sum"
    AVERAGE = "average"
    MAX = "max"
    MIN = "min"
    LATEST = "latest"
    FIRST = "first"
    DIFFERENCE = "difference"
    CHANGE = "change"
    RISE = "rise"
    FALL = "fall"
    PERCENT = "percent"
    BEFORE = "before"
    UNTIL = "until"
    AFTER = "after"
    SINCE = "since"
    ONWARD = "onward"
    ABOVE = "above"
    BELOW = "below"
    BETWEEN = "between"
    BOTH = "both"
    AGE = "age"
    YEAR = "year"


class End(StrEnum):
    """One end of several values or rows in order."""

    FIRST = "first"
    LAST = "last"


class Side(StrEnum):
    """On which side of a phrase the thing must be named."""

    BEFORE = "before"
    AFTER = "after"
