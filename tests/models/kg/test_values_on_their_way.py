"""Values reach the answer as the KG means them: money, placeholders, closed days, scores."""

import json
import math
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_api.cache import ready_file
from mock_api.local import LocalClient
from models.english.days import is_trading_day
from models.english.quantities import as_number
from models.kg import run
from models.kg.execution.fetch.movie import movie_row
from models.kg.execution.fetch.open import facts
from models.kg.execution.fetch.wikitext import plain
from models.kg.execution.known_facts import is_placeholder, known_facts
from models.kg.execution.row_operations import REDUCTIONS, compare, sort_rows
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.types import ValueType
from models.kg.parsing.semantic_parser import SemanticParser
from models.kg.schema.functions import Function, Key, Type
from models.kg.schema.operations import Reduce
from models.kg.wording.value_text import answer_text, key_value_text
from models.records import INVALID
from tests.models.kg.cases import SOON

NOW = datetime(2024, 12, 30, 16)
MakeKg = Callable[[dict[str, list[dict[str, Any]]]], LocalClient]


@pytest.fixture
def make_kg(tmp_path: Path) -> MakeKg:
    """Makes a KG of the records of each of its files."""

    def make(files: dict[str, list[dict[str, Any]]]) -> LocalClient:
        folder = tmp_path / "kg"
        folder.mkdir(parents=True)
        for name, records in files.items():
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        return LocalClient(ready_file(folder, lambda _: None, cache=tmp_path))

    return make


def company(**values: Any) -> dict[str, list[dict[str, Any]]]:
    """A KG of one company."""
    names = [{"name": "Zorvex Corporation Common Stock", "ticker": "ZRVX"}]
    return {"finance_companies": names, "finance": [{"ticker": "ZRVX", **values}]}


def answer_of(question: str, kg: LocalClient) -> str | None:
    """The parser's answer, at any probability."""
    choice = SemanticParser(kg).parse(question, NOW, SOON).choice
    return choice.answer if choice else None


# ---- money

MONEY = [
    (0.125, "$0.125"),
    (0.395, "$0.395"),
    (0.0035, "$0.0035"),
    (-0.0042, "-$0.0042"),
    (0.4, "$0.40"),
    (0.23, "$0.23"),
    (0.745, "$0.745"),
    (0.00012345, "$0.0001235"),
    (0.99996, "$1.00"),
    (99.125, "$99.13"),
    (1.005, "$1.01"),
    (2.675, "$2.68"),
    (-2.675, "-$2.68"),
    (1.0, "$1.00"),
    (0.0, "$0.00"),
    (-0.0, "$0.00"),
    (141.37999725341797, "$141.38"),  # 141.38 in 32 bits
    (3.424999952316284, "$3.43"),  # 3.425 in 32 bits
    (0.3490000069141388, "$0.349"),
]


@pytest.mark.parametrize(("amount", "answer"), MONEY)
def test_a_dividend_and_a_price_keep_the_digits_that_count(
    amount: float, answer: str, make_kg: MakeKg
) -> None:
    day = "2024-12-27 00:00:00 EST"
    kg = make_kg(company(dividends={day: amount}, price_history={day: {"Close": amount}}))
    on_day = "of zorvex corporation on december 27, 2024?"
    assert answer_of(f"what was the closing price {on_day}", kg) == answer
    assert answer_of("what is the latest dividend of zorvex corporation?", kg) == answer


@pytest.mark.parametrize(
    ("amounts", "total", "mean"),
    [
        ([0.1, 0.2], "$0.30", "$0.15"),
        ([0.185, 0.185, 0.185, 0.19], "$0.745", "$0.1863"),
        ([33.04, 33.045, 33.04], "$99.13", "$33.04"),
        ([-0.001, 0.001], "$0.00", "$0.00"),
        ([1.1, 2.2, 3.3], "$6.60", "$2.20"),
    ],
)
def test_sums_and_means_are_those_of_the_decimals(
    amounts: list[float], total: str, mean: str, make_kg: MakeKg
) -> None:
    days = [f"2023-{month:02}-15 00:00:00 EST" for month in range(1, len(amounts) + 1)]
    kg = make_kg(company(dividends=dict(zip(days, amounts, strict=True))))
    question = "dividend of zorvex corporation in 2023?"
    assert answer_of(f"what was the total {question}", kg) == total
    assert answer_of(f"what was the average {question}", kg) == mean


