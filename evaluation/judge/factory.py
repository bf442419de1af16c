"""A judge from its spelling in the settings."""

from pathlib import Path

from evaluation.judge.protocol import Judge
from utils.errors import SettingsError


def make_judge(spec: str, *, cache: Path | None = None, api_key: str | None = None) -> Judge:
    """The judge that `spec` names.

    Args:
        spec: `rules`, or `openai:URL#MODEL` for any OpenAI-compatible chat endpoint.
        cache: file where a model's verdicts are kept; none where None.
        api_key: sent as bearer token to the endpoint.

    Raises:
        SettingsError: `spec` is neither.
        InputError: `cache` cannot be used.
    """
    if spec == "rules":
        from evaluation.judge.rules import RulesJudge

        return RulesJudge()
    if not spec.startswith("openai:"):
        raise SettingsError(f"unknown judge {spec!r}: a judge is `rules` or `openai:URL#MODEL`")
    from evaluation.judge.llm import LlmJudge
    from evaluation.judge.prompting import parse
    from models.llm.cache import Calls, RememberingLLM, ended
    from models.llm.config import LLMSettings
    from models.llm.factory import make_llm

    llm = make_llm(LLMSettings(spec), api_key=api_key)
    model = spec.rpartition("#")[2]
    if cache is not None:
        llm = RememberingLLM(
            llm, model, Calls(cache), keep=lambda one: ended(one) and parse(one.text) is not None
        )
    return LlmJudge(llm, f"openai:{model}")
