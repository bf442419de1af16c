"""A judge from its spelling in the settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.judge.protocol import Item, Judge, Judgement, Verdict, judge_items
from utils.errors import SettingsError
from utils.secrets import without_secrets


@dataclass(slots=True)
class TwoJudges:
    """A judge of two: the second judges what the first leaves unscored."""

    first: Judge
    second: Judge
    name: str

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """One judgement per item, the second judge's where the first could not decide."""
        judgements = self.first.judge(items)
        undecided = [
            index
            for index, judgement in enumerate(judgements)
            if judgement.verdict is Verdict.UNSCORED
        ]
        second_judgements = judge_items(self.second, [items[index] for index in undecided])
        for index, judgement in zip(undecided, second_judgements, strict=True):
            judgements[index] = judgement
        return judgements


def make_judge(spec: str, *, cache: Path | None = None, api_key: str | None = None) -> Judge:
    """The judge that `spec` names.

    Args:
        spec: `rules`; `openai:URL#MODEL` for any OpenAI-compatible chat endpoint; or
            `rules+openai:URL#MODEL`, where the LLM judges what the rules leave unscored.
        cache: the file that stores a model's verdicts; None: they are not stored.
        api_key: sent as bearer token to the endpoint.

    Raises:
        SettingsError: `spec` is none of these.
        InputError: `cache` cannot be used.
    """
    first, plus, rest = spec.partition("+")
    if first == "rules":
        from evaluation.judge.rules import RulesJudge

        if not plus:
            return RulesJudge()
        second = make_judge(rest, cache=cache, api_key=api_key)
        return TwoJudges(RulesJudge(), second, f"rules+{second.name}")
    if not spec.startswith("openai:"):
        raise SettingsError(
            f"unknown judge {without_secrets(spec)!r}: a judge is rules, openai:URL#MODEL or "
            "rules+openai:URL#MODEL"
        )
    from evaluation.judge.llm import LlmJudge, parse
    from models.llm.cache import Calls, RememberingLLM, ended
    from models.llm.config import LLMSettings
    from models.llm.factory import make_llm
    from models.llm.protocol import Completion

    def has_verdict(completion: Completion) -> bool:
        return ended(completion) and parse(completion.text) is not None

    llm = make_llm(LLMSettings(spec), api_key=api_key)
    model = spec.rpartition("#")[2]
    if cache is not None:
        llm = RememberingLLM(llm, model, Calls(cache), keep=has_verdict)
    return LlmJudge(llm, f"openai:{model}")
