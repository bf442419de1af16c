"""The playground in a real browser."""

import html
import json
import re
import shlex
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from evaluation.finished_run import read_run
from evaluation.labels import read_labels
from evaluation.run_folder import read_results
from models.llm.config import LLMSettings
from models.runtime.trace import Step
from models.settings import ROOT, Settings
from playground.app import make_app
from tests.chromium import NEEDS_CHROMIUM, click, texts
from tests.evaluation.run_files import result, write_run
from tests.models.llm.fake_server import breaks_off, fake_server, hangs, says
from tests.playground.client import HOTEL, playground, served
from tests.playground.test_again import PROGRAM
from tests.playground.test_asking import BRIDGE, PAGE

pytestmark = NEEDS_CHROMIUM
TAB = "\ue004"
ENTER = "\ue007"
DOWN = "\ue015"
ESCAPE = "\ue00c"

Open = Callable[..., str]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """A function that serves a playground, opens its page and returns its address; afterwards the
    console is silent."""
    browser.get_log("browser")
    with ExitStack() as stack:

        def opened(
            settings: Settings | None = None, run: Path | None = None, state: str = ""
        ) -> str:
            finished = read_run(run) if run else None
            app = make_app(playground(settings), tmp_path / "cases.jsonl", finished)
            address = str(stack.enter_context(served(app)))
            load(browser, address + state)
            return address

        yield opened
        browser.get("about:blank")  # ends its streams
    assert [each["message"] for each in browser.get_log("browser")] == []


def load(driver: Any, url: str) -> None:
    """Open an address, and wait until the script has built the page."""
    driver.get("about:blank")
    driver.get(url)
    driver.find_element("css selector", "html[data-ready]")


def ask(driver: Any, question: str) -> None:
    """Type a question, and wait until it is done."""
    area = driver.find_element("css selector", "#ask [name=question]")
    area.clear()
    area.send_keys(question, ENTER)
    driver.find_element("css selector", '#inquiry [aria-busy="false"]')


def test_ask_open_a_program_break_it_and_repair_it(browser: Any, open_page: Open) -> None:
    address = open_page()
    ask(browser, HOTEL)
    assert texts(browser, "#inquiry p.answer strong") == ["2014-02-26"]
    assert texts(browser, "#inquiry h3")[0].startswith("parse")
    assert "confidence 0.9" in texts(browser, "#inquiry p.answer")[0]
    click(browser, "#step-0 .change")
    assert texts(browser, "#step-0 .result summary") == ["Plan"]
    area = browser.find_element("css selector", "#step-0 textarea.code")
    area.clear()
    area.send_keys('get_movie("the grand budapest hotel")["realese"]')
    click(browser, "#step-0 .editor > button")
    problem = texts(browser, "#step-0 .problem")[0]
    assert "unknown key" in problem and problem.splitlines()[-1].strip() == "^"
    selected = browser.execute_script(
        "const a = document.activeElement; return a.value.slice(a.selectionStart)"
    )
    assert selected == '"realese"]'  # the cursor is at the place
    area.clear()
    area.send_keys('get_movie("the grand budapest hotel")["rele')
    assert "release_date" in texts(browser, ".completion [role=option]")
    area.send_keys(TAB, '"]')
    assert area.get_property("value").endswith('["release_date"]')
    click(browser, "#step-0 .editor > button")
    first, changed = texts(browser, "#step-0 .beside pre")
    assert "2014-02-26" in first and "2014-02-26" in changed
    click(browser, "#readings summary")
    assert 1 < len(texts(browser, "#readings > ol > li")) <= 5
    link = browser.find_element("css selector", "#step-0 h3 a").get_attribute("href")
    assert link.startswith(f"{address}/#inquiry=") and "step=0" in link
    load(browser, link)  # from another tab
    assert texts(browser, "#inquiry h2") == [HOTEL]
    before = browser.current_url
    click(browser, "#ask .ask")  # the same question, at the same time
    end = time.monotonic() + 20
    while browser.current_url == before:
        assert time.monotonic() < end, texts(browser, "#problem")
    browser.find_element("css selector", '#inquiry [aria-busy="false"]')
    assert texts(browser, "#inquiry p.answer strong") == ["2014-02-26"]