def money_keys() -> Iterator[tuple[Function, Key]]:
    for function in functions().rows:
        for key in function.keys:
            if key.unit.startswith("$"):
                yield function, key


@given(st.floats(min_value=-1e15, max_value=1e15).map(lambda number: float(f"{number:.5g}")))
def test_the_sentence_about_any_amount_has_its_full_value(amount: float) -> None:
    for _, key in money_keys():
        text = key_value_text(amount, key)
        assert as_number(text.replace("-$", "$")) == pytest.approx(abs(amount), rel=1e-5, abs=0)
        assert text.startswith("-") == (amount < 0)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_an_amount_as_an_answer_loses_less_than_half_a_cent_or_half_of_its_fourth_digit(
    amount: float,
) -> None:
    text = answer_text(amount, ValueType.MONEY)
    read = as_number(text.replace("-$", "$"))
    assert read is not None
    step = 0.005 if abs(amount) >= 1 else abs(amount) * 5e-4
    assert abs(read - abs(amount)) <= step * 1.000001 + abs(amount) * 1e-15
    assert text != "-$0.00"


# ---- placeholders

PLACEHOLDERS = [
    *("N/A", "n/a", "NA", "None", "null", "NULL", "nil", "-", "—", "–", "--", "?", "...", "TBD"),
    *("tba", "TBC", "unknown", "Unknown", "(unknown)", "Not available", "not known", "NaN", "nan"),
    *("Infinity", "-Infinity", "inf", "#N/A", "#DIV/0!", "0000-00-00", "1970-02-30", "2023-13-01"),
    *("1999-00-00", "0000", "", " ", "undisclosed", "To be announced"),
    *(math.nan, math.inf, -math.inf),
]


@pytest.mark.parametrize("value", PLACEHOLDERS, ids=repr)
def test_a_placeholder_is_no_fact_under_any_key_but_a_name(value: Any) -> None:
    for function in functions().rows:
        for key in function.keys:
            row = {key.name: value, "other": [value]}
            known = known_facts(row, function)
            is_name = key.proper_name or key.entity is not None or key.may_be_blank
            if isinstance(value, float) or not is_name:
                is_code = bool(key.codes) and value in ("NA", "NaN", "nan")
                assert is_code or key.name not in known, (function.name, key.name)
            else:
                assert known[key.name] == value


@pytest.mark.parametrize("key", [key for row in functions().rows for key in row.keys])
def test_a_figure_or_a_time_is_no_flag(key: Key) -> None:
    function = next(row for row in functions().rows if key in row.keys)
    is_measured = key.type is Type.NUMBER or key.type.is_time
    assert (key.name in known_facts({key.name: True}, function)) is not is_measured


@pytest.mark.parametrize("value", ["2024-02-29", "2024", "A-", "no", "Na Na", 0, 0.0, "0", "5,000"])
def test_a_value_is_no_placeholder(value: Any) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize("value", ["N/A", "None", "-", "TBD", "Infinity", True])
def test_a_placeholder_is_no_answer(value: Any, make_kg: MakeKg) -> None:
    kg = make_kg(company(pe_ratio=value, eps=value, market_cap=value))
    for figure in ("p/e ratio", "eps", "market cap"):
        assert answer_of(f"what is the {figure} of zorvex corporation?", kg) is None


def test_a_song_may_be_called_unknown_and_a_band_none(make_kg: MakeKg) -> None:
    song = {"name": "Unknown", "author": "None", "date": "2001-05-04"}
    kg = make_kg({"songs": [song], "artists": [{"name": "None", "members": ["Ada Nil"]}]})
    assert answer_of('when was the song "unknown" released?', kg) == "2001-05-04"
    assert answer_of('who sings the song "unknown"?', kg) == "None"


@pytest.mark.parametrize("end", [None, "N/A", "0000-00-00"])
def test_an_unknown_end_is_not_the_start(end: Any, make_kg: MakeKg) -> None:
    artist = {"name": "Ada Nil", "birth_date": "1981-09-04", "end_date": end}
    kg = make_kg({"artists": [artist]})
    assert answer_of("when was ada nil born?", kg) == "1981-09-04"
    assert answer_of("when did ada nil die?", kg) is None


def test_none_in_an_infobox_says_that_there_is_none() -> None:
    page = {"summary_structured": {"vicepresident": "None", "age": "Unknown", "party": "n/a"}}
    row = facts(page)
    assert row["vicepresident"] == "None"
    assert "age" not in row and "party" not in row


