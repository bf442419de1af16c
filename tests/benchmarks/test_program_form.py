"""Programs that return the same have the same normal form, and others have not."""

from datetime import datetime

import pytest

from benchmarks._program_form import ProgramForm, ProgramForms
from benchmarks._program_names import NamesOfProgram
from models.kg.language.ast import Program
from models.kg.language.parser import parse
from models.kg.lexicon.positions import NO_WORDS
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers import (
    Common,
    Composer,
    Count,
    Difference,
    FalsePremise,
    Measure,
    Most,
    Total,
    Values,
    Winner,
)
from models.kg.parsing.candidates import Candidate, RuleName

NOW = datetime(2024, 3, 6, 10)  # a Wednesday
TEXT = ValueType.TEXT

# An equivalence, and two programs that it makes the same.
SAME = [
    ("names", 'get_movie("The Sting")["budget"]', 'get_movie("sting")["budget"]'),
    ("names", 'get_person("zoë kravitz")["birthday"]', 'get_person("Zoe Kravitz")["birthday"]'),
    (
        "teams",
        'get_nba_on_date("denver nuggets", "2023-04-01")["points"]',
        'get_nba_on_date("nuggets", "2023-04-01")["points"]',
    ),
    (
        "teams",
        'ALL get_soccer_on_date("everton", "last week", eq(opponent, "man utd"))["score"]',
        'ALL get_soccer_on_date("Everton", "last week", eq(opponent, "Manchester Utd"))["score"]',
    ),
    ("one row", 'ALL get_song("jolene")["author"]', 'get_song("jolene")["author"]'),
    (
        "one row",
        'ALL get_stock_price("acme", "2024-03-04")["low"]',
        'get_stock_price("acme", "2024-03-04")["low"]',
    ),
    (
        "one row",
        "get_movie_person_oscar(None, None, 1999,"
        ' [eq(category, "best film"), eq(winner, true)])["movie_name"]',
        "ALL get_movie_person_oscar(None, None, [eq(year, 1999),"
        ' eq(category, "best picture"), eq(winner, "yes")])["movie_name"]',
    ),
    (
        "the only key",
        'get_stock_eps("acme")',
        'get_stock_eps("acme")["value"]',
    ),
    (
        "days",
        'get_stock_price("acme", "yesterday")["high"]',
        'get_stock_price("acme", "2024-03-05")["high"]',
    ),
    (
        "days",
        'AVG get_stock_price("acme", "january 2024")["open"]',
        'AVG get_stock_price("acme", "2024-01-01", "2024-01-31")["open"]',
    ),
    (
        "weeks",
        'MAX get_stock_price("acme", "2024-02-26", "2024-03-03")["high"]',
        'MAX get_stock_price("acme", "2024-02-25 to 2024-03-02")["high"]',
    ),
    (
        "weeks",
        'MAX get_stock_price("acme", "2024-02-26", "2024-03-01")["high"]',
        'MAX get_stock_price("acme", "2024-02-26", "2024-03-03")["high"]',
    ),
    (
        "weeks",
        'MIN get_stock_price("acme", "this week")["low"]',
        'MIN get_stock_price("acme", "2024-03-04", "2024-03-05")["low"]',
    ),
    (
        "ranges until today",
        'AVG get_stock_price("acme", "2024-02-14", "2024-03-05")["low"]',
        'AVG get_stock_price("acme", "2024-02-14", "2024-03-06")["low"]',
    ),
    (
        "ranges until today",
        'SUM get_stock_price("acme", "this month")["volume"]',
        'SUM get_stock_price("acme", "2024-03-01", "2024-03-05")["volume"]',
    ),
    (
        "closed days",
        'get_stock_price("acme", "2024-03-02")["close"]',
        'get_stock_price("acme", "2024-03-04")["close"]',
    ),
    (
        "edges of ranges",
        'ALL get_stock_price("acme", "february 2024")["close"]; sort(None, -date)["close"]',
        'get_stock_price("acme", "2024-02-29")["close"]',
    ),
    (
        "edges of ranges",
        'get_stock_price("acme", "september 2023")["open"]',
        'get_stock_price("acme", "2023-09-01")["open"]',
    ),
    (
        "the price now",
        'get_stock_price("acme", "latest")["close"]',
        'ALL get_stock_detailed_price("acme", "today")["open"]',
    ),
    (
        "the price now",
        'get_stock_price("acme")["close"]',
        'get_stock_price("acme", "today")["close"]',
    ),
    (
        "codes",
        'get_nba_on_date("hawks", "2022", eq(result, "win"))["len"]',
        'get_nba_on_date("hawks", "2022", eq(result, "W"))["len"]',
    ),
    (
        "codes",
        'ALL get_nba_on_date("hawks", "2022", neq(result, "victory"))["date"]',
        'ALL get_nba_on_date("hawks", "2022", eq(result, "L"))["date"]',
    ),
    (
        "codes",
        'ALL get_movie_person_crew("heat", None, eq(job, "composer"))["name"]',
        'ALL get_movie_person_crew("heat", None, eq(job, "music"))["name"]',
    ),
    (
        "conditions in any order",
        'get_nba_on_date("hawks", "2022", [eq(result, "W"), eq(venue, "home")])["len"]',
        'get_nba_on_date("hawks", "2022", [eq(venue, "Home"), eq(result, "W")])["len"]',
    ),
    (
        "two columns",
        'ALL get_stock_price("acme", "last week", gt(close, open))["date"]',
        'ALL get_stock_price("acme", "last week", lt(open, close))["date"]',
    ),
    (
        "known sums",
        'get_movie_year(2001)["movie_list"]; sort(gt(revenue, 0), -revenue)["title"]',
        'get_movie_year(2001)["movie_list"]; sort(None, -revenue)["title"]',
    ),
    (
        "works that are out",
        'get_movie_person_cast(None, "ann other"); 3 sort(None, -release_date)["movie_name"]',
        'ALL get_movie_person_cast(None, "ann other");'
        ' sort(le(release_date, "2024-03-06"), -release_date)["movie_name"][:3]',
    ),
    (
        "years of films",
        'get_movie_person_cast(None, "ann other", [ge(year, 1990), le(year, 1995)])["len"]',
        'get_movie_person_cast(None, "ann other",'
        ' [ge(release_date, "1990"), lt(release_date, "1996-01-01")])["len"]',
    ),
    (
        "positional years",
        'ALL get_movie_person_cast(None, "ann other", 1994)["movie_name"]',
        'ALL get_movie_person_cast(None, "ann other", eq(year, 1994))["movie_name"]',
    ),
    (
        "positional days",
        'ALL get_stock_dividend("acme", "2022")["value"]',
        'ALL get_stock_dividend("acme", eq(date, "2022"))["value"]',
    ),
    (
        "films of a person",
        'get_person("ann other")["acted_movies"]["len"]',
        'get_movie_person_cast(None, "ann other")["len"]',
    ),
    (
        "films of a person",
        'get_person("ann other")["directed_movies"]',
        'ALL get_movie_person_crew(None, "ann other", eq(job, "Director"))["movie_name"]',
    ),
    (
        "films of a person",
        'get_person("ann other")["acted_movies"]; sort(None, -revenue)["title"]',
        'get_movie_person_cast(None, "ann other"); sort(None, -revenue)["movie_name"]',
    ),
    (
        "films by title",
        'MAX get_movie(ALL get_movie_person_cast(None, "ann other")["movie_name"])["rating"]',
        'MAX get_movie_person_cast(None, "ann other")["rating"]',
    ),
    (
        "staff of a film",
        'get_movie("heat")["director"]',
        'ALL get_movie_person_crew("heat", None, eq(job, "Director"))["name"]',
    ),
    (
        "staff of a film",
        'get_movie("heat")["writer"]',
        'ALL get_movie_person_crew("heat", None, eq(job, "writer"))["name"]',
    ),
    ("staff of a film", 'get_movie("heat")["cast"]', 'ALL get_movie_person_cast("heat")["name"]'),
    (
        "filtered works",
        'ALL get_person("nina simone", eq(release_date, 1965))["music"]',
        'get_person("nina simone")["music"];'
        ' ALL sort(eq(release_date, 1965), release_date)["name"]',
    ),
    (
        "looked-up things",
        'get_movie_year(2001)["movie_list"]; sort(eq(genres, "war"), release_date)["len"]',
        'get_movie(get_movie_year(2001)["movie_list"], eq(genres, "war"))["len"]',
    ),
    (
        "counted rows",
        'get_movie_person_cast("heat", None)["len"]',
        'get_movie_person_cast("heat", None)["name"]["len"]',
    ),
    (
        "extremes",
        'MAX get_stock_price("acme", "2023")["high"]',
        'get_stock_price("acme", "2023"); sort(None, -high)["high"]',
    ),
    (
        "extremes",
        'MIN get_movie_person_cast(None, "ann other")["release_date"]',
        'get_movie_person_cast(None, "ann other"); sort(None, release_date)["release_date"]',
    ),
    (
        "any order of all rows",
        'get_stock_price("acme", "last week"); ALL sort(gt(close, open), date)["date"]',
        'ALL get_stock_price("acme", "last week", gt(close, open))["date"]',
    ),
    (
        "statements in any order",
        'get_song("jolene")["release_date"]; get_song("dreams")["release_date"]',
        'get_song("dreams")["release_date"]; get_song("jolene")["release_date"]',
    ),
    (
        "lists of names",
        'get_open(["texel", "vlieland"])["area_km2"]',
        'get_open("vlieland")["area_km2"]; get_open("texel")["area_km2"]',
    ),
]

