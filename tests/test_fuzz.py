"""Random inputs: whatever comes from outside ends in a value or a `CragError`.

Every run of the tests has a few of each kind; `make fuzz` runs ten thousand.
"""

import bz2
import json
import pickle
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle, islice, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item
from evaluation.judge.rules import judge_item
from mock_api.import_file import reading
from mock_api.local import LocalClient
from mock_api.safe_pickle import read_pickle
from models.batch_input import read_query_time
from models.kg.execution.fetch.wikitext import plain
from models.kg.parsing.semantic_parser import SemanticParser
from models.kg.run import run
from models.llm.replies import readable, without_thoughts
from models.records import Page
from models.settings import Settings, load_settings
from models.systems.bumblebee7.references import read_references
from models.user_model import UserModel
from models.web.chunking import SentenceChunker
from models.web.extractors import make_reader
from models.web.settings import Extraction, WebSettings
from tests.evaluation.run_files import tar_of
from utils.crag_api import ApiCall
from utils.deadline import Deadline
from utils.errors import CragError

EXAMPLES = Path(__file__).resolve().parent.parent / "example_data"
ROWS = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text().splitlines()]
HTML = [file.read_text() for file in sorted((EXAMPLES / "pages").glob("*.html"))]
NOW = read_query_time("03/10/2024, 23:19:21 PT")
PROGRAMS = (
    'ALL get_movie("Titanic")["release_date"]; sort(gt(revenue, 0), -revenue)["title"][:3]',
    'MAX get_stock_price("ACME", "2024-02-26", "2024-02-27")["high"]',
    'ALL get_nba_on_date("Denver Nuggets", "2023-01-11")["opponent"]',
)
WIKITEXT = (
    "{{birth date and age|1950|1|2|df=y}} [[London|city of London]]<ref name=a>x</ref>",
    "{{convert|3|km|mi}} {{plainlist|\n* [[A]]\n* {{nowrap|B}}\n}} <!-- c --> '''d'''",
)
REPLIES = (
    "<think>so</think> The answer is 12 [1][2].",
    '```json\n{"answer": "12", "sure": 0.5}\n```',
    "<|start_header_id|>assistant<|end_header_id|>yes<|eot_id|>",
)
PREDICTIONS = (
    "I don't know. Yes, no, not 2.5 or $1,000 (-1.4e999) million; between 5. and twice: 10%",
    "6'2\" in March 2024-13-45, 31/31/99, 1990s - 10th at 9:12:30 * invalid question nan ... ½",
    "who was the dozen ٣ ² Ⅷ 五 ﷽ ß ŉ İ €.5 é e\u0301 # [None] {inf} `\\ \t 1. Ann\n2. Bo",
)
SETTINGS = (
    'system = "db3"\nbatch_size = 8\n[web]\npreset = "db3"\n[options]\nkg = "baseline"\n',
    '[llms.default]\nspec = "openai:http://127.0.0.1:1/v1#m"\nconcurrency = 4\n',
)
ODD = st.sampled_from(("\0", "\ud800", "\u202e", "9" * 400, "<", "{{", "((", '"', "]", "\n", "🙂"))


def spliced(seeds: Sequence[str]) -> st.SearchStrategy[str]:
    """Pieces of the seeds and odd text, put together."""
    seed = st.sampled_from(seeds)
    start = st.integers(0, max(map(len, seeds)))
    length = st.integers(0, 400)
    piece = st.builds(lambda seed, start, length: seed[start : start + length], seed, start, length)
    any_text = st.one_of(piece, ODD, st.text(max_size=8))
    return st.lists(any_text, max_size=12).map("".join)


