"""Training the attribute predictor: by one command, out of fold, into a file of plain numbers."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from models.ranking.protocol import Floats
from models.records import Domain
from models.subtasks.attributes.svm import Dynamism, LinearPredictor, read_weights
from training.__main__ import main
from training.svm import Labelled, read_labelled, train
from utils.errors import InputError

TEMPLATES = {
    Domain.FINANCE: "what is the {} price of the stock of company {}?",
    Domain.MOVIE: "who directed the {} movie with actor {}?",
    Domain.MUSIC: "which {} album did singer {} record?",
    Domain.SPORTS: "how many {} goals did team {} score?",
    Domain.OPEN: "where does the {} river {} begin?",
}
WORDS = "red blue green white black grey pink gold brown amber teal rose".split()
LETTERS = str.maketrans("0123456789", "abcdefghij")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Questions in which the words tell the domain, and `now` that the answer is dynamic."""
    combinations = itertools.product(WORDS, TEMPLATES.items())
    dynamisms = itertools.cycle(Dynamism)
    rows: list[dict[str, str]] = []
    for (word, (domain, template)), dynamism in zip(combinations, dynamisms, strict=False):
        query = template.format(word, word[::-1])
        if dynamism.dynamic:
            query += " right now"
        rows.append({"query": query, "domain": domain, "static_or_dynamic": dynamism})
    rows += [{"query": "no label"}, rows[0]]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_each_labelled_question_is_read_once(data: Path) -> None:
    labelled = read_labelled(data)
    assert len(labelled.texts) == len(WORDS) * len(TEMPLATES)
    assert labelled.dynamic.sum() == len(labelled.texts) // 2
    train_texts = set(read_labelled(data, "train").texts)
    held_out_texts = set(read_labelled(data, "held_out").texts)
    assert train_texts and held_out_texts and train_texts.isdisjoint(held_out_texts)
    assert train_texts | held_out_texts == set(labelled.texts)


def test_too_few_labelled_questions_are_refused(data: Path) -> None:
    data.write_text('{"query": "who?"}\n')
    with pytest.raises(InputError, match="no row has a domain"):
        read_labelled(data)
    one = np.zeros(1, dtype=np.int64)
    with pytest.raises(InputError, match="1 questions cannot be checked in 5 folds"):
        train(Labelled(("who?",), one, one), None)


def test_no_question_is_predicted_by_a_model_that_saw_it() -> None:
    """Labels at random over texts that share nothing cannot be told out of fold."""
    rng = np.random.default_rng(0)
    texts = tuple(f"{rng.integers(10**9)}x".translate(LETTERS) for _ in range(200))
    data = Labelled(texts, rng.integers(0, 5, 200), rng.integers(0, 4, 200))
    weights, (run,) = train(data, None, folds=5, seeds=[0])
    assert run.domain < 0.5 and run.dynamic < 0.7
    predicted = LinearPredictor(weights).predict(texts)
    dynamic = [attributes.dynamic for attributes in predicted]
    assert np.mean(dynamic == data.dynamic) > 0.9


class LastWordEmbedder:
    """Embeds a text by its last word."""

    def embed(self, texts: Sequence[str]) -> Floats:
        places = [("song", "film").index(text.split()[-1]) for text in texts]
        return np.eye(2, dtype=np.float32)[places]


@pytest.mark.parametrize("embedder", [None, LastWordEmbedder()])
def test_a_class_that_is_not_there_is_never_predicted(embedder: LastWordEmbedder | None) -> None:
    songs = [f"{word} song" for word in WORDS]
    films = [f"{word} film" for word in WORDS]
    data = Labelled((*songs, *films), np.repeat([2, 1], len(WORDS)), np.full(24, 3))
    weights, (run,) = train(data, embedder, folds=2, seeds=[0])
    assert run.domain > 0.95
    assert weights.support.shape == (weights.kernel.shape[1], 2 if embedder else 0)
    predicted = LinearPredictor(weights, embedder).predict(["teal song", "teal film"])
    assert [attributes.domain for attributes in predicted] == [Domain.MUSIC, Domain.MOVIE]
    assert not any(attributes.dynamic for attributes in predicted)


def test_the_command_writes_a_file_that_predicts_and_prints_the_accuracies(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "attributes.npz"
    again = tmp_path / "again.npz"
    for file in (out, again):
        assert main(["svm", "--data", str(data), "--out", str(file)]) == 0
    assert capsys.readouterr().out.count("1.0000 out of fold") == 4
    weights, card = read_weights(out)
    assert np.array_equal(read_weights(again)[0].hashed, weights.hashed)
    assert (card["questions"], card["embedder"]) == (60, None)
    questions = ["what is the lilac price of the stock of company x right now?"]
    (attributes,) = LinearPredictor(weights).predict(questions)
    assert attributes.domain is Domain.FINANCE and attributes.dynamic
    assert "accuracy_domain" in out.with_suffix(".card.md").read_text(encoding="utf-8")