# What one of two programs lacks, and the two.
DIFFERENT = [
    ("another name", 'get_movie("heat")["budget"]', 'get_movie("heat 2")["budget"]'),
    ("another key", 'get_movie("heat")["budget"]', 'get_movie("heat")["revenue"]'),
    (
        "another key",
        'get_stock_price("acme", "today")["open"]',
        'get_stock_detailed_price("acme", "today")["open"]',
    ),
    (
        "another day",
        'get_stock_price("acme", "yesterday")["high"]',
        'get_stock_price("acme", "2024-03-04")["high"]',
    ),
    (
        "another week",
        'MAX get_stock_price("acme", "2024-02-27", "2024-03-04")["high"]',
        'MAX get_stock_price("acme", "2024-02-25", "2024-03-02")["high"]',
    ),
    (
        "days to come",
        'ALL get_soccer_on_date("everton", "this month")["opponent"]',
        'ALL get_soccer_on_date("everton", "2024-03-01 to 2024-03-06")["opponent"]',
    ),
    (
        "a condition",
        'ALL get_nba_on_date("hawks", "2022", eq(result, "W"))["opponent"]',
        'ALL get_nba_on_date("hawks", "2022")["opponent"]',
    ),
    (
        "a condition",
        'ALL get_movie_series("alien", gt(revenue, 1))["title"]',
        'ALL get_movie_series("alien")["title"]',
    ),
    (
        "draws",
        'ALL get_soccer_on_date("everton", "2023", neq(result, "W"))["date"]',
        'ALL get_soccer_on_date("everton", "2023", eq(result, "L"))["date"]',
    ),
    (
        "the end of a range",
        'ALL get_movie_year(2024)["movie_list"]; ALL sort(eq(release_date, "july 2024"), title)',
        'ALL get_movie_year(2024)["movie_list"]; ALL sort(ge(release_date, "2024-07-01"), title)',
    ),
    (
        "a sort",
        'get_movie_person_cast(None, "ann other"); sort(None, -revenue)["movie_name"]',
        'get_movie_person_cast(None, "ann other")["movie_name"]',
    ),
    (
        "the direction of a sort",
        'get_movie_person_cast(None, "ann other"); sort(None, -revenue)["movie_name"]',
        'get_movie_person_cast(None, "ann other"); sort(None, revenue)["movie_name"]',
    ),
    (
        "the number of rows",
        'get_movie_person_cast(None, "ann other"); 3 sort(None, -revenue)["movie_name"]',
        'get_movie_person_cast(None, "ann other"); 5 sort(None, -revenue)["movie_name"]',
    ),
    (
        "all rows",
        'ALL get_movie_person_cast("heat", None)["name"]',
        'get_movie_person_cast("heat", None)["name"]',
    ),
    (
        "a count",
        'get_person("abba")["members"]["len"]',
        'get_person("abba")["members"]',
    ),
    (
        "the members of a list",
        'MAX get_open("texel")["heights"]',
        'get_open("texel")["heights"]',
    ),
    (
        "the members of a list",
        'ALL get_movie_person_cast(None, "ann other", eq(genres, "war"))["genres"]["len"]',
        'ALL get_movie_person_cast(None, "ann other", eq(genres, "war"))["len"]',
    ),
    (
        "another reading of an order",
        'get_stock_price("acme", "2023"); sort(None, -high)["date"]',
        'MAX get_stock_price("acme", "2023")["high"]',
    ),
    (
        "a statement",
        'get_song("jolene")["author"]',
        'get_song("jolene")["author"]; get_song("dreams")["author"]',
    ),
    (
        "the statement before `*`",
        'get_open("texel")["province"]; get_open(*)["capital"]',
        'get_open(get_open("texel")["province"])["capital"]',
    ),
    (
        "what several have in common",
        'ALL get_movie_person_cast(None, ["ann other", "bo third"])["movie_name"]',
        'ALL get_movie_person_cast(None, "ann other")["movie_name"];'
        ' ALL get_movie_person_cast(None, "bo third")["movie_name"]',
    ),
    (
        "a sum",
        'SUM get_open(["texel", "vlieland"])["area_km2"]',
        'get_open(["texel", "vlieland"])["area_km2"]',
    ),
]


