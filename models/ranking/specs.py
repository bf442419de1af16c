"""The specs of rerankers in the settings, checked without importing the rerankers."""

from utils.errors import SettingsError

PAIR_RERANKERS = ("cross", "flag")


def check_reranker(spec: str) -> None:
    """Check that `spec` names a reranker.

    Raises:
        SettingsError: it does not.
    """
    if spec in ("lexical", "bi", "reader"):
        return
    kind, _, model = spec.partition(":")
    if kind not in PAIR_RERANKERS or not model:
        allowed = "a reranker is `lexical`, `bi`, `reader`, `cross:MODEL` or `flag:MODEL`"
        raise SettingsError(f"unknown reranker {spec!r}: {allowed}")
