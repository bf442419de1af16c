"""Training the attribute predictor: by one command, out of fold, into a file of arrays."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from models.ranking.protocol import Floats
from models.records import Domain
from models.subtasks.attributes.svm import DOMAINS, read_predictor
from training.__main__ import main
from training.svm import Labelled, read_labelled, train, write
from utils.errors import InputError, SettingsError

TEMPLATES = {
    Domain.FINANCE: "what is the {} price of the stock of company {}?",
    Domain.MOVIE: "who directed the {} movie with actor {}?",
    Domain.MUSIC: "which {} album did singer {} record?",
    Domain.SPORTS: "how many {} goals did team {} score?",
    Domain.OPEN: "where does the {} river {} begin?",
}
WORDS = "red blue green white black grey pink gold brown amber teal rose".split()
DYNAMISMS = ("real-time", "fast-changing", "slow-changing", "static")


@dataclass
class Letters:
    """Embeds a text by how often it has an a, a b, a c and so on."""

    size: int = 3

    def embed(self, texts: Sequence[str]) -> Floats:
        letters = "abcdef"[: self.size]
        counts = [[text.count(letter) + 0.01 for letter in letters] for text in texts]
        rows = np.array(counts, dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, query: str) -> Floats:
        return self.embed([query])[0]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Questions in which the words tell the domain, and `now` that the answer is dynamic."""
    combinations = itertools.product(WORDS, TEMPLATES.items())
    rows: list[dict[str, str]] = []
    for (word, (domain, template)), dynamism in zip(
        combinations, itertools.cycle(DYNAMISMS), strict=False
    ):
        query = template.format(word, word[::-1])
        if dynamism in DYNAMISMS[:2]:
            query += " right now"
        rows.append({"query": query, "domain": domain, "static_or_dynamic": dynamism})
    rows += [{"query": "no label"}, rows[0]]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_each_labelled_question_is_read_once(data: Path) -> None:
    labelled = read_labelled(data)
    assert len(labelled.texts) == len(WORDS) * len(TEMPLATES)
    assert sum(labelled.dynamic) == len(labelled.texts) // 2


def test_a_class_with_too_few_questions_is_refused(data: Path) -> None:
    lines = data.read_text(encoding="utf-8").splitlines()
    without_music = [line for line in lines if '"music"' not in line]
    data.write_text("\n".join(without_music), encoding="utf-8")
    with pytest.raises(InputError, match="has 0 questions of music, and needs 10"):
        read_labelled(data)


def test_no_question_is_predicted_by_a_model_that_saw_it() -> None:
    """Labels at random over texts that share nothing cannot be told out of fold."""
    rng = np.random.default_rng(0)
    texts = tuple(chr(0x4E00 + number) * 3 for number in range(200))
    domains = tuple(rng.choice(DOMAINS, 200).tolist())
    accuracies = train(Labelled(texts, domains, tuple(rng.random(200) < 0.5))).accuracies
    assert accuracies["domain"].commonest - 0.1 < 0.3
    assert np.mean(accuracies["domain"].out_of_fold) < 0.35
    assert np.mean(accuracies["dynamic"].out_of_fold) < 0.65


@pytest.mark.parametrize("embedder", [None, Letters()])
def test_predictions_equal_those_of_scikit_learn(
    data: Path, tmp_path: Path, embedder: Letters | None
) -> None:
    labelled = read_labelled(data)
    trained = train(labelled, embedder)
    write(tmp_path / "a.npz", trained, {})
    if embedder is not None:  # in training it knows only the texts of the data
        trained.domain[0].set_params(embedding__func=embedder.embed)
        trained.dynamic[0].set_params(embedding__func=embedder.embed)
    texts = ["which lilac album is out right now?", "who directed it?", "aaa", "", *labelled.texts]
    predictions = read_predictor(tmp_path / "a.npz", embedder).predict(texts)
    domain_chances = trained.domain.predict_proba(texts)
    domain_sure = [prediction.domain_sure for prediction in predictions]
    assert domain_sure == pytest.approx(domain_chances.max(axis=1))
    best = [DOMAINS[place] for place in domain_chances.argmax(axis=1)]
    assert [prediction.domain for prediction in predictions] == best
    dynamic_chances = trained.dynamic.predict_proba(texts)[:, 1]
    assert [each.dynamic_chance for each in predictions] == pytest.approx(dynamic_chances)
    assert [each.dynamic for each in predictions] == (dynamic_chances > 0.5).tolist()


def test_weights_trained_with_an_embedder_need_it(data: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.npz", train(read_labelled(data), Letters()), {})
    with pytest.raises(SettingsError, match="none is given"):
        read_predictor(tmp_path / "a.npz")
    with pytest.raises(SettingsError, match="another dimension"):
        read_predictor(tmp_path / "a.npz", Letters(5)).predict(["x"])


def test_the_command_writes_a_file_that_predicts_and_prints_the_accuracies(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "attributes.npz"
    assert main(["svm", "--data", str(data), "--out", str(out)]) == 0
    assert capsys.readouterr().out.count("1.0000 out of fold") == 2
    question = "what is the lilac price of the stock of company x right now?"
    (prediction,) = read_predictor(out).predict([question])
    assert prediction.domain is Domain.FINANCE and prediction.dynamic
    card = json.loads(out.with_suffix(".card.json").read_text(encoding="utf-8"))
    assert card["questions"] == 60 and card["accuracy"]["domain"]["out_of_fold"] == [1.0] * 3