def program_of(text: str) -> Program:
    parsed = parse(text)
    assert not parsed.repairs
    return parsed.program


def form_of(text: str) -> ProgramForm:
    program = program_of(text)
    form = ProgramForms(NOW, NamesOfProgram(program)).form_of(program)
    assert form is not None
    return form


@pytest.mark.parametrize(("equivalence", "program", "other"), SAME)
def test_programs_that_return_the_same(equivalence: str, program: str, other: str) -> None:
    assert form_of(program) == form_of(other), equivalence


@pytest.mark.parametrize(("difference", "program", "other"), DIFFERENT)
def test_programs_that_differ(difference: str, program: str, other: str) -> None:
    assert form_of(program) != form_of(other), difference


@pytest.mark.parametrize(
    "text",
    [
        "None",
        'get_movie("heat")["budget"]; None',
        'get_movie("heat")["budget"]; get_stock_price("acme")["colour"]',
        'get_stock_price("acme", "last week"); sort(eq(sector, "mining"), date)["date"]',
        'ALL get_movie_person_cast(None, "ann other", gt(release_date, "9999-12-31"))["name"]',
    ],
)
def test_odd_programs_have_no_form(text: str) -> None:
    program = parse(text).program
    assert ProgramForms(NOW, NamesOfProgram(program)).form_of(program) is None


