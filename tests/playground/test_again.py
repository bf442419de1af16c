"""Steps that are run again with something changed."""

from pathlib import Path

from models.settings import Settings
from tests.models.llm.fake_server import fake_server, says
from tests.playground.client import ask, client, error_of, events
from tests.playground.test_asking import BRIDGE, PAGE

PROGRAM = 'get_movie("the grand budapest hotel")["release_date"]'


def test_a_program_with_its_plan_repairs_and_sentences(tmp_path: Path) -> None:
    browser = client(tmp_path)
    id = ask(browser)
    reply = browser.post(f"/api/inquiries/{id}/program", json={"program": PROGRAM}).json()
    assert "2014-02-26" in reply["output"] and reply["problem"] is None
    assert "/movie/get_movie_info" in reply["plan"]
    wrong_case = PROGRAM.replace("release_date", "Release_Date")
    reply = browser.post(f"/api/inquiries/{id}/program", json={"program": wrong_case}).json()
    assert "2014-02-26" in reply["output"] and len(reply["repairs"]) == 1


def test_the_place_of_an_error_in_a_program(tmp_path: Path) -> None:
    browser = client(tmp_path)
    id = ask(browser)
    program = PROGRAM.replace("release_date", "realese")
    reply = browser.post(f"/api/inquiries/{id}/program", json={"program": program}).json()
    offset = reply["problem"]["offset"]
    assert program[offset : offset + 9] == '"realese"'
    assert reply["output"] == "" and "unknown key" in reply["problem"]["text"]


def test_the_best_readings_of_the_parser(tmp_path: Path) -> None:
    browser = client(tmp_path)
    readings = browser.get(f"/api/inquiries/{ask(browser)}/readings").json()
    assert 1 < len(readings) <= 5 and readings[0]["answer"] == "2014-02-26"
    name, value, part = readings[0]["features"][0]
    assert isinstance(name, str) and value and part
    assert readings[0]["score"] == max(each["score"] for each in readings if each["answer"])


def test_other_passages_give_another_answer(tmp_path: Path) -> None:
    browser = client(tmp_path)
    other = PAGE.replace("Edda Lorne", "Piet Haan").replace("1931", "1932")
    pages = [{"name": "a.html", "html": PAGE}, {"name": "b.html", "html": other}]
    id = ask(browser, BRIDGE, task=1, pages=pages)
    [passages] = [each["passages"] for each in events(browser, id) if each["type"] == "passages"]
    for number, passage in enumerate(passages):
        reading = browser.post(f"/api/inquiries/{id}/passages", json={"passages": [number]}).json()
        assert reading["output"] in passage["text"]
        assert reading["before"] == "Edda Lorne"  # of the two pages together
    refused = browser.post(f"/api/inquiries/{id}/passages", json={"passages": [99]})
    assert error_of(refused) == "there are no passages [99]"


def test_an_llm_reads_other_passages_with_the_prompt_of_its_system(tmp_path: Path) -> None:
    with fake_server(says("Edda Lorne"), says("Piet Haan")) as server:
        settings = Settings(system="db3", llm=f"openai:{server.url}#base")
        browser = client(tmp_path, settings)
        other = PAGE.replace("Edda Lorne", "Piet Haan").replace("Bridges", "Rivers")
        pages = [{"name": "a.html", "html": PAGE}, {"name": "b.html", "html": other}]
        id = ask(browser, BRIDGE, task=1, pages=pages)
        [passages] = [
            event["passages"] for event in events(browser, id) if event["type"] == "passages"
        ]
        [piet] = [number for number, row in enumerate(passages) if "Piet Haan" in row["text"]]
        reading = browser.post(f"/api/inquiries/{id}/passages", json={"passages": [piet]}).json()
        first, second = (body["messages"][-1]["content"] for body in server.bodies[-2:])
    assert reading["before"] == "Edda Lorne" and reading["output"] == "Piet Haan"
    assert "Edda Lorne" in first and "Edda Lorne" not in second and "Rivers" in second
    assert first.splitlines()[0] == second.splitlines()[0]  # the same template


def test_passages_that_no_step_has_read_cannot_be_read_again(tmp_path: Path) -> None:
    browser = client(tmp_path)
    id = ask(browser)
    events(browser, id)
    reply = browser.post(f"/api/inquiries/{id}/passages", json={"passages": []})
    assert "no step has read the passages" in error_of(reply)


def test_a_prompt_with_other_words_and_sampling(tmp_path: Path) -> None:
    with fake_server(says("movie"), says("None"), says("2014")) as server:
        settings = Settings(
            system="db3", llm=f"openai:{server.url}#base", options={"kg_fallback": False}
        )
        browser = client(tmp_path, settings)
        id = ask(browser)
        steps = [each["step"] for each in events(browser, id) if each["type"] == "step"]
        path = f"/api/inquiries/{id}/steps/{[step['name'] for step in steps].index('route')}"
        change = {"turns": [["user", "Say it."]], "temperature": 0.5, "max_tokens": 9, "samples": 1}
        step = browser.post(path, json=change).json()
        sent = server.bodies[-1]
    assert step["name"] == "route" and step["output"] == "2014"
    assert sent["messages"] == [{"role": "user", "content": "Say it."}]
    assert sent["temperature"] == 0.5 and sent["max_tokens"] == 9
    wrong = {"turns": [["user", "Say it."]], "temperature": 9}
    assert "temperature" in error_of(browser.post(path, json=wrong))
    greedy = {**change, "temperature": 0, "samples": 3}
    assert "several samples need a temperature" in error_of(browser.post(path, json=greedy))
    assert error_of(browser.post(f"/api/inquiries/{id}/steps/99", json=change)) == (
        "step 99 has no prompt"
    )
