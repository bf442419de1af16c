"""`crag training reader` on a tiny encoder: tuned, exported, calibrated, and read with."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.ranking.log_linear import read_model
from models.ranking.span_encoder import SpanEncoder
from models.records import Passage, Question, Task
from models.subtasks.answer_web import ExtractiveReader
from models.web.page import PageText
from tests.evaluation.run_files import write_rows
from tests.models.kg.cases import SOON
from training.__main__ import main

pytestmark = pytest.mark.engine
for _name in ("torch", "transformers", "onnx", "sklearn", "tokenizers"):
    pytest.importorskip(_name, reason=f"{_name} is not installed: the extra train")

TOWNS = [first + second for first in ("Ash", "Bel", "Cor", "Dun", "Fen") for second in
         ("ham", "ford", "by", "ton", "wick", "mouth")]  # fmt: skip


def text_of(town: str, number: int) -> str:
    return f"the hotel of {town} has {number} rooms"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """An encoder with random weights and the words of the questions."""
    import tokenizers
    import torch
    import transformers

    words = "the hotel of has rooms how many does have ? . : ; year winner harbour cup".split()
    words += [town.lower() for town in TOWNS] + [str(number) for number in range(100, 140)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    ids = {word: number for number, word in enumerate(vocabulary)}
    tokenizer = tokenizers.BertWordPieceTokenizer(ids)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])],
    )
    folder = tmp_path / "base"
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts: list[dict[str, Any]] = []
    retrieved: list[dict[str, Any]] = []
    for number, town in enumerate(TOWNS, start=100):
        query = f"how many rooms does the hotel of {town.lower()} have ?"
        text = text_of(town, number)
        texts.append({"id": town, "query": query, "answers": [str(number)], "text": text})
        passages = [{"text": text}, {"text": "the hotel of has rooms"}]
        retrieved.append(
            {"interaction_id": town, "query": query, "answer": str(number), "passages": passages}
        )
    (tmp_path / "cup.html").write_text(
        "<title>harbour cup</title><table><tr><th>year</th><th>winner</th></tr>"
        "<tr><td>101</td><td>Ashham</td></tr><tr><td>102</td><td>Belby</td></tr></table>"
    )
    page = {"page_name": "harbour cup", "page_file": "cup.html"}
    row = {"interaction_id": "cup", "query": "who won the harbour cup of 102 ?", "answer": "Belby"}
    rows = [{**row, "gold_page": "cup.html", "search_results": [page]}]
    return [
        *("--texts", str(write_rows(tmp_path / "texts.jsonl", texts))),
        *("--retrieved", str(write_rows(tmp_path / "retrieved.jsonl", retrieved))),
        *("--pages", str(write_rows(tmp_path / "pages.jsonl", rows))),
    ]


def test_the_reader_is_made_of_questions(tmp_path: Path, base: Path, files: list[str]) -> None:
    out = tmp_path / "weights.json"
    folders = ["--base", str(base), "--runs", str(tmp_path / "runs")]
    folders += ["--encoder", str(tmp_path / "encoder"), "--out", str(out)]
    arguments = ["reader", *files, *folders, "--epochs", "6", "--most-wrong", "1"]
    assert main(arguments) == 0
    card = json.loads(out.read_text())["card"]
    assert set(card["cross_validation"]) == {"texts", "retrieved", "one text"}
    assert card["held_out"] == "0/5"
    tuned = (tmp_path / "runs" / "first" / "model.safetensors").stat().st_mtime_ns
    assert main(arguments) == 0  # goes on where it was: nothing is tuned again
    assert (tmp_path / "runs" / "first" / "model.safetensors").stat().st_mtime_ns == tuned

    reader = ExtractiveReader(SpanEncoder(tmp_path / "encoder"), read_model(out))
    text = text_of("Fenwick", 139)
    question = Question("q", "how many rooms does the hotel of fenwick have ?", None, Task.WEB)
    best = reader.choice(question, [Passage(text, 0, 0, len(text))], {0: PageText("", "")}, SOON)
    assert best is not None
    assert best.span.text in text
