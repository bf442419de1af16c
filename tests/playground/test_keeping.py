"""Verdicts and cases that are kept are what the command line reads."""

import json
import shlex
from pathlib import Path

import local_evaluation
from evaluation.dataset import UNKNOWN, read_examples
from evaluation.finished_run import read_run
from evaluation.labels import read_labels
from evaluation.run_folder import read_results
from models.runtime.trace import Step
from tests.evaluation.run_files import result, write_run
from tests.playground.client import ask, client, error_of, events, playground
from tests.playground.test_asking import BRIDGE, PAGE


def test_a_case_is_evaluated_by_the_command_line(tmp_path: Path) -> None:
    browser = client(tmp_path)
    id = ask(browser, BRIDGE, task=1, pages=[{"name": "bridges.html", "html": PAGE}])
    events(browser, id)
    blank = browser.post(f"/api/inquiries/{id}/case", json={"answer": " "})
    assert blank.status_code == 400 and "answer" in error_of(blank)
    cases = tmp_path / "cases.jsonl"
    complete = {"interaction_id": "a", "query": "who?", "answer": "Ann"}
    cases.write_text(json.dumps(complete))  # without an end of the line
    right = {"answer": "Edda Lorne", "domain": "open"}
    assert browser.post(f"/api/inquiries/{id}/case", json=right).status_code == 200
    again = browser.post(f"/api/inquiries/{id}/case", json=right)
    assert again.status_code == 400 and "it is kept already" in error_of(again)
    first, case = read_examples(cases)
    assert first.query == "who?"
    assert case.query == BRIDGE and case.golds == ("Edda Lorne",) and case.domain == "open"
    id = ask(browser)  # of the KG
    events(browser, id)
    reply = browser.post(f"/api/inquiries/{id}/case", json={"answer": "february 26, 2014"})
    crag, command, *arguments = shlex.split(reply.json()["command"])
    assert (crag, command) == ("crag", "eval")
    assert local_evaluation.main([*arguments, "--out", str(tmp_path / "run")]) == 0
    verdicts = [answer.verdict for answer in read_results(tmp_path / "run").values()]
    assert verdicts[1:] == ["correct", "correct"]


def test_a_question_of_the_dataset_keeps_its_other_answers_and_its_slices(tmp_path: Path) -> None:
    browser = client(tmp_path)
    example = playground().examples[0]
    for answer in (example.golds[0], "another day"):
        id = ask(browser, example.query, row=example.id)
        events(browser, id)
        reply = browser.post(f"/api/inquiries/{id}/case", json={"answer": answer})
        assert reply.status_code == 200
    same, other = read_examples(tmp_path / "cases.jsonl")
    assert same.golds == example.golds and len(same.golds) > 1
    assert other.golds == ("another day",)
    assert same.question_type == example.question_type != UNKNOWN


def test_the_command_asks_as_the_question_was_asked(tmp_path: Path) -> None:
    browser = client(tmp_path)
    page = {"name": "bridges.html", "html": PAGE}
    id = ask(browser, BRIDGE, task=1, preset="bumblebee7", pages=[page])
    events(browser, id)
    reply = browser.post(f"/api/inquiries/{id}/case", json={"answer": "Edda Lorne"})
    assert "--task 1 --web bumblebee7" in reply.json()["command"]


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    browser = client(tmp_path)
    id = ask(browser)
    events(browser, id)
    (tmp_path / "cases.jsonl").write_text('{"torn')
    assert browser.post(f"/api/inquiries/{id}/case", json={"answer": "2014"}).status_code == 200
    [case] = read_examples(tmp_path / "cases.jsonl")
    assert case.golds == ("2014",)


def test_a_verdict_replaces_the_one_before(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [result(0), result(1)], [[Step("a")], [Step("b")]])
    browser = client(tmp_path, run=read_run(folder))
    assert browser.get("/api/run/traces/q1").json()[0]["name"] == "b"
    for verdict in ("correct", "wrong"):
        body = {"id": "q1", "verdict": verdict, "note": "not her"}
        assert browser.post("/api/run/labels", json=body).status_code == 200
    assert '"note":"not her"' in browser.get("/").text  # the page that is loaded again
    [label] = read_labels(folder).values()
    assert (label.verdict, label.prediction, label.note) == ("wrong", "Ann", "not her")
    unknown = browser.post("/api/run/labels", json={"id": "../q1", "verdict": "wrong"})
    assert unknown.status_code == 404
    assert error_of(unknown) == "the run has no question '../q1'"
    unscored = browser.post("/api/run/labels", json={"id": "q1", "verdict": "unscored"})
    assert unscored.status_code == 400
