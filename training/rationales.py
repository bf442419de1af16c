"""Reasons for answers that are known, to tune a model to reason in two steps (dragonrangers, §3.1).

An engine is given question and gold and writes "First, ... Second, ... The answer is ...". What has
another form, or comes to another answer, is left out; the paper does not say that it checks.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
from training.evaluate import Agrees, generate
from training.progress import Show
from training.prompts import prompt
from training.records import Sample

SUBTASK = "write_rationale"  # for the settings
_TOKENS = 200


class Kept(StrEnum):
    """What became of a rationale."""

    KEPT = "kept"
    FORM = "another form"
    ANSWER = "another answer"
    UNFINISHED = "unfinished"
    NO_GOLD = "no gold answer"


@dataclass
class Rationales:
    """Writes the samples that `answer_alone` is tuned on.

    Attributes:
        llms: of `write_rationale`.
        judge: says whether an answer that is not the gold's own words agrees with it.
        counts: by what became of them.
    """

    llms: LLMs
    judge: Judge
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._agrees = Agrees(self.judge)

    def write(self, examples: Sequence[Example], show: Show) -> Iterator[Sample]:
        """The samples of `examples`: the prompt as dragonrangers' first step asks it, and reasons
        that come to the gold.

        Raises:
            JudgeError: the judge is down.
        """
        llm, adapter = self.llms.of(SUBTASK)
        asked = [example for example in examples if example.golds]
        self.counts[Kept.NO_GOLD] += len(examples) - len(asked)
        prompts = [
            Prompt(
                prompt("write_rationale").render(_values(example) | {"gold": example.golds[0]}),
                adapter,
                max_tokens=_TOKENS,
            )
            for example in asked
        ]
        for example, said in zip(asked, generate(llm, prompts, show), strict=True):
            text = " ".join(said.text.split())
            kept = self._check(example, text) if said.finished else Kept.UNFINISHED
            self.counts[kept] += 1
            if kept is Kept.KEPT:
                template = load_prompt("dragonrangers/answer_alone")
                turns = template.render(_values(example))
                yield Sample(
                    example.id,
                    tuple((turn.role, turn.text) for turn in turns),
                    text,
                    "rationale",
                    example.query,
                    example.golds,
                )

    def _check(self, example: Example, text: str) -> Kept:
        path = read_path(text)
        if path is None:
            return Kept.FORM
        if any(same_answer(path.answer, gold) for gold in example.golds):
            return Kept.KEPT
        item = Item(example.id, example.query, example.golds, path.answer)
        return Kept.KEPT if self._agrees(item) else Kept.ANSWER


def _values(example: Example) -> dict[str, str]:
    question = Question(
        example.id, " ".join(example.query.split()), read_query_time(example.query_time), Task.WEB
    )
    return {"question": question.text, "query_time": question.asked_when}
