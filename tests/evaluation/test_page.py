"""report.html: what it holds, that no text can break out of it, and that it stays small."""

import base64
import gzip
import json
import random
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from evaluation.about import DATASET_PATH
from evaluation.finished_run import NOT_RECORDED, read_run
from evaluation.judge.protocol import Verdict
from evaluation.page.html import MOST_BYTES
from evaluation.page.report import curve, write_report_page
from evaluation.run_folder import write_json
from models.runtime.trace import Step
from tests.evaluation.run_files import result, write_run

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\u2028\ud800&amp;'\""


class Blocks:
    """The script blocks of a page by their ids, and the names of all elements."""

    def __init__(self, page: Path) -> None:
        self.text = page.read_text(encoding="utf-8")
        tree = BeautifulSoup(self.text, "html.parser")
        self.tags = [element.name for element in tree(True)]
        self.scripts = {script.get("id", "main"): script.string for script in tree("script")}
        self.policy = tree("meta", {"http-equiv": "Content-Security-Policy"})[0]["content"]

    def data(self) -> dict[str, Any]:
        return dict(json.loads(self.scripts["data"]))

    def unpacked(self, name: str) -> Any:
        return json.loads(gzip.decompress(base64.b64decode(self.scripts[f"packed-{name}"])))


def hostile_run(folder: Path) -> Path:
    failure = dict.fromkeys(("kind", "step", "example"), HOSTILE)
    step = Step(
        name=HOSTILE,
        inputs={HOSTILE: HOSTILE, "passages": HOSTILE},
        output=HOSTILE,
        seconds=1.0,
        adapter=HOSTILE,
        tokens=3,
        confidence={HOSTILE: 0.5},
        llm=HOSTILE,
        prompt=HOSTILE,
    )
    bad = result(
        1,
        Verdict.WRONG,
        query=HOSTILE,
        prediction=HOSTILE,
        golds=(HOSTILE,),
        reason=HOSTILE,
        failures=(failure,),
        slices={"domain": HOSTILE, "question_type": HOSTILE},
    )
    write_run(folder, [bad, result(2)], [[step], []])
    write_json(folder / "about.json", {"command": HOSTILE, HOSTILE: HOSTILE})
    settings = {"system": HOSTILE, "dataset": HOSTILE}
    write_json(folder / "results.json", {"settings": settings, "notes": {HOSTILE: 1}})
    return folder


def test_the_page_does_not_say_where_the_dataset_lies(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [result(1)])
    write_json(folder / "about.json", {DATASET_PATH: "/home/ann/questions.jsonl"})
    page = Blocks(write_report_page(folder))
    assert DATASET_PATH not in page.data()["about"] and "/home/ann" not in page.text


def test_no_text_breaks_out_of_the_page(tmp_path: Path) -> None:
    plain = Blocks(write_report_page(write_run(tmp_path / "a", [result(1), result(2)])))
    bad = Blocks(write_report_page(hostile_run(tmp_path / "b")))
    assert bad.tags == plain.tags
    assert "alert(1)" not in re.sub(r"(?s)<title>.*?</title>|\\u003c[^<]*", "", bad.text)
    row = bad.unpacked("questions")[0]
    assert row["query"] == row["runs"][0]["answer"] == row["golds"][0] == HOSTILE
    assert bad.unpacked("traces-0")[0][0][0]["inputs"][HOSTILE] == HOSTILE


def test_the_policy_allows_its_own_script_and_style_and_no_network(tmp_path: Path) -> None:
    page = Blocks(write_report_page(write_run(tmp_path, [result(1)])))
    digest = base64.b64encode(sha256(page.scripts["main"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in page.policy
    assert page.policy.startswith("default-src 'none';") and "unsafe" not in page.policy
    assert set(re.findall(r"https?://[^\"' ]+", page.text)) == {"http://www.w3.org/2000/svg"}
    assert "innerHTML" not in page.text and "eval(" not in page.text


def test_large_traces_are_shortened_until_the_page_is_small(tmp_path: Path) -> None:
    draw = random.Random(1)
    count = 400
    steps = [[Step("web", {"passages": draw.randbytes(20_000).hex()}, "Ann")] for _ in range(count)]
    path = write_report_page(write_run(tmp_path, [result(n) for n in range(count)], steps))
    page = Blocks(path)
    assert path.stat().st_size < MOST_BYTES + (1 << 20)
    cut = page.data()["cut"]
    last = page.unpacked(f"traces-{count // page.data()['chunk'] - 1}")[-1][0][0]
    assert 0 < cut < 40_000
    begins = steps[-1][0].inputs["passages"][:cut]
    assert last["inputs"]["passages"] == f"{begins} … (40,000 characters)"


def test_a_run_without_traces_or_summary_has_a_page(tmp_path: Path) -> None:
    page = Blocks(write_report_page(write_run(tmp_path, [result(1)])))
    assert page.data()["title"] == "offline on some.jsonl"
    assert page.unpacked("questions")[0]["runs"][0]["source"] == NOT_RECORDED
    write_json(tmp_path / "about.json", {"commit": "abc", "gpus": 2})
    about = read_run(tmp_path).about
    assert about["commit"] == "abc"
    assert about["gpus"] == "2"
    assert about["machine"] == NOT_RECORDED


def test_the_curve_finds_the_threshold_of_the_best_score() -> None:
    verdicts = [Verdict.CORRECT, Verdict.CORRECT, Verdict.WRONG, Verdict.WRONG, Verdict.MISSING]
    results = [result(number, verdict) for number, verdict in enumerate(verdicts)]
    drawn = curve(results, {"q0": 0.9, "q1": 0.8, "q2": 0.7})  # q3 always stands
    assert drawn["points"] == [
        [0.9, 2 / 5, 1 / 2, 0.0],
        [0.8, 3 / 5, 1 / 3, 1 / 5],
        [0.7, 4 / 5, 2 / 4, 0.0],
    ]
    assert drawn["best"][0] == 0.8
    assert drawn["as_run"][0] == 0.7
    assert drawn["with_confidence"] == 3
    assert drawn["answered"] == 4


def test_confidences_sources_and_stages_come_from_the_traces(tmp_path: Path) -> None:
    features = {"coverage": 0.5, "from_web": 1.0, "about_movie": 1.0, "invalid": 0.0}
    web_step = Step("web", {}, "Ann", 1.5, confidence={"coverage": 0.5})
    confidence_step = Step("confidence", {"chance": "0.75"}, "Ann", confidence=features)
    idk_step = Step("web", {}, "i don't know", 0.5)
    steps = [[web_step, confidence_step], [idk_step]]
    write_run(tmp_path, [result(1), result(2, Verdict.MISSING)], steps)
    run = read_run(tmp_path)
    assert run.confidences() == {"chance": {"q1": 0.75}, "coverage": {"q1": 0.5}}
    assert run.source("q1") == "web"
    assert run.source("q2") == "no answer"
    figures = Blocks(write_report_page(tmp_path)).data()["figures"]
    assert list(figures["curves"]) == ["chance", "coverage"]
    assert figures["stages"][0] == {"name": "web", "calls": 2, "mean": 1.0, "sum": 2.0}
