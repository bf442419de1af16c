"""A model's own answers, and what can be learnt from them.

ConfQA (Huang et al. 2025) labels a question with its answer where the model is right often enough,
else with "i don't know". DPO (`training.tuning.dpo`) learns which of two answers is better.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.judge.make_judge import make_judge
from evaluation.judge.protocol import Item, Judge, Verdict, raise_if_all_failed
from models.llm.adapters import WEIGHTS
from models.llm.cache import Calls, RememberingLLM
from models.llm.config import LLMSettings
from models.llm.llms import make_llm
from models.llm.protocol import LLM, Prompt
from models.records import IDK, Source
from models.subtasks.answers import answer_of
from training.engines import SECONDS
from training.records import OwnAnswers, Preference, Sample, check_can_be_judged
from utils.deadline import Deadline
from utils.errors import InputError
from utils.model_files import sha256
from utils.tokens import MAX_ANSWER_TOKENS

TEMPERATURE = 1.0  # the model's own distribution
SEED = 0  # of the samples that are chosen, and of the answers to each
ADAPTER = "own"  # the engine's name of the adapter


@dataclass(frozen=True, slots=True)
class Draw:
    """Asks a model several times, and judges its answers.

    Attributes:
        adapter: its name in the engine; None: the base.
        count: answers to each sample.
        max_tokens: of an answer.
    """

    llm: LLM
    adapter: str | None
    judge: Judge
    count: int
    max_tokens: int = MAX_ANSWER_TOKENS

    def __call__(self, samples: Sequence[Sample]) -> list[OwnAnswers]:
        """The samples with the model's answers, in order.

        Raises:
            JudgeError: the judge's model gave no verdict on any answer.
        """
        prompts = [
            Prompt(
                sample.messages,
                self.adapter,
                max_tokens=self.max_tokens,
                n=self.count,
                temperature=TEMPERATURE,
                seed=SEED,
            )
            for sample in samples
        ]
        completions = self.llm.generate(prompts, deadline=Deadline.after(SECONDS))
        items = []
        for sample, completion in zip(samples, completions, strict=True):
            for each in completion.samples:
                answer = answer_of(each, Source.KG).text
                items.append(Item(sample.id, sample.question, sample.golds, answer))
        judgements = self.judge.judge(items)
        raise_if_all_failed(self.judge, judgements)
        answers = [item.prediction for item in items]
        verdicts = [judgement.verdict for judgement in judgements]
        rows = []
        end = 0
        for sample, completion in zip(samples, completions, strict=True):
            start = end
            end += len(completion.samples)
            rows.append(OwnAnswers(sample, tuple(answers[start:end]), tuple(verdicts[start:end])))
        return rows


def make_draw(
    calls: Calls,
    spec: str,
    adapter: Path | None,
    judge: str,
    api_key: str | None,
    count: int,
    max_tokens: int,
) -> Callable[[Sequence[Sample]], list[OwnAnswers]]:
    """A function that draws answers of the engine `spec`, which are kept in `calls`.

    Args:
        calls: what the engine wrote already.
        spec: of the engine.
        adapter: a folder; None: the base.
        judge: a spec of `evaluation.judge.make_judge`.
        api_key: of the judge.
        count: answers to each sample.
        max_tokens: of an answer.

    Raises:
        CragError: the engine or the judge cannot be used.
    """
    if adapter is None:
        name = None
        llm = RememberingLLM(make_llm(LLMSettings(spec)), spec, calls)
    else:
        name = ADAPTER
        engine = make_llm(LLMSettings(spec, {ADAPTER: str(adapter)}))
        llm = RememberingLLM(engine, f"{spec} {sha256(adapter / WEIGHTS)}", calls)
    return Draw(llm, name, make_judge(judge, api_key=api_key), count, max_tokens)


def choose(samples: Sequence[Sample], limit: int | None) -> Sequence[Sample]:
    """The samples to draw answers to: all, or `limit` of them at random.

    Raises:
        InputError: there are none, or one cannot be judged.
    """
    check_can_be_judged(samples)
    if limit is None or limit >= len(samples):
        return samples
    return random.Random(SEED).sample(samples, limit)


def uncertain_samples(rows: Sequence[OwnAnswers]) -> list[Sample]:
    """The samples that a model answers now rightly, now wrongly: GRPO learns most from them."""
    return [row.sample for row in rows if len(set(row.verdicts)) > 1]


def confident_samples(rows: Sequence[OwnAnswers], least: int) -> list[Sample]:
    """The samples, labelled by `confident_sample`.

    Raises:
        InputError: to one, fewer than `least` answers were drawn.
    """
    if any(least > len(row.answers) for row in rows):
        raise InputError(f"no sample can be right {least} times: fewer were drawn")
    return [confident_sample(row, least) for row in rows]


def confident_sample(own_answers: OwnAnswers, least: int) -> Sample:
    """The sample with its answer if the model was right at least `least` times, else with "i don't
    know"."""
    if own_answers.verdicts.count(Verdict.CORRECT) >= least:
        return own_answers.sample
    return replace(own_answers.sample, answer=IDK)


def preferences(own_answers: OwnAnswers) -> Iterator[Preference]:
    """Pairs of a better and a worse answer: right > "i don't know" > wrong.

    They are the model's commonest ones of each kind. Where it is never right, "i don't know" is
    better than what it says.
    """
    right = _commonest(own_answers, Verdict.CORRECT)
    wrong = _commonest(own_answers, Verdict.WRONG)
    if right is None:
        if wrong is not None:
            yield _preference(own_answers.sample, IDK, wrong, "unknown over wrong")
        return
    if wrong is not None:
        yield _preference(own_answers.sample, right, wrong, "right over wrong")
    if Verdict.MISSING in own_answers.verdicts:
        yield _preference(own_answers.sample, right, IDK, "right over unknown")


def _commonest(own_answers: OwnAnswers, kind: Verdict) -> str | None:
    """The commonest of the answers with that verdict; None: there is none."""
    judged = zip(own_answers.answers, own_answers.verdicts, strict=True)
    answers = [answer for answer, verdict in judged if verdict is kind]
    return max(answers, key=answers.count, default=None)


def _preference(sample: Sample, chosen: str, rejected: str, note: str) -> Preference:
    return Preference(f"{sample.id} {note}", sample.turns, chosen, rejected, note)
