"""Programs for real questions, kept if the judge accepts their results as the gold answer.

They replace db3's programs by GPT-4 and by hand (section 3.2). Candidates come from the semantic
parser, and from samples of an LLM if one is given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.dataset import Example
from evaluation.judge.factory import make_judge
from evaluation.judge.protocol import Item
from mock_api.local import LocalClient
from models.batch import read_query_time
from models.kg.execution.execute import StatementResult
from models.kg.language.printer import to_text
from models.kg.parsing.parser import SemanticParser
from models.kg.run import run
from models.kg.wording.values import value_text
from models.llm.cache import Calls
from models.llm.factory import LLMs
from models.records import Domain
from models.settings import Settings
from training.encode import query_prompts
from training.engines import Agrees, remembering
from training.kg import written
from training.recipe import Recipe, read_recipe
from training.records import Pair
from utils.crag_api import KgClient
from utils.deadline import Deadline

WRITE = "write_query"  # the subtask, for the settings
_SECONDS = 60.0  # a question
_SAMPLES = 4  # programs that the LLM writes for a question
_SHOWN = 20  # values of an answer that are judged


@dataclass
class RealPairs:
    """Makes pairs of a dataset's questions; without `llms`, by the semantic parser alone."""

    client: KgClient
    agrees: Agrees
    recipe: Recipe
    llms: LLMs | None = None

    def __post_init__(self) -> None:
        self._parser = SemanticParser(self.client)

    def __call__(self, examples: Sequence[Example]) -> list[Pair | None]:
        """Per question the pair of the first program whose result the judge accepts as the gold;
        None where there is none. Raises JudgeError where the judge is down."""
        return [self._pair(example) if example.golds else None for example in examples]

    def _pair(self, example: Example) -> Pair | None:
        domain = Domain(example.domain) if example.domain in tuple(Domain) else Domain.OPEN
        pair = Pair(
            *(example.id, str(domain), example.query, example.query_time, ""),
            *("real", "real", example.question_type),
        )
        for program, answer in self._candidates(pair):
            if self.agrees(Item(example.id, example.query, example.golds, answer)):
                return replace(pair, program=program)
        return None

    def _candidates(self, pair: Pair) -> Iterator[tuple[str, str]]:
        """Programs and their answers."""
        deadline = Deadline.after(_SECONDS)
        asked_at = read_query_time(pair.query_time)
        parsed = self._parser.parse(pair.question, asked_at, deadline)
        for derivation in parsed.ranked(self._parser.model):
            if derivation.answer:
                yield to_text(derivation.candidate.program), derivation.answer
        for program in self._sampled(pair):
            result = run(program, self.client, asked_at, deadline)
            if not result.errors and (answer := _said(result.outcomes)):
                yield program, answer

    def _sampled(self, pair: Pair) -> list[str]:
        """The programs that the LLM writes for a question, in canonical form."""
        if self.llms is None:
            return []
        llm, adapter = self.llms.of(WRITE)
        (plain,) = query_prompts([pair], self.recipe, adapter, constrained=False)
        prompt = replace(plain, temperature=0.7, n=_SAMPLES, seed=self.recipe.seed)
        (completion,) = llm.generate([prompt], deadline=Deadline.after(_SECONDS))
        texts = (written(one.text) for one in completion.samples if one.finished)
        return list(dict.fromkeys(text for text in texts if text is not None))


def make_real_pairs(calls: Calls, settings: Settings, judge: str, kg: Path) -> RealPairs:
    """Over the KG at `kg`, with the engine of `settings`, if any, and the judge named `judge`."""
    llms = remembering(settings, calls) if settings.llms else None
    agrees = Agrees(make_judge(judge, api_key=settings.judge_api_key))
    return RealPairs(LocalClient(kg), agrees, read_recipe(WRITE), llms)


def _said(outcomes: Sequence[StatementResult]) -> str:
    """The values that a program returned, as an answer without repetitions."""
    values = [value_text(value) for outcome in outcomes for value in outcome.values[:_SHOWN]]
    return ", ".join(dict.fromkeys(values))