def test_a_passage_in_its_page_and_fewer_passages(
    browser: Any, open_page: Open, tmp_path: Path
) -> None:
    open_page()
    file = tmp_path / "bridges.html"
    file.write_text(PAGE.replace("</p>", "</p><script>document.title = 'mine'</script>"))
    other = tmp_path / "other.html"
    other.write_text("<title>Tunnels</title><p>The Ostrava Tunnel is long, and dark in winter.</p>")
    click(browser, "#ask details summary")
    files = browser.find_element("css selector", "#ask [name=files]")
    files.send_keys(f"{file}\n{other}")
    browser.find_element("css selector", "#ask [name=task] option[value='1']").click()
    ask(browser, BRIDGE)
    [answer] = texts(browser, "#inquiry p.answer strong")
    assert answer == "Edda Lorne" and answer in texts(browser, "#passages mark")
    click(browser, "#passages .in-page")
    assert texts(browser, "#page h2") == ["Bridges"]
    assert "1931" in texts(browser, "#page .passage")[0]
    assert texts(browser, "#page .passage mark") == [answer]
    click(browser, "#page button")
    for passage in browser.find_elements("css selector", "#passages ol > li"):
        if answer in passage.text:
            passage.find_element("css selector", "input").click()
    click(browser, "#passages .actions button")
    first, changed = texts(browser, "#passages .beside pre")
    assert first == answer != changed
    assert browser.title == "Ask offline"  # no script of the page ran


HOSTILE = "<img src=x onerror=\"document.title='mine'\">"


def test_markup_in_questions_pages_and_kg_values_is_shown_as_text(
    browser: Any, open_page: Open, tmp_path: Path
) -> None:
    kg = tmp_path / "kg"
    shutil.copytree(ROOT / "example_data" / "kg", kg)
    movies = kg / "movies.jsonl"
    movies.write_text(movies.read_text().replace("James Cameron", json.dumps(HOSTILE)[1:-1]))
    open_page(Settings(system="offline", api_url=f"file:{kg}"))
    ask(browser, "who directed titanic?")
    assert texts(browser, "#inquiry p.answer strong") == [HOSTILE]
    ask(browser, f"{HOSTILE} who is it?")
    assert texts(browser, "#inquiry h2") == [f"{HOSTILE} who is it?"]
    page = f"<title>Bridges</title><p>The Brackwater Bridge: {html.escape(HOSTILE)} opened it.</p>"
    click(browser, "#ask details summary")
    browser.find_element("css selector", "#ask [name=html]").send_keys(page)
    ask(browser, BRIDGE)
    assert HOSTILE in texts(browser, "#passages pre")[0]
    click(browser, "#passages .in-page")
    assert HOSTILE in texts(browser, "#page pre")[0]
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    assert browser.title == "Ask offline"


def test_markup_that_reaches_the_page_runs_nothing(browser: Any, open_page: Open) -> None:
    open_page()
    browser.execute_script("document.getElementById('inquiry').innerHTML = arguments[0]", HOSTILE)
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    assert browser.title == "Ask offline"
    messages = [each["message"] for each in browser.get_log("browser")]
    assert any("Content Security Policy" in message for message in messages)


def test_keep_a_case_and_evaluate_it(browser: Any, open_page: Open, tmp_path: Path) -> None:
    open_page()
    ask(browser, HOTEL)
    answer = browser.find_element("css selector", ".keep [name=right]")
    answer.clear()
    answer.send_keys("february 26, 2014")
    click(browser, ".keep > button")
    assert "Kept." in texts(browser, ".keep [role=status]")[0]
    [command] = texts(browser, ".keep code")
    arguments = shlex.split(command)[2:]  # of crag eval
    assert local_evaluation.main([*arguments, "--out", str(tmp_path / "run")]) == 0
    [case] = read_results(tmp_path / "run").values()
    assert case.golds == ("february 26, 2014",) and case.verdict == "correct"


