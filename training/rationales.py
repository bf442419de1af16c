"""Rationales for known answers, to tune a model that reasons in two steps (dragonrangers, §3.1).

An engine is given question and gold and writes "First, ... Second, ... The answer is ...". What has
another form, or comes to another answer, is left out; the paper does not say that it checks.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial

from evaluation.dataset import Example
from evaluation.judge.factory import make_judge
from evaluation.judge.protocol import Item
from models.llm.cache import Calls
from models.llm.factory import LLMs
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


Made = tuple[Outcome, Sample | None]  # of one question; a sample where its rationale is kept


def write_rationales(llms: LLMs, agrees: Agrees, examples: Sequence[Example]) -> list[Made]:
    """What became of each question. A sample, which `answer_alone` is tuned on, is the prompt as
    dragonrangers' first step asks it, and reasons whose answer `agrees` with the gold.

    Raises:
        JudgeError: the judge is down.
    """
    llm, adapter = llms.of(SUBTASK)
    template = prompt("write_rationale")
    shown = (_values(one) | {"gold": one.golds[0]} for one in examples if one.golds)
    prompts = [Prompt(template.render(v), adapter, max_tokens=_TOKENS) for v in shown]
    said = iter(llm.generate(prompts, deadline=Deadline.after(SECONDS)))
    return [
        _checked(one, next(said), agrees) if one.golds else (Outcome.NO_GOLD, None)
        for one in examples
    ]


def make_rationales(
    calls: Calls, settings: Settings, judge: str
) -> Callable[[list[Example]], list[Made]]:
    """With the engines of `settings`, and the judge that `judge` names."""
    agrees = Agrees(make_judge(judge, api_key=settings.judge_api_key))
    return partial(write_rationales, remembering(settings, calls), agrees)


def _checked(example: Example, said: Completion, agrees: Agrees) -> Made:
    if not said.finished:
        return Outcome.UNFINISHED, None
    text = " ".join(said.text.split())
    path = read_path(text)
    if path is None:
        return Outcome.FORM, None
    id, query, golds = example.id, example.query, example.golds
    if not agrees(Item(id, query, golds, path.answer)):
        return Outcome.ANSWER, None
    turns = turns_of(load_prompt("dragonrangers/answer_alone").render(_values(example)))
    return Outcome.KEPT, Sample(id, turns, text, "rationale", query, golds)


def _values(example: Example) -> dict[str, str]:
    question = question_of(example, Task.WEB)
    return {"question": question.text, "query_time": question.asked_when}
