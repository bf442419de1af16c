"""Facts are read from public tables, stored in a file, and looked up by name."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from models.public_data.__main__ import main
from models.public_data.sources import PublicFact
from models.public_data.store import NameMatch, PublicData, build
from models.records import Domain
from utils.errors import InputError

TABLES = {
    "oscars": """year_film,year_ceremony,ceremony,category,name,film,winner
2001,2002,74,DIRECTING,Aino Virta,The Glass Harbour,True
2001,2002,74,FILM EDITING,Bo Third,The Glass Harbour,False
2001,2002,74,HONORARY AWARD,Ines Ahlgren,,True
""",
    "grammys": """year,title,published_at,updated_at,category,nominee,artist,workers,img,winner
2008,51st,x,x,Album Of The Year,Night Ferry,The Copper Foxes,,,True
2008,51st,x,x,Best Album Notes,,Lena Quist,,,True
2008,51st,x,x,Best Song,Tied,One,,,True
2008,51st,x,x,Best Song,Tied Too,Two,,,True
2019,62nd,x,x,Album Of The Year,Slow River,The Copper Foxes,,,True
2019,62nd,x,x,Album Of The Year,Paper Moon,Lena Quist,,,True
2019,62nd,x,x,Album Of The Year,Tin Sky,Tin Sky,,,True
""",
    "movies": """\
budget,genres,id,original_language,original_title,release_date,revenue,runtime,title
1500000,"[{'name': 'Drama'}, {'name': 'War'}]",7,fi,Lasisatama,2001-05-04,0,93.0,The Glass Harbour
10,__import__('os').system('false'),8,en,Twin,1990-01-01,5,80.0,Twin
a torn row
20,[],9,en,Twin,2010-01-01,5,80.0,Twin
""",
    "credits": """cast,crew,id
"[{'name': 'One'}, {'name': 'Two'}]","[{'job': 'Director', 'name': 'Aino Virta'}]",7
""",
    "finance": """Symbol,Company Name,P/E Ratio,Market Cap,EPS
NWPX,Northwind Paper Inc.,12.5,1234567,2.25
QRST,Quarry Steel,,99,
,A row without ticker,,1,
""",
}


@pytest.fixture
def data(tmp_path: Path) -> PublicData:
    arguments = ["build", "--out", str(tmp_path / "public.sqlite")]
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
        arguments += [f"--{name}", str(tmp_path / name)]
    assert main(arguments) == 0
    return PublicData(tmp_path / "public.sqlite")


@pytest.mark.usefixtures("data")
def test_show_prints_the_papers_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["show", str(tmp_path / "public.sqlite"), "movie", "the glass harbour"]) == 0
    output = capsys.readouterr().out
    for sentence in (
        "The Glass Harbour (exact): ",
        "The director is Aino Virta. The lead actors are One and Two.",
        "The genres are Drama and War. The budget is 1500000 dollars. The runtime is 93 minutes.",
        "The Oscar won (2002 ceremony) is DIRECTING, Aino Virta.",
        "The Oscar nomination (2002 ceremony) is FILM EDITING, Bo Third.",
    ):
        assert sentence in output
    assert "revenue" not in output  # the table writes an unknown revenue as 0


@pytest.mark.parametrize(
    ("domain", "name", "match", "text"),
    [
        (Domain.MOVIE, "Lasisatama", NameMatch.EXACT, "Aino Virta"),
        (Domain.MOVIE, "aino virta", NameMatch.EXACT, "DIRECTING, for The Glass Harbour"),
        (Domain.MOVIE, "oscars 2002", NameMatch.EXACT, "winner of DIRECTING is Aino Virta"),
        (Domain.MOVIE, "glass harbour", NameMatch.SUBSTRING, "Aino Virta"),
        (Domain.MOVIE, "the glas harbor", NameMatch.SIMILAR, "Aino Virta"),
        (Domain.MUSIC, "night ferry", NameMatch.EXACT, "Album Of The Year, The Copper Foxes"),
        (Domain.MUSIC, "grammys 2009", NameMatch.EXACT, "Night Ferry, by The Copper Foxes"),
        # The table calls all nominees winners: only the first one of an award won it.
        (Domain.MUSIC, "grammys 2020", NameMatch.EXACT, "Album Of The Year is Slow River"),
        (Domain.MUSIC, "paper moon", NameMatch.EXACT, "nomination (2020 ceremony) is Album Of"),
        (Domain.MUSIC, "tied too", NameMatch.EXACT, "won (2009 ceremony) is Best Song, Two."),
        (Domain.FINANCE, "nwpx", NameMatch.EXACT, "The price-to-earnings ratio is 12.5."),
        (Domain.FINANCE, "northwind paper", NameMatch.SUBSTRING, "The market cap is 1234567."),
    ],
)
def test_an_entity_is_found_by_its_name_a_part_of_it_or_a_similar_one(
    data: PublicData, domain: Domain, name: str, match: NameMatch, text: str
) -> None:
    entity = data.find(domain, name)[0]
    assert entity.match is match
    assert text in " ".join(entity.sentences)


def test_different_names_and_similar_names_with_another_number_do_not_match(
    data: PublicData,
) -> None:
    for name in ("", "?!", "winter engine", "nwp"):
        assert data.find(Domain.MOVIE, name) == []
    for name in ("grammys 2010", "grammys 2029", "slow river ii", "paper moon 2"):
        matches = {entity.match for entity in data.find(Domain.MUSIC, name)}
        assert matches <= {NameMatch.SUBSTRING}


def test_two_films_of_one_name_are_two_and_code_in_a_cell_is_not_run(data: PublicData) -> None:
    older, newer = (" ".join(entity.sentences) for entity in data.find(Domain.MOVIE, "twin"))
    assert "1990-01-01" in older and "2010-01-01" in newer
    assert "The budget is 10 dollars." in older and "genres" not in older


def test_names_in_a_question_are_found(data: PublicData) -> None:
    question = "Is Twin older than The Glass Harbour?"
    assert data.names_in(Domain.MOVIE, question) == ["the glass harbour", "twin"]
    for text in ("what is up?", "which twin is older?"):
        assert data.names_in(Domain.MOVIE, text) == []
    assert data.names_in(Domain.FINANCE, "is NWPX up?") == ["nwpx"]
    assert data.names_in(Domain.FINANCE, "WHAT IS NWPX?") == []


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("build --out o --oscars table", "no column is called"),
        ("build --out o --grammys table", "no column is called"),
        ("build --out o --movies table", "no column is called"),
        ("build --out o --finance table", "no column is called"),
        ("build --out o --oscars bytes", "cannot be read as CSV"),
        ("build --out o --credits table", "--credits needs --movies"),
        ("build --out o", "at least one of"),
        ("show empty movie x", "version 0"),
        ("show nothing movie x", "no public data"),
    ],
)
def test_the_error_names_the_wrong_file_or_option(
    command: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (("table", b"a,b\n1,2\n"), ("bytes", b"\xff"), ("empty", b"")):
        Path(name).write_bytes(content)
    assert main(command.split()) == 2
    assert error in capsys.readouterr().err


def test_a_build_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "public.sqlite"
    build([PublicFact(Domain.OPEN, "x", ("x",), "a", "b")], file)

    def broken() -> Iterator[PublicFact]:
        yield PublicFact(Domain.OPEN, "y", ("y",), "a", "b")
        raise InputError("a bad row")

    with pytest.raises(InputError):
        build(broken(), file)
    assert PublicData(file).find(Domain.OPEN, "x")