def test_a_file_is_read_in_its_own_encoding(browser: Any, open_page: Open, tmp_path: Path) -> None:
    open_page()
    page = PAGE.replace("<head>", '<head><meta charset="iso-8859-1">').replace("Edda", "Jørn")
    file = tmp_path / "bridges.html"
    file.write_text(page, encoding="iso-8859-1")
    click(browser, "#ask details summary")
    browser.find_element("css selector", "#ask [name=files]").send_keys(str(file))
    browser.find_element("css selector", "#ask [name=task] option[value='1']").click()
    ask(browser, BRIDGE)
    assert texts(browser, "#inquiry p.answer strong") == ["Jørn Lorne"]


def test_an_example_is_asked_by_the_chosen_web_path_and_back_leaves_it(
    browser: Any, open_page: Open
) -> None:
    address = open_page()
    preset = browser.find_element("css selector", "#ask [name=preset]")
    preset.send_keys("bumblebee7")
    browser.find_element("css selector", ".examples button").click()
    browser.find_element("css selector", '#inquiry [aria-busy="false"]')
    assert preset.get_property("value") == "bumblebee7"
    browser.back()
    browser.find_element("css selector", "#inquiry:empty")
    assert browser.current_url == f"{address}/"


def test_a_new_question_begins_without_the_pages_of_an_example(
    browser: Any, open_page: Open
) -> None:
    open_page()
    browser.find_element("css selector", ".examples button").click()
    browser.find_element("css selector", '#inquiry [aria-busy="false"]')
    assert texts(browser, "#row-pages label")
    click(browser, "#ask .clear")
    assert browser.find_elements("css selector", "#row-pages:empty")
    assert browser.find_element("css selector", "#ask [name=time]").get_attribute("value") == ""


def test_a_program_of_ones_own(browser: Any, open_page: Open) -> None:
    open_page()
    ask(browser, "who is nobody at all?")
    click(browser, "#own-program > summary")
    area = browser.find_element("css selector", "#own-program textarea.code")
    area.send_keys('get_movie("titanic")["release_date"]')
    click(browser, "#own-program .editor > button")
    assert "1997" in texts(browser, "#own-program pre.made")[0]


def test_a_run_is_filtered_opened_by_its_link_and_labelled(
    browser: Any, open_page: Open, tmp_path: Path
) -> None:
    steps = [[Step("parse", {"program": f"get({n})"})] for n in range(2)]
    results = [result(0), result(1, slices={"domain": "sports"})]
    run = write_run(tmp_path / "run", results, steps)
    address = open_page(run=run)
    browser.find_element("css selector", "#filters [name=domain]").send_keys("sports")
    assert texts(browser, "#table tbody .query") == ["who is 1?"]
    load(browser, f"{address}/#inquiry=forgotten&domain=sports")
    browser.get_log("browser")  # the status 404
    click(browser, "#filters button")
    assert browser.current_url == f"{address}/#inquiry=forgotten"
    browser.get_log("browser")
    load(browser, f"{address}/#q=q1&domain=sports")
    assert texts(browser, "#detail h2") == ["who is 1?"]
    assert texts(browser, "#detail pre")[0] == "get(1)"
    browser.find_element("css selector", "#detail [name=label]").send_keys("wrong")
    browser.find_element("css selector", "#detail [name=note]").send_keys("another Ann")
    click(browser, "#detail .editor .actions button")
    browser.find_element("xpath", "//p[text()='Saved in labels.jsonl of the run.']")
    assert "By hand wrong another Ann" in texts(browser, "#detail .outcome .note")
    [label] = read_labels(run).values()
    assert (label.id, label.verdict, label.note) == ("q1", "wrong", "another Ann")


def test_a_question_of_a_run_is_asked_again(browser: Any, open_page: Open, tmp_path: Path) -> None:
    example = playground().examples[0]
    old = result(0, id=example.id, query=example.query, prediction="1999")
    open_page(run=write_run(tmp_path / "run", [old], [[Step("parse")]]), state=f"/#q={example.id}")
    click(browser, "#detail .editor .actions button:nth-of-type(2)")
    browser.find_element("css selector", '#inquiry [aria-busy="false"]')
    assert texts(browser, "#inquiry p.answer") == ["correct 2014-02-26 confidence 0.97"]
    assert len(texts(browser, "#row-pages label")) == 5