def damaged(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """A seed with some of its bytes replaced, and truncated."""

    def damage(seed: bytes, changes: list[tuple[float, int]], end: float) -> bytes:
        data = bytearray(seed)
        for place, value in changes:
            data[int(place * (len(data) - 1))] = value
        return bytes(data[: int(end * len(data)) + 1])

    share = st.floats(0, 1)
    changes = st.lists(st.tuples(share, st.integers(0, 255)), max_size=6)
    return st.builds(damage, st.sampled_from(seeds), changes, share | st.just(1.0))


def containers(members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Lists and dictionaries of `members`."""
    keys = st.text(max_size=6) | ODD
    return st.lists(members, max_size=4) | st.dictionaries(keys, members, max_size=4)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | ODD
VALUES = st.recursive(SCALARS, containers, max_leaves=10)
QUESTIONS = spliced([row["query"] for row in ROWS])
quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def kg() -> LocalClient:
    return LocalClient(EXAMPLES / "kg")


@pytest.fixture(scope="module")
def model() -> UserModel:
    return UserModel(Settings(api_url=None))


@quick
@given(html=spliced(HTML), way=st.sampled_from(Extraction))
def test_any_page_is_read_as_text(html: str, way: Extraction) -> None:
    extractors = (way, Extraction.SELECTOLAX)
    reader = make_reader(WebSettings(extractors=extractors, max_html_chars=300_000))
    text = reader.read(Page("name", "https://example.org", "", html), Counter())
    for chunk in SentenceChunker().chunk(text, 0):
        for start, end in chunk.children:
            assert 0 <= start <= end <= len(chunk.passage.text)


@quick
@given(query=QUESTIONS)
def test_any_question_is_parsed(kg: LocalClient, query: str) -> None:
    parsed = SemanticParser(kg).parse(query, NOW, Deadline.after(20))
    assert parsed.answer is None or parsed.answer.strip()


@quick
@given(
    queries=st.lists(QUESTIONS | VALUES, max_size=4),
    others=st.dictionaries(
        st.sampled_from(("interaction_id", "search_results", "query_time")), VALUES
    ),
)
def test_any_batch_gets_one_string_per_query(
    model: UserModel, queries: list[Any], others: dict[str, Any]
) -> None:
    answers = model.batch_generate_answer({**others, "query": queries})
    assert [type(answer) for answer in answers] == [str] * len(queries)


@quick
@given(text=spliced(PROGRAMS))
@example(text='get_movie("\ud800")["budget"]')
def test_any_program_has_a_result_or_an_error(kg: LocalClient, text: str) -> None:
    with suppress(CragError):
        run(text, kg, NOW, Deadline.after(20))


@quick
@given(program=st.sampled_from(PROGRAMS), bodies=st.lists(VALUES, min_size=1, max_size=4))
def test_any_response_of_the_kg_api_is_accepted(program: str, bodies: list[Any]) -> None:
    def call_many(calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        return list(islice(cycle(bodies), len(calls)))

    run(program, SimpleNamespace(call_many=call_many), NOW, Deadline.after(20))


@quick
@given(text=spliced(WIKITEXT))
def test_any_wikitext_is_read(text: str) -> None:
    plain(text)


@quick
@given(text=spliced(REPLIES))
def test_any_reply_of_an_llm_is_read(text: str) -> None:
    reply = readable(without_thoughts(text))
    cited = read_references(reply, (1, 2))
    assert set(cited.known) <= {1, 2}


@quick
@given(
    query=QUESTIONS | spliced(PREDICTIONS),
    golds=st.lists(spliced(PREDICTIONS), max_size=2),
    prediction=spliced(PREDICTIONS),
)
def test_any_prediction_is_judged(query: str, golds: list[str], prediction: str) -> None:
    assert judge_item(Item("1", query, tuple(golds), prediction)).reason


@quick
@given(
    text=spliced(SETTINGS),
    change=spliced(("web.preset=default", "seconds_per_question=3", "llms.default.spec=hf:x")),
)
@example(text="", change=f"llms.default.spec=hf:{'9' * 5000}")  # no file can have this name
def test_any_settings_are_read_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, text: str, change: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzzed.toml"
    file.write_text(text, "utf-8", "replace")
    with suppress(CragError):
        load_settings(file, {}, changes=[change])


LINES = "".join(json.dumps(row) + "\n" for row in ROWS[:3]).encode()
DATASETS = {
    ".jsonl": LINES,
    ".jsonl.bz2": bz2.compress(LINES),
    ".tar.bz2": bz2.compress(tar_of({"../rows.jsonl": LINES})),
}


@pytest.mark.parametrize("name", DATASETS)
@quick
@given(data=st.data())
def test_any_dataset_file_is_read_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    file = tmp_path_factory.getbasetemp() / f"fuzzed{name}"
    file.write_bytes(data.draw(damaged([DATASETS[name]])))
    with suppress(CragError):
        list(read_examples(file))


PICKLED_VALUES = ({"a": [1, 2.5, None]}, [("x", b"y")], {"set": {1, 2}})
PICKLES = [pickle.dumps(*pair) for pair in product(PICKLED_VALUES, (2, 4, 5))]


@quick
@given(content=damaged(PICKLES) | st.binary(max_size=60))
def test_any_pickle_is_read_or_an_error(content: bytes) -> None:
    with suppress(CragError), reading(Path("fuzzed.pickle")):
        read_pickle(content)
