"""The example data is whole, consistent, varied, and nobody else's text."""

import html
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "example_data"
DOMAINS = {"finance", "movie", "music", "sports", "open"}
TYPES = {
    "simple",
    "simple_w_condition",
    "set",
    "comparison",
    "aggregation",
    "multi-hop",
    "post-processing",
    "false_premise",
}
DYNAMISM = {"static", "slow-changing", "fast-changing", "real-time"}
QUESTION_KEYS = [
    "interaction_id",
    "query_time",
    "domain",
    "question_type",
    "static_or_dynamic",
    "query",
    "answer",
    "alt_ans",
    "split",
    "search_results",
]
PAGE_KEYS = {"page_name", "page_url", "page_snippet", "page_file", "page_last_modified"}
KG_KEYS = {
    "movies": {"id", "title", "release_date", "cast", "crew"},
    "persons": {"id", "name"},
    "years": {"year", "movie_list", "oscar_awards"},
    "finance_companies": {"name", "ticker"},
    "finance": {"ticker", "market_cap", "info"},
    "artists": {"name"},
    "songs": {"name", "author", "country", "date"},
    "artist_works": {"artist", "works", "complete"},
    "grammy": {"year", "title", "category", "nominee", "artist", "workers", "winner"},
    "billboard": {"date", "rank", "song", "artist", "weeks_in_chart"},
    "open": {"name", "summary_text", "summary_structured", "raw_mediawiki"},
    "soccer": {"league", "team", "game", "date", "venue", "result", "GF", "GA", "opponent"},
    "nba_games": {"game_date", "team_name_home", "pts_home", "team_name_away", "pts_away"},
    "nba_play_by_play": {"game_id", "eventnum", "period", "score"},
}
RUN = 12  # words in a row that must not be found in the real data


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def kg(name: str) -> list[dict[str, Any]]:
    return rows(FOLDER / "kg" / f"{name}.jsonl")


QUESTIONS = rows(FOLDER / "questions.jsonl")
TASK3 = rows(FOLDER / "task3.jsonl")
EVERY = QUESTIONS + TASK3


