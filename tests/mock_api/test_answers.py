"""What the endpoints answer over invented facts, the same from either form of them."""

from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., Any]


def test_names_that_normalise_alike_come_together(ask: Ask) -> None:
    found = ask("/open/search_entity_by_name", query="FERN_lake?!")
    assert found == ["Fern Lake", "fern_lake!", "Lake Ost"]


def test_an_entry_is_found_by_exactly_its_name(ask: Ask) -> None:
    assert ask("/open/get_entity", query="Ost") == {"summary_text": "A town."}
    assert ask("/open/get_entity", query="ost") is None


def test_movies_are_searched_by_words_without_punctuation(ask: Ask) -> None:
    assert [m["id"] for m in ask("/movie/get_movie_info", query="kite_flyers")] == [1]
    assert [m["id"] for m in ask("/movie/get_movie_info", query="Kite-Flyers")] == [2]
    assert [m["id"] for m in ask("/movie/get_movie_info", query="shore")] == [4, 3]
    assert ask("/movie/get_movie_info", query="zzz") == []


def test_a_record_is_found_by_its_id_and_the_last_of_equals_wins(ask: Ask) -> None:
    assert ask("/movie/get_movie_info_by_id", query=2) == {
        "title": "Kite-Flyers",
        "id": 2,
        "rating": 7.5,
    }
    assert ask("/movie/get_movie_info_by_id", query=5)["title"] == "Snow"
    assert ask("/movie/get_person_info_by_id", query="10")["name"] == "Ann Example"
    assert ask("/movie/get_person_info_by_id", query=2**80) is None


def test_a_year_is_found_by_its_text(ask: Ask) -> None:
    assert ask("/movie/get_year_info", query="1999") == {"movie_list": [1], "oscar_awards": []}
    assert ask("/movie/get_year_info", query=" 1999 ") is None
    assert ask("/movie/get_year_info", query="2001") is None


def test_companies_alike_come_once_for_each_of_them(ask: Ask) -> None:
    fern = ["Fern Corp. Common Stock", "Fern Corp Common Stock"]
    assert ask("/finance/get_company_name", query="fern") == fern * 2
    assert ask("/finance/get_company_name", query="ost") == ["Ost Inc."]


def test_of_two_tickers_of_one_name_the_last_wins(ask: Ask) -> None:
    assert ask("/finance/get_ticker_by_name", query="Ost Inc.") == "OSTB"
    assert ask("/finance/get_ticker_by_name", query="ost inc.") is None


@pytest.mark.parametrize(
    ("endpoint", "value"),
    [
        ("get_market_capitalization", 1.5e9),
        ("get_eps", 2.5),
        ("get_pe_ratio", None),
        ("get_info", {"forwardEps": 2.5, "forwardPE": None, "city": "Ost"}),
        ("get_price_history", {"2024-02-28 00:00:00 EST": {"Close": 3.25, "Volume": 100}}),
        ("get_dividends_history", {"2024-02-21 00:00:00 EST": 0.5}),
        ("get_detailed_price_history", {"2024-02-28 10:49:00 EST": {"Open": 3.0}}),
    ],
)
def test_a_ticker_has_its_figures(ask: Ask, endpoint: str, value: Any) -> None:
    assert ask(f"/finance/{endpoint}", query="FRN") == value
    assert ask(f"/finance/{endpoint}", query="frn") is None


def test_artists_and_songs_have_their_fields(ask: Ask) -> None:
    assert ask("/music/get_artist_birth_place", query="Dee Dummy") == "NO"
    assert ask("/music/get_artist_birth_place", query="Nobody") is None
    assert ask("/music/get_artist_birth_date", query="Nobody") == "1980"
    assert ask("/music/get_song_author", query="Kite Song") == "Dee Dummy"
    assert ask("/music/get_song_author", query="Kite song") is None
    assert ask("/music/get_song_release_country", query="Kite Song") == "NO"
    assert ask("/music/get_song_release_date", query="Kite Song") == "2001"
    assert ask("/music/get_artist_all_works", query="Dee Dummy") == ["Kite Song", "Snow"]
    assert ask("/music/get_artist_all_works", query="Nobody") is None


def test_a_member_is_told_once(ask: Ask) -> None:
    assert sorted(ask("/music/get_members", query="The Placeholders")) == ["Dee Dummy", "Ed Mock"]
    assert ask("/music/get_members", query="Dee Dummy") is None


def test_a_lifespan_needs_both_ends_recorded(ask: Ask) -> None:
    assert ask("/music/get_lifespan", query="Dee Dummy") == ["1970-01-02", None]
    assert ask("/music/get_lifespan", query="Nobody") == [None, None]
    assert ask("/music/get_lifespan", query="Not There") == [None, None]


def test_music_search_ranks_even_a_small_corpus(ask: Ask) -> None:
    """Departure: so few names that no term is rare enough; the official server does not start."""
    assert ask("/music/search_artist_entity_by_name", query="dummy") == ["Dee Dummy"]


def test_billboard_ranks(ask: Ask) -> None:
    path = "/music/get_billboard_rank_date"
    assert ask(path, rank=1) == [["Kite Song", "Snow"], ["Dee Dummy", "Ed Mock"]]
    assert ask(path, rank=1, date="2024-02-21") == [["Snow"], ["Ed Mock"]]
    assert ask(path, rank=1, date="1999-01-01") == [[], []]
    assert ask(path, rank=2) == [None, None]


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("rank", "1"), ("rank_last_week", "3"), ("weeks_in_chart", "2"), ("top_position", "1")],
)
def test_billboard_attributes(ask: Ask, attribute: str, value: str) -> None:
    path, song = "/music/get_billboard_attributes", "Kite Song"
    assert ask(path, date="2024-02-28", attribute=attribute, song_name=song) == value
    assert ask(path, date="2024-02-27", attribute=attribute, song_name=song) is None


def test_an_attribute_that_is_none_is_the_rank(ask: Ask) -> None:
    path, song = "/music/get_billboard_attributes", "Kite Song"
    hostile = "rank FROM billboard_songs; --"
    assert ask(path, date="2024-02-28", attribute=hostile, song_name=song) == "1"


def test_grammy_years(ask: Ask) -> None:
    assert ask("/music/grammy_get_best_artist_by_year", query=1998) == ["Dee Dummy"]
    assert ask("/music/grammy_get_best_artist_by_year", query=1999) == [None]
    assert ask("/music/grammy_get_best_song_by_year", query=1998) == ["Kite Song"]
    assert ask("/music/grammy_get_best_album_by_year", query=1998) == ["Kites"]
    assert ask("/music/grammy_get_best_album_by_year", query=1957) == []
    assert ask("/music/grammy_get_best_album_by_year", query=1956) is None
    assert ask("/music/grammy_get_best_album_by_year", query=2020) is None
    assert ask("/music/grammy_get_all_awarded_artists") == ["Dee Dummy"]


def test_grammy_counts_are_of_fields_that_contain_the_name(ask: Ask) -> None:
    path = "/music/grammy_get_award_count_by_artist"
    assert ask(path, query="Dee Dummy") == 3
    assert ask(path, query="Dummy") == 3
    assert ask(path, query="dummy") == 0
    assert ask(path, query="") == 18
    assert ask(path, query="nan") == 11, "a missing field reads nan, as pandas writes it"
    assert sorted(ask("/music/grammy_get_award_date_by_artist", query="Dee")) == [1998, 2001]
    assert ask("/music/grammy_get_award_count_by_song", query="Snow") == 2
    assert ask("/music/grammy_get_award_count_by_song", query="nan") == 0
