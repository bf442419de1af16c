"""A model's own answers, and what can be learnt from them.

ConfQA (Huang et al. 2025) labels a question with its answer where the model is right often enough,
else with "i don't know". DPO (`training.tuning.dpo`) learns which of two answers is better.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evaluation.judge.factory import make_judge
from evaluation.judge.protocol import Item, Judge, Verdict, raise_if_all_failed
from models.llm.cache import Calls, RememberingLLM
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM, Prompt
from models.prompts import load_prompt
from models.records import IDK, Source
from models.subtasks.answers import answer_of
from training.engines import SECONDS
from training.records import Drawn, Preference, Sample
from utils.deadline import Deadline
from utils.tokens import MAX_ANSWER_TOKENS

TEMPERATURE = 1.0  # the model's own distribution
ADAPTER = "drawn"  # the engine's name of the adapter


@dataclass(frozen=True, slots=True)
class Draw:
    """Asks a model several times, and judges its answers.

    Attributes:
        adapter: its name in the engine; None: the base.
        count: answers to each sample.
    """

    llm: LLM
    adapter: str | None
    judge: Judge
    count: int
    temperature: float = TEMPERATURE

    def __call__(self, samples: Sequence[Sample]) -> list[Drawn]:
        """The samples with their answers, in order.

        Raises:
            JudgeError: the judge's model gave no verdict on any answer.
        """
        prompts = [
            Prompt(
                sample.messages,
                self.adapter,
                max_tokens=MAX_ANSWER_TOKENS,
                n=self.count,
                temperature=self.temperature,
            )
            for sample in samples
        ]
        completions = self.llm.generate(prompts, deadline=Deadline.after(SECONDS))
        drawn = []
        for sample, completion in zip(samples, completions, strict=True):
            answers = [answer_of(each, Source.KG).text for each in completion.samples]
            items = [Item(sample.id, sample.question, sample.golds, answer) for answer in answers]
            judgements = self.judge.judge(items)
            raise_if_all_failed(self.judge, judgements)
            verdicts = tuple(judgement.verdict for judgement in judgements)
            drawn.append(Drawn(sample, tuple(answers), verdicts))
        return drawn


def make_draw(
    calls: Calls, spec: str, adapter: str | None, judge: str, api_key: str | None, count: int
) -> Callable[[Sequence[Sample]], list[Drawn]]:
    """A function that draws answers of the engine `spec`, which are kept in `calls`.

    Args:
        calls: what the engine wrote already.
        spec: of the engine.
        adapter: a folder; None: the base.
        judge: a spec of `evaluation.judge.factory`.
        api_key: of the judge.
        count: answers to each sample.

    Raises:
        CragError: the engine or the judge cannot be used.
    """
    adapters = {} if adapter is None else {ADAPTER: adapter}
    llm = RememberingLLM(make_llm(LLMSettings(spec, adapters)), f"{spec} {adapters}", calls)
    name = None if adapter is None else ADAPTER
    return Draw(llm, name, make_judge(judge, api_key=api_key), count)


def confident_sample(drawn: Drawn, least: int) -> Sample:
    """The sample with its answer if the model was right at least `least` times, else with "i don't
    know"; its prompt asks for an answer only where the model is confident."""
    right = drawn.verdicts.count(Verdict.CORRECT)
    sample = drawn.sample
    answer = sample.answer if right >= least else IDK
    note = f"{sample.note}: {'answered' if answer == sample.answer else 'not answered'}"
    return replace(_asked_confidently(sample), answer=answer, note=note)


def _asked_confidently(sample: Sample) -> Sample:
    """The sample with the system's turn of ConfQA's prompt."""
    (_, text), *_ = load_prompt(f"db3/{sample.subtask}_confident").turns
    return replace(sample, turns=(("system", text), *sample.turns[1:]))


def preferences(drawn: Drawn) -> Iterator[Preference]:
    """Pairs of a better and a worse answer: right > "i don't know" > wrong.

    They are the model's commonest ones of each kind; where it is never right, the label is.
    """
    sample = drawn.sample
    wrong = _commonest(drawn, Verdict.WRONG)
    if sample.answer == IDK:
        if wrong is not None:
            yield _preference(sample, IDK, wrong, "unknown over wrong")
        return
    right = _commonest(drawn, Verdict.CORRECT) or sample.answer
    if wrong is not None:
        yield _preference(sample, right, wrong, "right over wrong")
    if Verdict.MISSING in drawn.verdicts:
        yield _preference(sample, right, IDK, "right over unknown")


def _commonest(drawn: Drawn, kind: Verdict) -> str | None:
    """The commonest of the answers with that verdict; None: there is none."""
    judged = zip(drawn.answers, drawn.verdicts, strict=True)
    answers = [answer for answer, verdict in judged if verdict is kind]
    return max(answers, key=answers.count, default=None)


def _preference(sample: Sample, chosen: str, rejected: str, note: str) -> Preference:
    return Preference(f"{sample.id} {note}", sample.turns, chosen, rejected, note)
