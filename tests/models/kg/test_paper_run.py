"""The paper's own examples (db3, section 3.2 and Appendix C.3), as written, over a fixture KG."""

from datetime import datetime
from typing import Any

import pytest

from models.kg import run
from tests.models.conftest import FakeClient
from utils.deadline import Deadline

NOW = datetime(2024, 2, 28, 8, 0)
SOON = Deadline(10.0, lambda: 0.0)
ACTOR = "ACTOR IN A LEADING ROLE"
CREW_1997 = [{"name": "Jack Green", "job": "Editor"}, {"name": "Ann Other", "job": "Director"}]
FILMS: dict[int, dict[str, Any]] = {
    1: {"title": "The Greater Meaning of Water", "release_date": "2010-07-27"},
    2: {"title": "Small Town Ecstasy", "release_date": "2002-09-15"},
    3: {
        "title": "Batman",
        "release_date": "1997-06-20",
        "crew": CREW_1997,
        "cast": [
            {"name": "Bo Third", "character": "Batman", "gender": "male"},
            {"name": "Cy Fourth", "character": "Robin", "gender": "male"},
        ],
    },
    4: {"title": "Old", "release_date": "2002-04-05"},
    5: {"title": "New", "release_date": "2023-08-11"},
}
for number, film in FILMS.items():
    film["id"] = number
for number in (4, 5):
    FILMS[number]["crew"] = [{"name": "Walt Becker", "job": "Director"}]
OSCARS = [
    {"year_ceremony": 2012, "category": ACTOR, "name": "Dee Fifth", "film": "X", "winner": True},
    {"year_ceremony": 2012, "category": ACTOR, "name": "Ed Sixth", "film": "Y", "winner": False},
    {"year_ceremony": 2012, "category": "DIRECTING", "name": "F", "film": "X", "winner": True},
]


class Kg(FakeClient):
    def _reply(self, call: Any) -> Any:
        asked = call.params.get("query")
        match call.endpoint:
            case "/movie/get_movie_info":
                said = str(asked).lower()
                return [f for f in FILMS.values() if said in f["title"].lower()]
            case "/movie/get_movie_info_by_id":
                return FILMS.get(int(asked))
            case "/movie/get_person_info":
                person = {"id": 7, "name": "Walt Becker", "directed_movies": [4, 5]}
                return [person] if str(asked).lower() == "walt becker" else []
            case "/movie/get_year_info":
                return {"movie_list": [], "oscar_awards": OSCARS}
        return None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "get_movie(”greater meaning of water”)[”release_date”]; "
            "get_movie(”small town ecstasy”)[”release_date”]",
            [["2010-07-27"], ["2002-09-15"]],
        ),
        (
            "get_movie_person_oscar\n(None,None,[eq(year,2012),eq(category,”best actor”)\n"
            ",eq(winner,”true”)])[”name”]",
            [["Dee Fifth"]],
        ),
        (
            "get_movie_person_crew(None,”walt becker”, eq(job, ”Director”)); "
            "sort(None,-year)[”movie_name”]",
            [None, ["New"]],
        ),
        ("ALL get_movie_person_crew(”batman”,”Jack Green”,1997)[”job”]", [["Editor"]]),
        (
            "get_movie_person_cast(”batman”, None, [eq(gender,”male”),eq(character,”batman”)])"
            "[”name”]",
            [["Bo Third"]],
        ),
    ],
)
def test_an_example_gives_the_right_thing(text: str, values: list[list[Any] | None]) -> None:
    result = run(text, Kg({}), NOW, SOON)
    assert not result.errors
    found = [
        list(outcome.values) if said is not None else None
        for outcome, said in zip(result.outcomes, values, strict=True)
    ]
    assert found == values


def test_after_the_deadline_nothing_is_fetched_and_it_is_said() -> None:
    client = Kg({})
    over = Deadline(0.0, lambda: 1.0)
    (error,) = run('get_movie("batman")["release_date"]', client, NOW, over).errors
    assert str(error) == "no time left"
    assert client.calls == []