def test_a_question_is_exported_as_one_file_without_scripts(
    browser: Any, open_page: Open, tmp_path: Path
) -> None:
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    open_page()
    ask(browser, HOTEL)
    click(browser, "#own-program > summary")
    area = browser.find_element("css selector", "#own-program textarea.code")
    area.send_keys('get_movie("titanic")["release_date"]')
    click(browser, "#own-program .editor > button")
    assert "1997" in texts(browser, "#own-program pre.made")[0]
    browser.find_element("xpath", "//button[text()='Export as one file']").click()
    end = time.monotonic() + 20
    while not (files := list(tmp_path.glob("question-*.html"))):
        assert time.monotonic() < end
        time.sleep(0.05)
    exported = files[0].read_text()
    assert "2014-02-26" in exported and "<script" not in exported and "<button" not in exported
    browser.get(files[0].as_uri())
    assert texts(browser, "h2") == [HOTEL] and browser.title == HOTEL
    assert 'get_movie("titanic")["release_date"]' in texts(browser, "#own-program pre")


def test_a_prompt_is_changed_and_run_again(browser: Any, open_page: Open) -> None:
    with fake_server(says("movie"), says("None"), says("2014"), says("music")) as server:
        llm = LLMSettings(f"openai:{server.url}#base", {"topics": "lora"})
        open_page(Settings(system="db3", llms={"default": llm}, options={"kg_in_web": False}))
        ask(browser, HOTEL)
        [number] = [
            number
            for number, title in enumerate(texts(browser, "#inquiry h3"))
            if title.startswith("route")
        ]
        click(browser, f"#step-{number} .change")
        area = browser.find_elements("css selector", f"#step-{number} textarea")[-1]
        assert HOTEL in area.get_property("value")
        area.clear()
        area.send_keys("Which topic?")
        editor = browser.find_element("css selector", f"#step-{number} .editor")
        editor.find_element("css selector", "[name=adapter] option[value=topics]").click()
        for title, value in (("temperature", "0.5"), ("most tokens", "9")):
            number_input = editor.find_element(
                "xpath", f".//label[starts-with(., '{title}')]/input"
            )
            number_input.clear()
            number_input.send_keys(value)
        click(browser, f"#step-{number} .editor > button")
        outputs = texts(browser, f"#step-{number} .beside pre")
        assert outputs[-1] == "music"
        assert texts(browser, f"#step-{number} .beside ins") == ["music"]
        sent = server.bodies[-1]
        assert sent["messages"][-1]["content"] == "Which topic?"
        assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("lora", 0.5, 9)


def test_a_server_that_dies_shows_as_a_failure(browser: Any, open_page: Open) -> None:
    with fake_server(breaks_off("mov")) as server:
        llm = f"openai:{server.url}#base"
        open_page(Settings(system="db3", llm=llm, seconds_per_question=4.0))
        ask(browser, HOTEL)
    assert any("route" in text for text in texts(browser, "#inquiry .failure"))
    assert texts(browser, "#inquiry p.answer strong") == ["i don't know"]


def test_steps_appear_while_others_run_and_stay_as_they_are(browser: Any, open_page: Open) -> None:
    next_step = threading.Event()

    def reply(handler: Any, body: dict[str, Any]) -> None:
        is_first_step = body["messages"] == handler.server.bodies[0]["messages"]
        if not is_first_step:
            next_step.wait(20)
        says("Ann")(handler, body)

    with fake_server(reply) as server:
        open_page(Settings(system="dragonrangers", llm=f"openai:{server.url}#base"))
        area = browser.find_element("css selector", "#ask [name=question]")
        area.send_keys(HOTEL, ENTER)
        click(browser, "#step-0 summary")  # its prompt
        assert texts(browser, "#step-0 h3")[0].startswith("answer alone")
        assert browser.find_elements("css selector", '#inquiry [aria-busy="true"]')
        steps = len(texts(browser, "#inquiry h3"))
        next_step.set()
        browser.find_element("css selector", f"#step-{steps}")
        browser.find_element("css selector", '#inquiry [aria-busy="false"]')
        assert browser.find_elements("css selector", "#step-0 details[open]")


