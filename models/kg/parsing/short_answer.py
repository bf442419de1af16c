"""The short answer that a program's result is to a question, for programs that a model wrote.

The semantic parser knows for each of its programs how the results become an answer; for another
program the question's words must show it. In doubt there is no answer, and a model reads the
sentences instead.
"""

from collections.abc import Sequence
from datetime import datetime

from models.english.quantities import as_number
from models.english.question import QuestionText
from models.kg.execution.outcome import Outcome
from models.kg.lexicon.lexicon import lexicon
from models.kg.lexicon.types import QuestionOperator
from models.kg.parsing.answers.compared import Most
from models.kg.parsing.answers.composer import distinct, values_of
from models.kg.parsing.answers.value_lists import Count
from models.kg.parsing.text_spans import TextSpans
from models.kg.run import ProgramResult
from models.kg.schema.functions import Type
from models.kg.schema.operations import Reduce
from models.kg.wording.value_text import ANSWERS, key_value_text

_HOW_MANY = "how many"  # a form of questions (lexicon/general.toml)
_MOST_VALUES = 20  # of an answer
_EXTREMES = (QuestionOperator.MIN, QuestionOperator.MAX)


def short_answer(question: str, asked_at: datetime | None, result: ProgramResult) -> str | None:
    """The values that a program returned, their number, or the name of the greater of two.

    None if the question asks yes or no, the result has several other parts or many values, or a
    call failed.
    """
    outcomes = result.answering
    if result.errors:
        return None
    spans = TextSpans(QuestionText.of(question, asked_at), lexicon())
    if spans.form.polar:
        return None
    if len(outcomes) == 2 and spans.chooses:
        return _greater(outcomes, spans)
    if len(outcomes) != 1:
        return None
    (outcome,) = outcomes
    values = distinct(values_of([outcome]))
    asks_for_number = spans.form.name == _HOW_MANY or spans.places_of(QuestionOperator.COUNT)
    if asks_for_number and any(as_number(value) is None for value in values):
        return Count(text=len(values) == 1)([outcome])
    if not 0 < len(values) <= _MOST_VALUES:
        return None
    counts = outcome.step is not None and outcome.step.reduce is Reduce.LEN
    key = outcome.step.key if outcome.step and not counts else None
    return ", ".join(key_value_text(value, key, ANSWERS) for value in values)


def _greater(outcomes: Sequence[Outcome], spans: TextSpans) -> str | None:
    """The name of the thing with the greater value, or with the smaller one."""
    names = [next(iter(outcome.requested), "") for outcome in outcomes]
    operators = {_comparing_operator(outcome, spans) for outcome in outcomes}
    if not all(names) or len(operators) != 1:
        return None
    (operator,) = operators
    if operator is None:
        return None
    return Most(tuple(names), least=operator is QuestionOperator.MIN)(outcomes)


def _comparing_operator(outcome: Outcome, spans: TextSpans) -> QuestionOperator | None:
    """Whether the question asks for the greatest or the least value of the outcome's key.

    The key's own adjectives decide ("older" is the least date of birth), else "more", "fewest" and
    other words for any number. None if neither or both are asked for.
    """
    step = outcome.step
    if step is None or step.key is None or step.function is None:
        return None
    place = f"{step.function.domain}.{step.function.name}.{step.key.name}"
    operators = {
        adjective.operator
        for adjective in lexicon().adjectives
        if any(f".{place}".endswith(f".{key}") for key in adjective.keys)
        and spans.match.find(adjective.phrases)
    }
    if not operators and step.key.type is Type.NUMBER:
        operators = {operator for operator in _EXTREMES if spans.places_of(operator)}
    return next(iter(operators)) if len(operators) == 1 else None