def results(question: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = question["search_results"]
    return found


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@pytest.mark.parametrize("row", EVERY, ids=lambda row: str(row["query"]))
def test_a_question_has_crags_schema(row: dict[str, Any]) -> None:
    assert list(row) == QUESTION_KEYS
    uuid.UUID(row["interaction_id"])
    assert re.fullmatch(r"\d\d/\d\d/\d{4}, \d\d:\d\d:\d\d PT", row["query_time"])
    asked = datetime.strptime(row["query_time"], "%m/%d/%Y, %H:%M:%S PT")
    assert datetime(2024, 2, 1) < asked < datetime(2024, 4, 1)
    assert row["domain"] in DOMAINS
    assert row["question_type"] in TYPES
    assert row["static_or_dynamic"] in DYNAMISM
    assert row["split"] == 0
    assert row["query"].strip()
    assert row["answer"].strip()
    assert all(isinstance(other, str) and other for other in row["alt_ans"])
    assert row["answer"] not in row["alt_ans"]
    assert (row["answer"] == "invalid question") == (row["question_type"] == "false_premise")
    for page in results(row):
        assert set(page) == PAGE_KEYS
        assert re.match(r"https://([\w-]+\.)+example\.|https://[\w-]+\.example\.", page["page_url"])
        assert all(isinstance(page[key], str) for key in PAGE_KEYS - {"page_file"})


def test_there_are_enough_questions_of_each_kind() -> None:
    assert len(QUESTIONS) >= 120
    domains = Counter(row["domain"] for row in QUESTIONS)
    types = Counter(row["question_type"] for row in QUESTIONS)
    assert set(domains) == DOMAINS and min(domains.values()) >= 4
    assert set(types) == TYPES and min(types.values()) >= 3
    assert {row["static_or_dynamic"] for row in QUESTIONS} == DYNAMISM
    assert sum(row["answer"] == "i don't know" for row in QUESTIONS) >= 3


def test_ids_and_questions_are_unique() -> None:
    assert len({row["interaction_id"] for row in EVERY}) == len(EVERY)
    assert len({tuple(words(row["query"])) for row in EVERY}) == len(EVERY)


def test_numbers_of_pages_are_those_of_the_tasks() -> None:
    assert all(5 <= len(results(row)) <= 8 for row in QUESTIONS)
    assert len(TASK3) == 6
    assert all(30 <= len(results(row)) <= 50 for row in TASK3)


def test_the_wild_is_there_too() -> None:
    files = [[page["page_file"] for page in results(row)] for row in QUESTIONS]
    assert any(None in named for named in files), "no page that could not be fetched"
    assert any(len(set(named)) < len(named) for named in files), "no page that comes twice"


def test_page_files_exist_stay_inside_and_are_all_used() -> None:
    named = {page["page_file"] for row in EVERY for page in results(row)} - {None}
    for name in named:
        path = (FOLDER / name).resolve()
        assert path.is_relative_to(FOLDER), name
        assert path.is_file(), name
    assert named == {f"pages/{path.name}" for path in (FOLDER / "pages").iterdir()}


def test_a_page_is_the_same_wherever_it_is_found() -> None:
    seen: dict[str, tuple[str, str]] = {}
    for row in EVERY:
        for page in results(row):
            said = (page["page_name"], page["page_file"])
            assert seen.setdefault(page["page_url"], said) == said


def test_pages_are_utf8_html_and_none_is_huge() -> None:
    sizes = {path: path.stat().st_size for path in (FOLDER / "pages").iterdir()}
    assert 45 <= len(sizes) <= 70
    assert max(sizes.values()) <= 40_000
    assert sum(sizes.values()) <= 1_500_000
    for path in sizes:
        assert "<html" in path.read_text(encoding="utf-8").lower(), path.name


def test_the_kg_has_its_tables_and_their_keys() -> None:
    tables = {path.stem for path in (FOLDER / "kg").glob("*.jsonl")}
    assert tables == set(KG_KEYS)
    for name, keys in KG_KEYS.items():
        found = kg(name)
        assert found, name
        for row in found:
            assert keys - {"market_cap", "country", "date"} <= set(row), (name, row)
    assert sum(path.stat().st_size for path in (FOLDER / "kg").iterdir()) <= 1_500_000


def test_movies_persons_and_years_point_at_one_another() -> None:
    movies = {row["id"]: row for row in kg("movies")}
    persons = {row["id"]: row for row in kg("persons")}
    assert len(movies) == len(kg("movies")) and len(persons) == len(kg("persons"))
    for movie in movies.values():
        for credit in movie["cast"]:
            assert persons[credit["id"]]["name"] == credit["name"]
            assert movie["id"] in persons[credit["id"]]["acted_movies"]
        for credit in movie["crew"]:
            person = persons[credit["id"]]
            assert person["name"] == credit["name"]
            if credit["job"] == "Director":
                assert movie["id"] in person["directed_movies"]
    for person in persons.values():
        for acted in person.get("acted_movies", []):
            assert person["id"] in [credit["id"] for credit in movies[acted]["cast"]]
        for directed in person.get("directed_movies", []):
            credits = [credit for credit in movies[directed]["crew"] if credit["job"] == "Director"]
            assert person["id"] in [credit["id"] for credit in credits]
    for year in kg("years"):
        released = [i for i, m in movies.items() if m["release_date"][:4] == str(year["year"])]
        assert sorted(year["movie_list"]) == sorted(released)
        assert {award["year_ceremony"] for award in year["oscar_awards"]} == {year["year"]}


def test_every_ticker_has_a_company_and_every_day_is_a_day() -> None:
    companies = {row["ticker"] for row in kg("finance_companies")}
    finance = {row["ticker"]: row for row in kg("finance")}
    assert set(finance) <= companies
    for row in finance.values():
        for table in ("price_history", "dividends"):
            for day in row.get(table, {}):
                assert re.fullmatch(r"\d{4}-\d\d-\d\d 00:00:00 EST", day)
        for day, prices in row.get("price_history", {}).items():
            assert datetime.strptime(day[:10], "%Y-%m-%d").weekday() < 5
            assert set(prices) <= {"Open", "High", "Low", "Close", "Volume"}


def test_an_open_entity_says_something_and_is_unique() -> None:
    entities = kg("open")
    assert len({row["name"] for row in entities}) == len(entities)
    assert all(len(words(row["summary_text"])) >= 15 for row in entities)
    assert all(row["summary_structured"] for row in entities)


def our_texts() -> Iterator[tuple[str, str]]:
    """Where a text of ours stands, and the text."""
    for row in EVERY:
        yield row["query"], row["query"]
        for page in results(row):
            yield page["page_url"], page["page_snippet"]
    for path in sorted((FOLDER / "pages").iterdir()):
        text = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", path.read_text(encoding="utf-8"))
        yield path.name, html.unescape(re.sub(r"<[^>]+>", " ", text))
    for row in kg("open"):
        yield row["name"], row["summary_text"] + " " + row["raw_mediawiki"]


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[i : i + RUN]) for i in range(len(found) - RUN + 1)}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


@pytest.mark.crag_data
def test_no_question_is_a_real_one(crag_data: Path) -> None:
    real = {tuple(words(row["query"])) for row in rows(crag_data / "questions_validation.jsonl")}
    assert [row["query"] for row in EVERY if tuple(words(row["query"])) in real] == []


@pytest.mark.crag_data
def test_no_text_is_taken_from_the_real_data(crag_data: Path) -> None:
    ours: dict[tuple[str, ...], str] = {}
    for where, text in our_texts():
        for run in runs(text):
            ours[run] = where
    taken = set()
    for name in ("questions_validation.jsonl", "passages_validation.jsonl", "kg/open.jsonl"):
        for row in rows(crag_data / name):
            for text in strings(row):
                taken |= {(ours[run], " ".join(run)) for run in runs(text) & ours.keys()}
    assert sorted(taken) == []
