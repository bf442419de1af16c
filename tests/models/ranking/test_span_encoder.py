"""The encoder that finds answers: odd questions and texts, and files that are missing."""

import shutil
from pathlib import Path

import pytest

from models.ranking.pair_tokens import MAX_TOKENS, PairTokenizer
from models.ranking.span_encoder import ENCODER, TOKENIZER, SpanEncoder, shipped_encoder
from tests.models.kg.cases import SOON
from utils.deadline import Deadline
from utils.model_files import WeightsError

TEXT = "The tower was built by Ann Lee in 1881."


@pytest.mark.parametrize(
    "question", ["", "who built it?", "?!" * 300, "7" * 600, "誰" * 240, "who built it? " * 100]
)
@pytest.mark.parametrize("text", ["", TEXT, TEXT * 40])
def test_any_question_and_text_can_be_read(question: str, text: str) -> None:
    (logits,) = shipped_encoder().read(question, [text], SOON)
    assert logits is not None
    assert len(logits.begins) == len(logits.ends) == len(logits.pair.offsets)
    assert len(logits.pair.ids) <= MAX_TOKENS


def test_nothing_is_read_when_time_is_over() -> None:
    assert shipped_encoder().read("who built it?", [TEXT], Deadline.after(0)) == [None]


@pytest.mark.parametrize("missing", ["reader.onnx", "reader-2.bin", TOKENIZER])
def test_an_encoder_needs_all_of_its_files(tmp_path: Path, missing: str) -> None:
    folder = tmp_path / "encoder"
    shutil.copytree(ENCODER, folder)
    (folder / missing).unlink()
    with pytest.raises(WeightsError, match="cannot be read"):
        SpanEncoder(folder)


def test_the_tokens_of_a_span() -> None:
    tokenizer = PairTokenizer(ENCODER / TOKENIZER)
    (short, long) = tokenizer.pairs("who built it?", ["by Ann Lee\u200e", TEXT * 40])
    first, last = short.tokens_of(3, 11) or (0, 0)  # the last sign has no token
    start, end = short.offsets[first - short.first][0], short.offsets[last - short.first][1]
    assert "by Ann Lee"[start:end] == "Ann Lee"
    end = len(TEXT) * 40
    assert long.tokens_of(end - 5, end) is None  # cut off
    assert long.tokens_of(0, 3) is not None
