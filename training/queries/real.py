"""Programs for real questions, kept if the judge accepts their results as the gold answer.

They replace db3's programs by GPT-4 and by hand (section 3.2). Candidates come from the semantic
parser, and from samples of an LLM if one is given. A question that has an annotated program gets
that one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.dataset import Example
from evaluation.judge.make_judge import make_judge
from evaluation.judge.protocol import Item
from models.batch_input import read_query_time
from models.kg.execution.outcome import Outcome
from models.kg.language.ast import Program
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import ParsedQuestion, SemanticParser
from models.kg.run import run
from models.kg.wording.value_text import value_text
from models.llm.cache import Calls
from models.llm.llms import LLMs
from models.records import Domain
from models.settings import Settings
from training.encode import query_prompts
from training.engines import Agrees, remembering
from training.kg import Kg, canonical
from training.queries.copying import QuestionWords, copy_words
from training.recipe import Recipe, read_recipe
from training.records import AnnotatedProgram, Pair, read_rows
from training.wording import wording_of
from utils.deadline import Deadline

ANNOTATED = "annotated"  # the source of a pair whose program somebody wrote
WRITE = "write_query"  # the subtask, for the settings
_SECONDS = 60.0  # a question
_SAMPLES = 4  # programs that the LLM writes for a question
_MOST_VALUES = 20  # of an answer that is judged


@dataclass
class RealPairs:
    """Makes pairs of a dataset's questions; without `llms`, by the semantic parser alone.

    Attributes:
        annotated: programs by the question's id.
    """

    kg: Kg
    agrees: Agrees
    recipe: Recipe
    llms: LLMs | None = None
    annotated: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._parser = SemanticParser(self.kg.client)

    def __call__(self, examples: Sequence[Example]) -> list[Pair | None]:
        """Per question the pair of its annotated program, or of the first program whose result the
        judge accepts as the gold; None where there is neither.

        Names and times in it are the question's (training/queries/copying.py).

        Raises:
            JudgeError: the judge is down.
        """
        return [self._pair(example) for example in examples]

    def _pair(self, example: Example) -> Pair | None:
        domain = Domain(example.domain) if example.domain in tuple(Domain) else Domain.OPEN
        now = read_query_time(example.query_time)
        parsed = self._parser.parse(example.query, now, Deadline.after(_SECONDS))
        pair = Pair(
            id=example.id,
            domain=str(domain),
            question=example.query,
            query_time=example.query_time,
            program=self.annotated.get(example.id, ""),
            source=ANNOTATED,
            intent="real",
            wording=wording_of(parsed, example.query),
        )
        if not pair.program:
            pair = replace(pair, program=self._right_program(example, pair, parsed), source="real")
        return self._copied(pair, parsed) if pair.program else None

    def _right_program(self, example: Example, pair: Pair, parsed: ParsedQuestion) -> str:
        """The first program whose result is the gold answer; empty if there is none."""
        if not example.golds:
            return ""
        for program, answer in self._programs_with_answers(pair, parsed):
            if self.agrees(Item(example.id, example.query, example.golds, answer)):
                return program
        return ""

    def _copied(self, pair: Pair, parsed: ParsedQuestion) -> Pair:
        def same(program: Program) -> bool:
            return self.kg.same(to_text(program), pair.program, pair.query_time)

        words = QuestionWords.of(pair.question, parsed)
        program = copy_words(parse(pair.program).program, words, same)
        return replace(pair, program=to_text(program))

    def _programs_with_answers(
        self, pair: Pair, parsed: ParsedQuestion
    ) -> Iterator[tuple[str, str]]:
        for derivation in parsed.ranked():
            if derivation.answer:
                yield to_text(derivation.candidate.program), derivation.answer
        now = read_query_time(pair.query_time)
        for program in self._sampled_programs(pair):
            result = run(program, self.kg.client, now, Deadline.after(_SECONDS))
            answer = _values_as_answer(result.outcomes)
            if answer and not result.errors:
                yield program, answer

    def _sampled_programs(self, pair: Pair) -> list[str]:
        """The programs that the LLM writes for a question, in canonical form."""
        if self.llms is None:
            return []
        llm, adapter = self.llms.of(WRITE)
        (greedy,) = query_prompts([pair], self.recipe, adapter, constrained=False)
        sampling = replace(greedy, temperature=0.7, n=_SAMPLES, seed=self.recipe.seed)
        (completion,) = llm.generate([sampling], deadline=Deadline.after(_SECONDS))
        programs = [canonical(sample.text) for sample in completion.samples if sample.finished]
        return list(dict.fromkeys(program for program in programs if program is not None))


def make_real_pairs(
    calls: Calls, settings: Settings, judge: str, kg: Path, programs: Path | None = None
) -> RealPairs:
    """A maker of pairs over the KG at `kg`.

    Args:
        calls: where the replies of the engine are kept.
        settings: whose engine writes programs, too, if there is one.
        judge: its name.
        programs: a file of annotated programs.
    """
    annotated: dict[str, str] = {}
    if programs is not None:
        for row in read_rows(programs, AnnotatedProgram):
            annotated[row.interaction_id] = row.program
    llms = remembering(settings, calls, [WRITE]) if settings.llms else None
    agrees = Agrees(make_judge(judge, api_key=settings.judge_api_key))
    return RealPairs(Kg(kg), agrees, read_recipe(WRITE), llms, annotated)


def _values_as_answer(outcomes: Sequence[Outcome]) -> str:
    """The values that a program returned, as an answer without repetitions."""
    values: list[str] = []
    for outcome in outcomes:
        values += [value_text(value) for value in outcome.values[:_MOST_VALUES]]
    return ", ".join(dict.fromkeys(values))
