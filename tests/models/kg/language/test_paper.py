"""The paper's own examples (db3, section 3.2 and Appendix C.3) are read as the trees they mean."""

import pytest

from models.kg.language.ast import (
    Call,
    Condition,
    Nothing,
    Op,
    Program,
    Query,
    Reduce,
    Sort,
    Star,
    Statement,
    Take,
)
from models.kg.language.parser import parse

CREW = "get_movie_person_crew"


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "get_movie(”greater meaning of water”)[”release_date”]; "
            "get_movie(”small town ecstasy”)[”release_date”]",
            (
                Query(Call("get_movie", ("greater meaning of water",)), "release_date"),
                Query(Call("get_movie", ("small town ecstasy",)), "release_date"),
            ),
        ),
        (
            "get_movie_person_oscar\n(None,None,[eq(year,2012),eq(category,”best actor”)\n"
            ",eq(winner,”true”)])[”name”]",
            (
                Query(
                    Call(
                        "get_movie_person_oscar",
                        where=(
                            Condition(Op.EQ, "year", 2012),
                            Condition(Op.EQ, "category", "best actor"),
                            Condition(Op.EQ, "winner", "true"),
                        ),
                    ),
                    "name",
                ),
            ),
        ),
        (
            "get_movie_person_crew(None,”walt becker”, eq(job, ”Director”)); "
            "sort(None,-year)[”movie_name”]",
            (
                Query(Call(CREW, (None, "walt becker"), (Condition(Op.EQ, "job", "Director"),))),
                Query(Sort("year", descending=True), "movie_name"),
            ),
        ),
        (
            "ALL get_movie_person_crew(”batman”,”Jack”,1997)",
            (Query(Call(CREW, ("batman", "Jack", 1997)), take=Take(None)),),
        ),
    ],
)
def test_an_example_is_read_as_it_is_meant(text: str, statements: tuple[Statement, ...]) -> None:
    parsed = parse(text, strict=True)
    assert parsed.program == Program(statements)


@pytest.mark.parametrize(
    ("condition", "where"),
    [
        ("eq(gender,male)", (Condition(Op.EQ, "gender", "male"),)),
        (
            "[eq(gender,”male”),eq(character,”batman”)]",
            (Condition(Op.EQ, "gender", "male"), Condition(Op.EQ, "character", "batman")),
        ),
    ],
)
def test_the_rules_conditions_are_read(condition: str, where: tuple[Condition, ...]) -> None:
    program = parse(f"get_movie_person_cast(None, None, {condition})", strict=True).program
    assert program == Program((Query(Call("get_movie_person_cast", where=where)),))


def test_the_rules_other_words_are_read() -> None:
    call = Call("get_movie_person_cast", (None, "Jo Doe"))
    given = 'get_movie_person_cast(None, "Jo Doe")'
    for text, query in (
        (f'{given}["len"]', Query(call, None, Take(None), Reduce.LEN)),
        (f'AVG {given}["year"]', Query(call, "year", Take(None), Reduce.AVG)),
        (f'{given}["movie_name"][:3]', Query(call, "movie_name", Take(3))),
        (f'3 {given}["movie_name"]', Query(call, "movie_name", Take(3))),
        ('get_movie(*)["title"]', Query(Call("get_movie", (Star(),)), "title")),
    ):
        assert parse(text, strict=True).program == Program((query,))
    assert parse("None", strict=True).program == Program((Nothing(),))
