"""A judge from its spelling in the settings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.judge.llm import LlmJudge, parse
from evaluation.judge.protocol import Item, Judge, Judgement, Verdict, failed, judge_items
from evaluation.judge.rules import RulesJudge
from models.check import Check, check_judge
from models.llm.cache import Calls, RememberingLLM, ended
from models.llm.config import LLMSettings
from models.llm.llms import make_llm
from models.llm.protocol import Completion
from utils.errors import SettingsError
from utils.secrets import without_secrets

_FEWEST_VERDICTS = 2  # of three judges
# What `make_judge` takes, and who judges.
JUDGES = (
    ("rules", "rules: no model, no network"),
    ("openai:URL#MODEL", "an LLM behind a server"),
    ("rules+openai:URL#MODEL", "an LLM, where the rules leave an answer unscored"),
    ("openai:A#a+openai:B#b+openai:C#c", "two LLMs, and the third where they disagree"),
    ("rules+openai:A#a+openai:B#b+openai:C#c", "these three, where the rules leave it unscored"),
)
_ALLOWED = (
    "a judge is rules, openai:URL#MODEL, rules+openai:URL#MODEL (the second for what the rules"
    " leave unscored), or three of openai:URL#MODEL joined by + (the third where two disagree)"
)


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


@dataclass(slots=True)
class ThreeJudges:
    """Two judges, and a third one for what they disagree on."""

    first: Judge
    second: Judge
    third: Judge
    name: str

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """One judgement per item: that of the first two if they agree, else the third's.

        It is disputed where two gave other verdicts. A judge that fails has none; if only one of
        the three has, that is no judgement, and the item is failed.
        """
        firsts = judge_items(self.first, items)
        seconds = judge_items(self.second, items)
        open_places = [
            place
            for place, (one, other) in enumerate(zip(firsts, seconds, strict=True))
            if one.failed or other.failed or one.verdict is not other.verdict
        ]
        thirds = judge_items(self.third, [items[place] for place in open_places])
        judgements = list(firsts)
        for place, third in zip(open_places, thirds, strict=True):
            judgements[place] = self._decide([firsts[place], seconds[place], third])
        return judgements

    def _decide(self, judgements: Sequence[Judgement]) -> Judgement:
        """The judgement of three, by those that did not fail."""
        names = (self.first.name, self.second.name, self.third.name)
        texts = [one.reason if one.failed else str(one.verdict) for one in judgements]
        reason = ", ".join(f"{name}: {text}" for name, text in zip(names, texts, strict=True))
        valid = [one for one in judgements if not one.failed]
        verdicts = {one.verdict for one in valid}
        is_tie = len(valid) < len(judgements) and len(verdicts) > 1
        if len(valid) < _FEWEST_VERDICTS or is_tie:
            return failed(reason)
        return replace(valid[-1], reason=reason, disputed=len(verdicts) > 1)


def make_judge(spec: str, *, cache: Path | None = None, api_key: str | None = None) -> Judge:
    """The judge that `spec` names.

    Args:
        spec: `rules`; `openai:URL#MODEL` for any OpenAI-compatible chat endpoint; three of these
            joined by "+", of which the third decides where two disagree; or `rules+` and one or
            three endpoints for what the rules leave unscored.
        cache: the file that stores a model's verdicts; None: they are not stored.
        api_key: sent as bearer token to the endpoints.

    Raises:
        SettingsError: `spec` is none of these.
        InputError: `cache` cannot be used.
    """
    parts = _parts_of(spec)
    if parts[0] == "rules":
        if len(parts) == 1:
            return RulesJudge()
        second = make_judge("+".join(parts[1:]), cache=cache, api_key=api_key)
        return TwoJudges(RulesJudge(), second, f"rules+{second.name}")
    if len(parts) not in (1, 3) or not all(part.startswith("openai:") for part in parts):
        raise SettingsError(f"unknown judge {without_secrets(spec)!r}: {_ALLOWED}")
    if len(set(parts)) < len(parts):
        raise SettingsError(f"the judges of {without_secrets(spec)!r} are the same: {_ALLOWED}")
    judges = [_llm_judge(part, cache, api_key) for part in parts]
    if len(judges) == 1:
        return judges[0]
    name = "+".join(judge.name for judge in judges)
    return ThreeJudges(judges[0], judges[1], judges[2], name)


def judge_checks(spec: str, api_key: str | None = None) -> list[Check]:
    """The checks of the endpoints that the judge `spec` asks; none of `rules`."""
    checks: list[Check] = []
    for part in _parts_of(spec):
        if part.startswith("openai:"):
            checks += check_judge(LLMSettings(part), api_key)
    return checks


def _parts_of(spec: str) -> list[str]:
    return re.split(r"\+(?=rules|openai:|$)", spec)


def _llm_judge(spec: str, cache: Path | None, api_key: str | None) -> Judge:
    """The judge of one endpoint."""

    def has_verdict(completion: Completion) -> bool:
        return ended(completion) and parse(completion.text) is not None

    llm = make_llm(LLMSettings(spec), api_key=api_key)
    model = spec.rpartition("#")[2]
    if cache is not None:
        llm = RememberingLLM(llm, spec, Calls(cache), keep=has_verdict)
    return LlmJudge(llm, f"openai:{model}")
