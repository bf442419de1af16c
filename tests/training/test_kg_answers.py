"""Samples that teach when the KG's facts answer a question, and when they do not."""

from collections import defaultdict

import pytest

from evaluation.dataset import Example
from models.records import IDK, INVALID
from models.systems.db3 import Db3Options
from training.kg import Kg
from training.kg_answers import Context, KgAnswers
from training.records import Pair, Sample

QUERY_TIME = "03/10/2024, 08:03:32 PT"
QUESTIONS = {
    "who is older, brad pitt or leonardo dicaprio?": (
        'get_person("brad pitt")["birthday"]; get_person("leonardo dicaprio")["birthday"]',
        "brad pitt",
    ),
    "how long is inception?": ('get_movie("inception")["length"]', "148 minutes"),
    "how long is interstellar?": ('get_movie("interstellar")["length"]', "169 minutes"),
    "which of his films won brad pitt the best actor oscar?": (
        'get_movie_person_oscar(None, "brad pitt", eq(category, "best actor"))["movie_name"]',
        "invalid question",
    ),
}


@pytest.fixture(scope="module")
def samples(kg: Kg) -> dict[Context, list[Sample]]:
    pairs = []
    examples = {}
    for number, (question, (program, answer)) in enumerate(QUESTIONS.items()):
        id = str(number)
        pairs.append(Pair(id, "movie", question, QUERY_TIME, program, "real", "real", question))
        examples[id] = Example(id, question, QUERY_TIME, golds=(answer,))
    by_context: dict[Context, list[Sample]] = defaultdict(list)
    for seed in range(20):
        maker = KgAnswers(kg, Db3Options(prompt="short"), unknown=1.0, seed=seed)
        for sample in maker.samples(pairs, examples):
            by_context[Context(sample.note)].append(sample)
    return by_context


def test_the_facts_of_the_right_program_teach_the_answer(
    samples: dict[Context, list[Sample]],
) -> None:
    right = {sample.question: sample for sample in samples[Context.RIGHT]}
    length = right["how long is inception?"]
    assert length.answer == "148 minutes"
    assert length.turns[1][1].startswith("The length of Inception")
    assert length.turns[1][1].endswith("how long is inception?")
    for question, sample in right.items():
        assert sample.answer == QUESTIONS[question][1]
        assert sample.golds == (sample.answer,)


def test_other_facts_and_none_teach_not_to_know(samples: dict[Context, list[Sample]]) -> None:
    right_facts = {sample.turns for sample in samples[Context.RIGHT]}
    for context in set(Context) - {Context.RIGHT}:
        assert samples[context], f"no sample has {context}"
        for sample in samples[context]:
            assert sample.answer == IDK
            assert sample.golds == (IDK,)
            assert sample.turns not in right_facts


def test_some_of_the_facts_are_one_side_of_a_comparison(
    samples: dict[Context, list[Sample]],
) -> None:
    for sample in samples[Context.PARTIAL]:
        assert "Brad Pitt" in sample.turns[1][1]
        assert "Leonardo" not in sample.turns[1][1]


def test_a_false_premise_is_called_invalid(samples: dict[Context, list[Sample]]) -> None:
    answers = {sample.question: sample.answer for sample in samples[Context.RIGHT]}
    premise = "which of his films won brad pitt the best actor oscar?"
    assert answers[premise] == INVALID