# ---- days without trading


def prices(first: date, last: date) -> dict[str, dict[str, float]]:
    """A price of each trading day: the day of the year."""
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return {
        f"{day} 00:00:00 EST": {"Open": day.timetuple().tm_yday + 0.5, "Close": float(100 + n)}
        for n, day in enumerate(days)
        if is_trading_day(day)
    }


CLOSED = [
    day
    for day in (date(2024, 1, 1) + timedelta(days=n) for n in range(366))
    if not is_trading_day(day)
]
HOLIDAYS = [day for day in CLOSED if day.weekday() < 5]
WORDINGS = [
    "what was the closing price of zorvex corporation on {day:%B} {day.day}, 2024?",
    "what was zorvex corporation's opening price on {day:%A}, {day:%B} {day.day}, 2024?",
]


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_closed_day_between_trading_days_has_no_price(wording: str, make_kg: MakeKg) -> None:
    kg = make_kg(company(price_history=prices(date(2023, 12, 20), date(2024, 12, 30))))
    for day in [*CLOSED[:16], *HOLIDAYS]:
        assert answer_of(wording.format(day=day), kg) == INVALID, day


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_closed_day_beyond_the_known_prices_is_unknown(wording: str, make_kg: MakeKg) -> None:
    kg = make_kg(company(price_history=prices(date(2024, 2, 5), date(2024, 2, 16))))
    for day in (date(2024, 2, 3), date(2024, 2, 17), date(2024, 2, 19), date(2024, 5, 27)):
        assert answer_of(wording.format(day=day), kg) is None, day


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("was zorvex corporation's closing price above $1 on february 17, 2024?", INVALID),
        ("what was the closing price of zorvex corporation on february 16, 2024?", "$111.00"),
        ("what was the closing price of zorvex corporation on february 20, 2024?", "$115.00"),
        (
            "what was the average closing price of zorvex corporation from february 16, 2024 to"
            " february 20, 2024?",
            "$113.00",
        ),
        (
            "what was zorvex corporation's opening price the day after monday february 19, 2024?",
            "$51.50",
        ),
        (
            "what was the closing price of zorvex corporation on the last trading day of"
            " february 2024?",
            "$124.00",
        ),
    ],
)
def test_averages_and_first_days_leave_closed_days_out(
    question: str, answer: str, make_kg: MakeKg
) -> None:
    kg = make_kg(company(price_history=prices(date(2024, 2, 5), date(2024, 2, 29))))
    # from February 5 on, the closing price rises by a dollar a day of the calendar
    assert answer_of(question, kg) == answer


def test_a_weekday_without_a_date_is_an_open_day(make_kg: MakeKg) -> None:
    """February 19 was a holiday: CRAG's gold answers have the price of the day after."""
    kg = make_kg(company(price_history=prices(date(2024, 2, 5), date(2024, 2, 29))))
    question = "what was the closing price of zorvex corporation last {}?"
    parser = SemanticParser(kg)
    asked_at = datetime(2024, 2, 28, 16)
    for weekday, answer in (("monday", "$115.00"), ("tuesday", "$115.00"), ("saturday", INVALID)):
        assert parser.parse(question.format(weekday), asked_at, SOON).answer == answer


def test_a_row_without_a_date_is_left_out(make_kg: MakeKg) -> None:
    history = {"N/A": {"Close": 1.0}, "2024-02-30 00:00:00 EST": {"Close": 2.0}}
    history |= prices(date(2024, 2, 5), date(2024, 2, 9))
    kg = make_kg(company(price_history=history))
    question = "what was the highest closing price of zorvex corporation in february 2024?"
    assert answer_of(question, kg) == "$104.00"


# ---- scores


def soccer(*games: tuple[str, Any, Any]) -> dict[str, list[dict[str, Any]]]:
    """Games of one team: their days, and both sides' goals."""
    rows = []
    for day, scored, conceded in games:
        rows.append(
            {
                "league": "ENG-Premier League",
                "season": "2324",
                "team": "Wolves",
                "game": f"{day} Wolves-Fulham",
                "date": day,
                "venue": "Home",
                "result": "D",
                "opponent": "Fulham",
                "GF": scored,
                "GA": conceded,
            }
        )
    return {"soccer": rows}


