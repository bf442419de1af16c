"""The adapters of this repository: small, described, and able to answer a question."""

from pathlib import Path

from mock_api.local import LocalClient
from models.llm.adapters import read_adapter
from models.llm.llms import LLMs
from models.records import Answer, Source, Task
from models.runtime.confidence_model import read_confidence
from models.settings import ROOT, load_settings
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.systems.scripted import ask, question
from utils.typed import read_record

FOLDER = ROOT / "adapters" / "smollm2"
SETTINGS = FOLDER / "settings.toml"
MOST_BYTES = 20_000_000


def test_the_adapters_are_small_and_have_their_cards() -> None:
    settings = load_settings(SETTINGS, {})
    adapters = settings.llms["default"].adapters
    assert {Path(path) for path in adapters.values()} == {
        FOLDER / "route",
        FOLDER / "write_query",
        FOLDER / "answer_kg",
    }
    sizes = [read_adapter(name, path).size for name, path in adapters.items()]
    assert sum(sizes) <= MOST_BYTES
    for path in adapters.values():
        assert '"done": true' in (Path(path) / "training.json").read_text("utf-8")
    assert read_confidence(
        load_settings(SETTINGS, {"CRAG_CONFIDENCE": f"{FOLDER}/confidence.json"})
    )


def test_they_fit_their_base_and_answer_a_question(smollm2: Path, example_kg: LocalClient) -> None:
    settings = load_settings(
        SETTINGS, {}, changes=["options.query_samples=1", "llms.default.threads=1"]
    )
    for name, path in settings.llms["default"].adapters.items():
        assert read_adapter(name, path, smollm2).base == "HuggingFaceTB/SmolLM2-135M-Instruct"
    llms = LLMs(settings.llms, settings.subtasks)
    options = read_record(Db3Options, settings.options, "options")
    system = Db3System(llms, example_kg, Retriever(), None, options)
    (outcome,) = ask(system, question("who directed titanic?", Task.KG_WEB, []))
    assert outcome.answer == Answer("James Cameron", Source.KG)
