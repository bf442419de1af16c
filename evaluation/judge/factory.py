"""A judge from its spelling in the settings."""

from pathlib import Path

from evaluation.judge.protocol import Judge
from utils.errors import SettingsError

_ALLOWED = "a judge is `rules` or `openai:URL#MODEL`"


def make_judge(spec: str, *, cache: Path | None = None, api_key: str | None = None) -> Judge:
    """The judge that `spec` names.

    Args:
        spec: `rules`, or `openai:URL#MODEL` for any OpenAI-compatible chat endpoint.
        cache: file where a model's verdicts are kept; none where None.
        api_key: sent as bearer token to the endpoint.

    Raises:
        SettingsError: `spec` is neither.
    """
    if spec == "rules":
        from evaluation.judge.rules import RulesJudge

        return RulesJudge()
    kind, _, rest = spec.partition(":")
    if kind == "openai":
        url, _, model = rest.rpartition("#")
        if not url.startswith(("http://", "https://")) or not model:
            raise SettingsError(f"{spec!r} lacks a URL or a model: {_ALLOWED}")
        from evaluation.judge.llm import LlmJudge

        return LlmJudge(url, model, api_key=api_key, cache=cache)
    raise SettingsError(f"unknown judge {spec!r}: {_ALLOWED}")
