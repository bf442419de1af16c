"""Samples that teach when the KG's facts answer a question, and when they do not."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from evaluation.dataset import Example
from models.records import IDK, INVALID
from models.systems.db3 import Db3Options
from training.contexts import Context
from training.kg import Kg
from training.kg_answers import KgAnswers
from training.queries.real import ANNOTATED
from training.records import Pair, Sample

QUERY_TIME = "03/10/2024, 08:03:32 PT"
PREMISE = "which of his films won brad pitt the best actor oscar?"
QUESTIONS = {
    "who is older, brad pitt or leonardo dicaprio?": (
        'get_person("brad pitt")["birthday"]; get_person("leonardo dicaprio")["birthday"]',
        "brad pitt",
    ),
    "how long is inception?": ('get_movie("inception")["length"]', "148 minutes"),
    "how long is interstellar?": ('get_movie("interstellar")["length"]', "169 minutes"),
    PREMISE: (
        'get_movie_person_oscar(None, "brad pitt", eq(category, "best actor"))["movie_name"]',
        "invalid question",
    ),
}


ANSWERS = {question: answer for question, (_, answer) in QUESTIONS.items()}


def pair_of(question: str, program: str, source: str = "real", wording: str = "") -> Pair:
    return Pair(
        id=question,
        domain="movie",
        question=question,
        query_time=QUERY_TIME,
        program=program,
        source=source,
        intent="real",
        wording=wording or question,
    )


PAIRS = [pair_of(question, program) for question, (program, _) in QUESTIONS.items()]


def made_of(kg: Kg, pairs: list[Pair], answers: dict[str, str], **options: Any) -> list[Sample]:
    examples = {
        question: Example(question, question, QUERY_TIME, golds=(answer,))
        for question, answer in answers.items()
    }
    return list(KgAnswers(kg, Db3Options(prompt="short"), **options).samples(pairs, examples))


@pytest.fixture(scope="module")
def samples(kg: Kg) -> dict[Context, list[Sample]]:
    by_context: dict[Context, list[Sample]] = defaultdict(list)
    for seed in range(20):
        for sample in made_of(kg, PAIRS, ANSWERS, unknown=1.0, seed=seed):
            by_context[Context(sample.note)].append(sample)
    return by_context


def test_the_facts_of_the_right_program_teach_the_answer(
    samples: dict[Context, list[Sample]],
) -> None:
    right = {sample.question: sample for sample in samples[Context.CONTAINS]}
    length = right["how long is inception?"]
    assert length.answer == "148 minutes"
    assert length.turns[1][1].startswith("The length of Inception")
    assert length.turns[1][1].endswith("how long is inception?")
    for question, sample in right.items():
        assert sample.answer == ANSWERS[question]
        assert sample.golds == (sample.answer,)


def test_facts_against_the_premise_teach_that_the_question_is_invalid(
    samples: dict[Context, list[Sample]],
) -> None:
    contradicting = samples[Context.CONTRADICTS]
    assert {sample.question for sample in contradicting} == {PREMISE}
    assert {sample.answer for sample in contradicting} == {INVALID}


def test_other_facts_and_none_teach_not_to_know(samples: dict[Context, list[Sample]]) -> None:
    right_facts = {sample.turns for sample in samples[Context.CONTAINS]}
    for context in (Context.LACKS, Context.NAMESAKE, Context.EMPTY):
        assert samples[context], f"no sample {context}"
        for sample in samples[context]:
            assert sample.answer == IDK
            assert sample.golds == (IDK,)
            assert sample.turns not in right_facts


def test_some_facts_are_one_side_of_a_comparison(samples: dict[Context, list[Sample]]) -> None:
    older = [sample for sample in samples[Context.LACKS] if "older" in sample.question]
    facts = [sample.turns[1][1].partition("\nwho is older")[0] for sample in older]
    assert any("Brad Pitt" in text and "Leonardo" not in text for text in facts)


def test_a_namesake_has_the_most_similar_name(kg: Kg) -> None:
    lengths = {"inception": "148 minutes", "inception 2": "1 minute", "parasite": "133 minutes"}
    pairs = [pair_of(f"how long is {name}?", f'get_movie("{name}")["length"]') for name in lengths]
    (alike, *_) = pairs
    samples = made_of(kg, pairs, {alike.question: "148 minutes"}, unknown=3.0)
    notes = [sample.note for sample in samples]
    assert Context.NAMESAKE not in notes, "the film's own facts under another of its names"
    (_, _, other) = pairs
    samples = made_of(kg, [alike, other], {alike.question: "148 minutes"}, unknown=3.0)
    (namesake,) = [sample for sample in samples if sample.note == Context.NAMESAKE]
    assert "Parasite" in namesake.turns[1][1]


def test_as_many_contexts_as_asked_for_and_each_kind_once(kg: Kg) -> None:
    for unknown in (0.0, 3.0):
        samples = made_of(kg, PAIRS, ANSWERS, unknown=unknown)
        notes = [sample.note for sample in samples if sample.question == PAIRS[1].question]
        assert len(notes) == len(set(notes)) == 1 + unknown


def test_an_annotated_program_teaches_no_answer(kg: Kg) -> None:
    annotated = [replace(pair, source=ANNOTATED) for pair in PAIRS]
    samples = made_of(kg, annotated, ANSWERS, unknown=0.0)
    assert [sample.note for sample in samples] == [Context.CONTRADICTS]


def test_a_passage_has_the_facts_in_one_paragraph(kg: Kg) -> None:
    (sample, *_) = made_of(kg, PAIRS[:1], ANSWERS, subtask="answer_web", unknown=0.0)
    assert sample.subtask == "answer_web"
    facts, question = sample.turns[1][1].split("\n")
    assert "Brad Pitt" in facts and "Leonardo" in facts and question == sample.question


def test_what_is_held_out_shares_no_wording_and_no_name_with_the_rest(kg: Kg) -> None:
    maker = KgAnswers(kg, Db3Options(prompt="short"))
    program = 'get_movie("{}")["length"]'
    inception = pair_of("how long is inception?", program.format("inception"), wording="long")
    same_wording = pair_of("how long is parasite?", program.format("parasite"), wording="long")
    same_film = pair_of("length of Inception?", program.format("Inception"), wording="length")
    other = pair_of("length of Parasite?", program.format("Parasite"), wording="length")
    assert list(maker.apart([same_wording, same_film, other], [inception])) == [other]