@pytest.mark.parametrize(
    ("scored", "goals"),
    [
        *(("1 (4)", 1), ("(4) 1", 1), ("1 (4 p)", 1), ("1 (4 pens)", 1), ("1 [5]", 1)),
        *(("2 (aet)", 2), ("2 a.e.t.", 2), ("2.0", 2), (2, 2), ("0 (3)", 0)),
    ],
)
def test_goals_beside_a_shoot_out_or_extra_time_count(
    scored: Any, goals: int, make_kg: MakeKg
) -> None:
    kg = make_kg(soccer(("2024-03-02", scored, "1 (3)"), ("2024-03-09", "3", "0")))
    assert answer_of("how many goals did wolves score in march 2024?", kg) == str(goals + 3)


@pytest.mark.parametrize("remark", ["w.o.", "postp.", "awarded", "abandoned"])
def test_a_game_without_goals_is_named(remark: str, make_kg: MakeKg) -> None:
    kg = make_kg(soccer(("2024-03-02", remark, remark)))
    assert answer_of("what was the score of the wolves game on march 2, 2024?", kg) == remark


# ---- texts and quantities of infoboxes


@pytest.mark.parametrize(
    "text",
    [
        "John Hughes and John Candy",
        "Prince Edward and Prince Andrew",
        "Paul Simon & Paul McCartney",
        "United States and United Kingdom",
        "University of X and University of Y",
        "The Bold and The Beautiful",
        "10 km from 10 towns",
        "Pago Pago, American Samoa",
        "Walla Walla, Washington",
        "City of Walla Walla",
        "Boutros Boutros Ghali",
        "Sirhan Sirhan (1968)",
        "Duran Duran",
        "New York, New York",
    ],
)
def test_a_text_with_a_word_twice_stays(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Area codes 614 and 380 614 and 380,", "Area codes 614 and 380"),
        ("Area codes 213 and 323 213/323,", "Area codes 213 and 323"),
        ("Harry Nilsson Nilsson,", "Harry Nilsson"),
        ("U.S. state State,", "U.S. state"),
        (
            "{{ubl 25,000 watt,s (day) 5,000 watts (night)}}",
            "25,000 watts (day) 5,000 watts (night)",
        ),
        (
            "Sheep,, cow,s, goat,s, or Italian water buffalo,",
            "Sheep, cows, goats, or Italian water buffalo",
        ),
        ("Irish language Irish,", "Irish"),
    ],
)
def test_a_link_is_shown_once(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_quantities_are_ordered_and_compared_by_size() -> None:
    heights = ["12345 m", "900 m", "1,200 m"]
    assert compare("12345 m", 2000) == 1
    assert REDUCTIONS[Reduce.MAX].run(heights) == "12345 m"
    assert REDUCTIONS[Reduce.MIN].run(["$10 million", "$9 million"]) == "$9 million"
    rows = [{"height": height} for height in heights]
    ordered = [row["height"] for row in sort_rows(rows, "height", descending=True)]
    assert ordered == ["12345 m", "1,200 m", "900 m"]
    assert REDUCTIONS[Reduce.MAX].run(["1999-05-04", "2001", "2000-01-01"]) == "2001"


@pytest.mark.parametrize(
    ("text", "year"),
    [("April 1, 1976", "1976"), ("c. 1850", "1850"), ("1850s", "1850"), ("2001-05-04", "2001")],
)
def test_the_year_of_a_text_is_its_year(text: str, year: str) -> None:
    assert answer_text(text, ValueType.YEAR) == year


@pytest.mark.parametrize("latest", [math.nan, None, "N/A"])
def test_the_latest_price_is_the_last_known_one(latest: Any, make_kg: MakeKg) -> None:
    history = prices(date(2024, 2, 5), date(2024, 2, 9))
    history["2024-02-12 00:00:00 EST"] = {"Close": latest}
    kg = make_kg(company(price_history=history))
    result = run('get_stock_price("zorvex corporation", "latest")["close"]', kg, NOW, SOON)
    assert result.outcomes[0].values == (104.0,)


def test_a_cast_member_without_a_name_is_none() -> None:
    cast = [{"name": None}, {"name": "Ann Null"}]
    row = movie_row({"title": "Fog", "cast": cast, "crew": [{"name": None, "job": "Director"}]})
    assert row["cast"] == ["Ann Null"]
    assert row["director"] == []
