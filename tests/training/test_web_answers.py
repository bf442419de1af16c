"""Samples of web passages: what they hold decides the answer."""

import json
from pathlib import Path

from models.records import IDK, INVALID
from training.contexts import Context
from training.reading.questions import read_questions
from training.records import Sample
from training.web_answers import WebAnswers

FACTS = "Lantern Bay:\n:\nThe film Lantern Bay was directed by Ines Vidal."
NOISE = "Lantern Bay:\n:\nThe film Lantern Bay had its premiere in a tent."
OTHER = "Cinder Lake:\n:\nThe film Cinder Lake was directed by Otto Brandt."
ROWS = [
    {"query": "who directed lantern bay?", "answer": "Ines Vidal", "passages": [NOISE, FACTS]},
    {"query": "who directed cinder lake?", "answer": "Otto Brandt", "passages": [OTHER]},
    {"query": "was lantern bay shown in a tent?", "answer": "yes", "passages": [NOISE]},
    {"query": "who sang in cinder lake?", "answer": "invalid question", "passages": [OTHER]},
    {"query": "who paid for cinder lake?", "answer": "i don't know", "passages": [OTHER]},
    {"query": "who wrote lantern bay?", "answer": "Lea Roth", "passages": [FACTS]},
]


def samples(folder: Path, context_tokens: int = 300) -> dict[str, dict[Context, Sample]]:
    """The samples of all rows, by question and context, whatever is drawn by chance."""
    file = folder / "passages.jsonl"
    lines = []
    for number, row in enumerate(ROWS):
        passages = [{"text": text} for text in row["passages"]]
        lines.append(json.dumps({**row, "interaction_id": str(number), "passages": passages}))
    file.write_text("\n".join(lines))
    questions = list(read_questions(file))
    by_question: dict[str, dict[Context, Sample]] = {}
    for seed in range(12):
        for sample in WebAnswers(questions, context_tokens, seed).samples():
            by_question.setdefault(sample.question, {})[Context(sample.note)] = sample
    return by_question


def test_passages_with_the_answers_words_teach_it_and_those_without_not_to_know(
    tmp_path: Path,
) -> None:
    by_context = samples(tmp_path)["who directed lantern bay?"]
    assert by_context[Context.CONTAINS].answer == "Ines Vidal"
    assert "Ines Vidal" in by_context[Context.CONTAINS].turns[1][1]
    for context in (Context.LACKS, Context.NAMESAKE, Context.EMPTY):
        sample = by_context[context]
        assert (sample.answer, sample.golds) == (IDK, (IDK,))
        assert "Ines Vidal" not in sample.turns[1][1]
    assert "in a tent" in by_context[Context.LACKS].turns[1][1]
    similar = by_context[Context.NAMESAKE].turns[1][1]  # to "was lantern bay shown in a tent?"
    assert "in a tent" in similar and "directed by" not in similar
    assert "nothing was found" in by_context[Context.EMPTY].turns[1][1]
    for text in (NOISE, FACTS):  # of one page, each whole
        assert text.partition(":\n")[2] in by_context[Context.CONTAINS].turns[1][1]


def test_what_words_cannot_decide_gets_no_label_from_its_own_passages(tmp_path: Path) -> None:
    by_question = samples(tmp_path)
    assert by_question["was lantern bay shown in a tent?"].keys() == {Context.EMPTY}
    assert "who paid for cinder lake?" not in by_question
    assert Context.CONTAINS not in by_question["who wrote lantern bay?"]


def test_a_false_premise_is_an_invalid_question(tmp_path: Path) -> None:
    by_context = samples(tmp_path)["who sang in cinder lake?"]
    assert by_context[Context.CONTRADICTS].answer == INVALID


def test_passages_fit_the_prompt(tmp_path: Path) -> None:
    """There is room for 100 characters, and a passage has about 63."""
    by_context = samples(tmp_path, context_tokens=25)["was lantern bay shown in a tent?"]
    assert by_context.keys() == {Context.EMPTY}
    by_context = samples(tmp_path, context_tokens=25)["who wrote lantern bay?"]
    lacking = by_context[Context.LACKS].turns[1][1]
    assert "directed by Ines Vidal" in lacking
    by_context = samples(tmp_path, context_tokens=25)["who directed lantern bay?"]
    assert "Ines Vidal" in by_context[Context.CONTAINS].turns[1][1]
    assert "tent" not in by_context[Context.CONTAINS].turns[1][1]
