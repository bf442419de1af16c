"""The adapters of this repository: small, described, and able to answer a question."""

from itertools import islice
from pathlib import Path

from evaluation.dataset import read_examples, to_batch
from mock_api.local import LocalClient
from models.llm.adapters import read_adapter
from models.llm.factory import LLMs
from models.records import IDK, Answer, Source, Task
from models.runtime.confidence_model import read_confidence
from models.settings import EXAMPLE_KG, ROOT, load_settings
from models.systems.db3 import Db3Options, Db3System
from models.user_model import UserModel
from models.web.retriever import Retriever
from tests.models.llm.test_llamacpp_server import Served
from tests.models.systems.scripted import ask, question
from utils.typed import read_record

FOLDER = ROOT / "adapters" / "smollm2"
SETTINGS = FOLDER / "settings.toml"
QUESTIONS = ROOT / "example_data" / "questions.jsonl"
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


def test_a_server_and_the_engine_in_this_process_answer_alike(smollm2: Path) -> None:
    """A grammar's programs end where the model ends them, on both."""
    names = list(load_settings(SETTINGS, {}).llms["default"].adapters)
    server_options = ["--context", "1024"]
    for name in names:
        server_options += ["--adapter", f"{name}={FOLDER / name}"]
    with Served.start("--port", "0", *server_options) as server:
        remote = [f"llms.default.spec=openai:{server.url}#smollm2"]
        for number, name in enumerate(names):
            remote.append(f"llms.default.adapters.{name}=lora:{number}")
        from_server = _answers(remote)
    answers = _answers(["llms.default.threads=1", "llms.default.slots=2"])
    assert from_server == answers
    assert sum(answer != IDK for answer in answers) >= 3


def _answers(changes: list[str]) -> list[str]:
    """What the adapters answer to four example questions, by one greedy program each."""
    changes = [*changes, "options.query_samples=1", "task=2", "seconds_per_question=120"]
    model = UserModel(load_settings(SETTINGS, {}, changes=changes, api_url=EXAMPLE_KG))
    return model.batch_generate_answer(to_batch(list(islice(read_examples(QUESTIONS), 3, 7))))
