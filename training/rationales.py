"""Rationales for known answers, to tune a model that reasons in two steps (dragonrangers, §3.1).

An engine is given question and gold and writes "First, ... Second, ... The answer is ...". What has
another form, or comes to another answer, is left out; the paper does not say that it checks.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from evaluation.dataset import Example
from evaluation.judge.protocol import Item, Judge
from models.batch import read_query_time
from models.llm.confidence import same_answer
from models.llm.factory import LLMs
from models.llm.protocol import Prompt
from models.prompts import load_prompt
from models.records import Question, Task
from models.systems.dragonrangers.paths import read_path
from training.engines import Agrees, generate
from training.prompts import prompt
from training.records import Sample, turns_of

SUBTASK = "write_rationale"  # for the settings
_TOKENS = 200


class Kept(StrEnum):
    """What became of a rationale."""

    KEPT = "kept"
    FORM = "another form"
    ANSWER = "another answer"
    UNFINISHED = "unfinished"
    NO_GOLD = "no gold answer"


def write_rationales(
    examples: Sequence[Example], llms: LLMs, judge: Judge
) -> tuple[list[Sample], Counter[Kept]]:
    """The samples that `answer_alone` is tuned on, and counts of what became of `examples`.

    A sample is the prompt as dragonrangers' first step asks it, and reasons that come to the gold.
    `judge` says whether an answer that is not the gold's own words agrees with it.

    Raises:
        JudgeError: the judge is down.
    """
    llm, adapter = llms.of(SUBTASK)
    asked = [example for example in examples if example.golds]
    template, learnt_from = prompt("write_rationale"), load_prompt("dragonrangers/answer_alone")
    prompts = [
        Prompt(template.render(_values(one) | {"gold": one.golds[0]}), adapter, max_tokens=_TOKENS)
        for one in asked
    ]
    counts = Counter({Kept.NO_GOLD: len(examples) - len(asked)})
    agrees = Agrees(judge)
    samples = []
    for example, said in zip(asked, generate(llm, prompts, "rationales"), strict=True):
        text = " ".join(said.text.split())
        kept = _check(example, text, agrees) if said.finished else Kept.UNFINISHED
        counts[kept] += 1
        if kept is Kept.KEPT:
            turns = turns_of(learnt_from.render(_values(example)))
            sample = Sample(example.id, turns, text, "rationale", example.query, example.golds)
            samples.append(sample)
    return samples, counts


def _check(example: Example, text: str, agrees: Agrees) -> Kept:
    path = read_path(text)
    if path is None:
        return Kept.FORM
    if any(same_answer(path.answer, gold) for gold in example.golds):
        return Kept.KEPT
    item = Item(example.id, example.query, example.golds, path.answer)
    return Kept.KEPT if agrees(item) else Kept.ANSWER


def _values(example: Example) -> dict[str, str]:
    question = Question(
        example.id, " ".join(example.query.split()), read_query_time(example.query_time), Task.WEB
    )
    return {"question": question.text, "query_time": question.asked_when}
