"""Rationales for known answers, to tune a model that reasons in two steps (dragonrangers, §3.1).

An engine is given question and gold and writes "First, ... Second, ... The answer is ...". What has
another form, or comes to another answer, is left out; the paper does not say that it checks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from evaluation.dataset import Example
from evaluation.judge.make_judge import make_judge
from evaluation.judge.protocol import Item
from models.llm.cache import Calls
from models.llm.llms import LLMs
from models.llm.protocol import Completion, Prompt
from models.prompts import load_prompt
from models.records import Task
from models.settings import Settings
from models.systems.dragonrangers.paths import read_path
from training.engines import SECONDS, Agrees, remembering
from training.prompts import prompt
from training.records import Sample, question_of, turns_of
from utils.deadline import Deadline

SUBTASK = "write_rationale"  # for the settings
_TOKENS = 200


class Outcome(StrEnum):
    """What became of a rationale."""

    KEPT = "kept"
    FORM = "another form"
    ANSWER = "another answer"
    UNFINISHED = "unfinished"
    NO_GOLD = "no gold answer"


@dataclass(frozen=True, slots=True)
class Rationale:
    """What became of one question's rationale; a sample where it is kept."""

    outcome: Outcome
    sample: Sample | None = None


def write_rationales(llms: LLMs, agrees: Agrees, examples: Sequence[Example]) -> list[Rationale]:
    """What became of each question. A sample, which `answer_alone` is tuned on, is the prompt as
    dragonrangers' first step asks it, and reasons whose answer `agrees` with the gold.

    Raises:
        JudgeError: the judge is down.
    """
    llm, adapter = llms.of(SUBTASK)
    template = prompt("write_rationale")
    prompts = []
    for example in examples:
        if example.golds:
            messages = template.render({**_question_values(example), "gold": example.golds[0]})
            prompts.append(Prompt(messages, adapter, max_tokens=_TOKENS))
    completions = iter(llm.generate(prompts, deadline=Deadline.after(SECONDS)))
    rationales = []
    for example in examples:
        if example.golds:
            rationales.append(_checked(example, next(completions), agrees))
        else:
            rationales.append(Rationale(Outcome.NO_GOLD))
    return rationales


def make_rationales(
    calls: Calls, settings: Settings, judge: str
) -> Callable[[list[Example]], list[Rationale]]:
    """A function that writes the rationales of a batch.

    Args:
        calls: where the replies of the engines are kept.
        settings: name the engines.
        judge: its name.
    """
    agrees = Agrees(make_judge(judge, api_key=settings.judge_api_key))
    return partial(write_rationales, remembering(settings, calls, [SUBTASK]), agrees)


def _checked(example: Example, completion: Completion, agrees: Agrees) -> Rationale:
    if not completion.finished:
        return Rationale(Outcome.UNFINISHED)
    text = " ".join(completion.text.split())
    path = read_path(text)
    if path is None:
        return Rationale(Outcome.FORM)
    if not agrees(Item(example.id, example.query, example.golds, path.answer)):
        return Rationale(Outcome.ANSWER)
    messages = load_prompt("dragonrangers/answer_alone").render(_question_values(example))
    sample = Sample(
        id=example.id,
        turns=turns_of(messages),
        answer=text,
        note="rationale",
        question=example.query,
        golds=example.golds,
    )
    return Rationale(Outcome.KEPT, sample)


def _question_values(example: Example) -> dict[str, str]:
    """The values of a prompt's placeholders."""
    question = question_of(example, Task.WEB)
    return {"question": question.text, "query_time": question.asked_when}