def test_passages_are_read_in_the_order_of_the_page(browser: Any, open_page: Open) -> None:
    with fake_server(says("Edda Lorne")) as server:
        open_page(Settings(system="bumblebee7", llm=f"openai:{server.url}#base"))
        click(browser, "#ask details summary")
        pages = browser.find_element("css selector", "#ask [name=html]")
        text = "The Brackwater Bridge was opened by Edda Lorne. " * 9
        pages.send_keys(f"<title>Bridges</title><h1>First</h1><p>{text}<h1>Second</h1><p>{text}")
        browser.find_element("css selector", "#ask [name=task] option[value='1']").click()
        ask(browser, BRIDGE)
        before = [server.bodies[-1]["messages"][-1]["content"]]
        assert len(texts(browser, "#passages ol > li")) > 1, before
        click(browser, "#passages [aria-label=Later]")
        click(browser, "#passages .actions button")
        browser.find_element("css selector", "#passages .beside")
        after = server.bodies[-1]["messages"][-1]["content"]
    assert after.index("Second") < after.index("First")


def test_a_playground_that_stops_while_it_answers_shows_as_a_failure(
    browser: Any, tmp_path: Path
) -> None:
    with fake_server(hangs()) as llm:
        settings = Settings(system="db3", llm=f"openai:{llm.url}#base")
        with served(make_app(playground(settings), tmp_path / "cases.jsonl")) as address:
            load(browser, address)
            area = browser.find_element("css selector", "#ask [name=question]")
            area.send_keys(HOTEL, ENTER)
            browser.find_element("xpath", f"//h2[text()='{HOTEL}']")
        assert "the server stopped while it answered" in texts(browser, "#inquiry .failure")[0]
    assert browser.find_elements("css selector", '#inquiry [aria-busy="false"]')
    browser.get("about:blank")
    browser.get_log("browser")  # the connection that ended


def test_a_question_that_is_forgotten_shows_as_a_failure(browser: Any, open_page: Open) -> None:
    address = open_page()
    load(browser, f"{address}/#inquiry=forgotten")
    assert "does not know this question" in texts(browser, "#inquiry .failure")[0]
    browser.get_log("browser")  # the status 404


def test_by_keyboard_on_a_narrow_dark_screen(browser: Any, open_page: Open) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    try:
        open_page()
        active = browser.switch_to.active_element
        active.send_keys(HOTEL, ENTER)  # the question has the focus
        browser.find_element("css selector", '#inquiry [aria-busy="false"]')
        assert browser.execute_script("return document.documentElement.scrollWidth") == 390
        top = "return document.querySelector('#inquiry p.answer').getBoundingClientRect().top"
        assert 0 <= browser.execute_script(top) < 600  # the page has gone to the answer
        colour = browser.execute_script("return getComputedStyle(document.body).color")
        assert min(map(int, re.findall(r"\d+", colour)[:3])) > 150  # light on dark
        tab_to(browser, "#step-0 .change")
        browser.switch_to.active_element.send_keys(ENTER)
        tab_to(browser, "#step-0 textarea")
        browser.switch_to.active_element.send_keys(" ALL get_m", DOWN, ESCAPE)
        tab_to(browser, "#step-0 .editor > button")
        browser.switch_to.active_element.send_keys(ENTER)
        assert texts(browser, "#step-0 .problem")
        assert browser.execute_script("return document.activeElement.matches('textarea')")
        tab_to(browser, "#step-0 .editor > button")
        browser.execute_script(
            "document.querySelector('#step-0 textarea').value = arguments[0]", PROGRAM
        )
        browser.switch_to.active_element.send_keys(ENTER)
        assert texts(browser, "#step-0 .beside")
        assert browser.switch_to.active_element.text == "Run again"
        assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def tab_to(driver: Any, selector: str) -> None:
    """Press Tab until the element has the focus."""
    end = time.monotonic() + 20
    while not driver.execute_script(
        "return document.activeElement.matches(arguments[0])", selector
    ):
        assert time.monotonic() < end, f"Tab does not reach {selector}"
        driver.switch_to.active_element.send_keys(TAB)