def test_the_value_of_a_nested_query_stands_for_it() -> None:
    program = program_of('get_open(get_open("texel")["province"])["capital"]')
    names = NamesOfProgram(program)
    value = names.value_of("Texel", "province")
    forms = ProgramForms(NOW, names)
    direct = program_of(f'get_open("{value}")["capital"]')
    assert forms.form_of(program) == forms.form_of(direct)


# ---- composers

CAST_OF_TWO = (
    'ALL get_movie_person_cast("heat", None)["name"];'
    ' ALL get_movie_person_cast("ronin", None)["name"]'
)
FILMS = 'ALL get_movie_person_cast(None, "ann other")["movie_name"]'
FILMS_OF_TWO = f'{FILMS}; ALL get_movie_person_cast(None, "bo third")["movie_name"]'
GAMES = 'ALL get_nba_on_date("hawks", "2022")["opponent"]'
AREAS = 'get_open("texel")["area_km2"]; get_open("vlieland")["area_km2"]'
MOST = Most(("a", "b"), measure=Measure.COUNT)
POINTS_OF_TWO = (
    'ALL get_nba_on_date("hawks", "2022")["points"]; ALL get_nba_on_date("bulls", "2022")["points"]'
)

# A candidate's program and composer, an annotated program, and whether they are the same.
COMPOSED = [
    (FILMS, Values(TEXT), FILMS, True),
    (FILMS, FalsePremise(), FILMS, False),
    (FILMS, Count(), 'get_person("ann other")["acted_movies"]["len"]', True),
    (FILMS, Count(), FILMS, False),
    (GAMES, Count(rows=True), 'get_nba_on_date("hawks", "2022")["len"]', True),
    (GAMES, Count(), 'get_nba_on_date("hawks", "2022")["len"]', False),
    ('ALL get_open("texel")["villages"]', Count(text=True), 'get_open("texel")["villages"]', True),
    (
        'ALL get_open("texel")["villages"]',
        Count(text=True),
        'get_open("texel")["villages"]["len"]',
        True,
    ),
    (
        FILMS_OF_TWO,
        MOST,
        'get_person("bo third")["acted_movies"]["len"];'
        ' get_person("ann other")["acted_movies"]["len"]',
        True,
    ),
    (FILMS_OF_TWO, MOST, FILMS_OF_TWO, False),
    (
        POINTS_OF_TWO,
        Difference(ValueType.NUMBER, measure=Measure.SUM),
        'SUM get_nba_on_date("hawks", "2022")["points"];'
        ' SUM get_nba_on_date("bulls", "2022")["points"]',
        True,
    ),
    (AREAS, Most(("a", "b")), 'get_open(["vlieland", "texel"])["area_km2"]', True),
    (AREAS, Total(TEXT), 'SUM get_open(["vlieland", "texel"])["area_km2"]', True),
    (AREAS, Total(TEXT, mean=True), 'AVG get_open(["vlieland", "texel"])["area_km2"]', True),
    (AREAS, Total(TEXT), 'AVG get_open(["vlieland", "texel"])["area_km2"]', False),
    (
        CAST_OF_TWO,
        Common(TEXT),
        'ALL get_movie_person_cast(["ronin", "heat"], None)["name"]',
        True,
    ),
    (
        CAST_OF_TWO,
        Common(TEXT),
        'get_movie_person_cast(["ronin", "heat"], None)["name"]["len"]',
        False,
    ),
    (
        FILMS_OF_TWO,
        Common(TEXT),
        'ALL get_movie_person_cast(None, ["bo third", "ann other"])["movie_name"]',
        True,
    ),
    (
        'ALL get_soccer_next_game("everton")["date"]',
        Values(ValueType.DATE, limit=1),
        'get_soccer_next_game("everton")["date"]',
        True,
    ),
    (
        'ALL get_soccer_next_game("everton")["date"]',
        Values(ValueType.DATE),
        'get_soccer_next_game("everton")["date"]',
        False,
    ),
    (
        'ALL get_nba_on_date("hawks", "2022-12-02")["result"]',
        Winner("Atlanta Hawks"),
        'get_nba_on_date("hawks", "2022-12-02")["result"]',
        True,
    ),
]


@pytest.mark.parametrize(("text", "composer", "annotated", "same"), COMPOSED)
def test_a_composer_belongs_to_the_program(
    text: str, composer: Composer, annotated: str, same: bool
) -> None:
    candidate = Candidate(program_of(text), composer, TEXT, NO_WORDS, RuleName.VALUE, ())
    annotated_program = program_of(annotated)
    forms = ProgramForms(NOW, NamesOfProgram(annotated_program))
    assert (forms.form_of(annotated_program) in forms.forms_of(candidate)) == same
