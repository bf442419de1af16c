"""The KG of a program's names: what its searches find, and what its pages say."""

from typing import Any

import pytest

from benchmarks._program_names import DISTRACTORS, NamesOfProgram
from models.kg.language.parser import parse
from utils.crag_api import ApiCall
from utils.deadline import Deadline

MOVIES = "/movie/get_movie_info"
PEOPLE = "/movie/get_person_info"
ARTISTS = "/music/search_artist_entity_by_name"
SONGS = "/music/search_song_entity_by_name"
COMPANIES = "/finance/get_company_name"
TICKER = "/finance/get_ticker_by_name"
MARKET_CAP = "/finance/get_market_capitalization"
SEARCH = "/open/search_entity_by_name"
PAGE = "/open/get_entity"


def names_of(text: str) -> NamesOfProgram:
    return NamesOfProgram(parse(text).program)


def reply_of(names: NamesOfProgram, endpoint: str, query: str) -> Any:
    call = ApiCall(endpoint, {"query": query})
    (reply,) = names.call_many([call], deadline=Deadline.after(1.0))
    return reply


@pytest.mark.parametrize(
    ("program", "endpoint", "query", "reply"),
    [
        ('get_movie("heat")["budget"]', MOVIES, "budget of heat", [{"title": "heat"}]),
        ('get_movie("heat")["budget"]', MOVIES, "ronin", []),
        ('get_movie("spider man")["budget"]', MOVIES, "spiderman", [{"title": "spider man"}]),
        ('get_movie("heat")["budget"]', PEOPLE, "heat", []),
        (
            'get_movie_series("alien")["len"]',
            MOVIES,
            "alien",
            [{"title": "alien: Part One"}, {"title": "alien: Part Two"}],
        ),
        ('get_person("abba")["members"]', ARTISTS, "abba", ["abba"]),
        ('get_person("abba")["members"]', PEOPLE, "abba", [{"name": "abba"}]),
        ('get_song("jolene")["author"]', SONGS, "who wrote jolene?", ["jolene"]),
        (
            'get_movie_person_cast(None, ["ann other", "bo third"])["movie_name"]',
            PEOPLE,
            "third",
            [{"name": "bo third"}],
        ),
        ('get_stock_eps("acme widgets")', COMPANIES, "acme", ["acme widgets"]),
        ('get_stock_eps("acme widgets")', TICKER, "acme widgets", "ACMX"),
        ('get_stock_eps("acme widgets")', MARKET_CAP, "ACMX", {"ticker": "ACMX"}),
        ('get_stock_eps("acw")', COMPANIES, "acw", []),
        ('get_stock_eps("acw")', MARKET_CAP, "ACW", {"ticker": "ACW"}),
        ('get_stock_eps("acw")', MARKET_CAP, "NONE", None),
        ('get_open("texel")["capital"]', SEARCH, "the capital of texel", ["texel"]),
        ('get_open("texel")["capital"]', PAGE, "vlieland", None),
        ('get_open("texel")["capital"]', "/sports/nba/get_games_on_date", "2022", None),
    ],
)
def test_a_search_finds_the_names_of_the_program(
    program: str, endpoint: str, query: str, reply: Any
) -> None:
    assert reply_of(names_of(program), endpoint, query) == reply


def test_a_page_has_the_keys_that_the_program_reads_and_others() -> None:
    names = names_of('get_open("texel")["birds"]; get_open("texel")["area_km2"]')
    infobox = reply_of(names, PAGE, "texel")["summary_structured"]
    assert set(infobox) == {"name", "birds", "area_km2", *DISTRACTORS}
    assert infobox["birds"] == names.value_of("Texel", "birds")
    assert names.value_of("texel", "image") is None


@pytest.mark.parametrize(
    ("key", "left_out"),
    [
        ("Occupation", "occupation"),
        ("population", "population_total"),
        ("spouses", "spouse"),
        ("birthDate", "birth_date"),
    ],
)
def test_no_other_key_has_a_fact_that_the_program_reads(key: str, left_out: str) -> None:
    names = names_of(f'get_open("ann other")["{key}"]')
    infobox = reply_of(names, PAGE, "ann other")["summary_structured"]
    assert set(infobox) == {"name", key, *DISTRACTORS} - {left_out}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("population_total", "1,234"),
        ("area_km2", "1,234"),
        ("opening_date", "1986-05-04"),
        ("founded", "1986-05-04"),
        ("mayor", "Zembla1"),
    ],
)
def test_a_value_has_the_type_of_its_key(key: str, value: str) -> None:
    assert names_of(f'get_open("texel")["{key}"]').value_of("texel", key) == value


def test_a_value_that_is_looked_up_names_a_page() -> None:
    names = names_of('get_open(get_open("texel")["ferry"])["length_m"]')
    ferry = names.value_of("texel", "ferry")
    assert ferry is not None
    assert reply_of(names, SEARCH, ferry) == [ferry, ferry]
    assert reply_of(names, PAGE, ferry)["summary_structured"]["length_m"] == "1,234"


def test_a_value_may_name_a_company() -> None:
    names = names_of('get_stock_eps(get_open("texel")["brewery"])')
    brewery = names.value_of("texel", "brewery")
    assert reply_of(names, COMPANIES, f"shares of {brewery}") == [brewery]
