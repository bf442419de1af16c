"""The engines and judges that commands ask: batches, kept replies, no time limit in practice."""

from collections.abc import Sequence

from evaluation.judge.protocol import Item, Judge, Verdict
from models.llm.cache import Calls, RememberingLLM
from models.llm.config import LLMSettings
from models.llm.factory import LLMs
from models.llm.protocol import LLM, Completion, Prompt
from models.settings import Settings
from utils.deadline import Deadline
from utils.errors import JudgeError, SettingsError
from utils.progress import shown
from utils.secrets import without_secrets

SECONDS = 6 * 3600.0  # for a batch; no user waits
IN_A_ROW = 5  # failures after which a judge counts as down
_BATCH = 64


def remembering(settings: Settings, calls: Calls) -> LLMs:
    """The engines of settings; their replies are kept in `calls`, and no prompt is asked twice.
    Raises SettingsError where there is no engine."""
    if not settings.llms:
        raise SettingsError("this needs an LLM: give `llm` in settings.toml, or CRAG_LLM")

    def keep(llm: LLM, own: LLMSettings) -> LLM:
        return RememberingLLM(llm, f"{without_secrets(own.spec)} {dict(own.adapters)}", calls)

    return LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key, wrap=keep)


def generate(llm: LLM, prompts: Sequence[Prompt], what: str) -> list[Completion]:
    """One completion a prompt, in order, a batch at a time; `what` names the work."""
    made: list[Completion] = []
    batches = [prompts[start : start + _BATCH] for start in range(0, len(prompts), _BATCH)]
    for batch in shown(batches, f"{what}, batches of {_BATCH}", len(batches)):
        made += llm.generate(batch, deadline=Deadline.after(SECONDS))
    return made


class Agrees:
    """Asks `judge` item by item; an occasional failure counts as no."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._failed = 0

    def __call__(self, item: Item) -> bool:
        """Whether the judge calls `item` correct. Raises JudgeError where it gave no verdict
        several times in a row."""
        (said,) = self._judge.judge([item])
        self._failed = self._failed + 1 if said.failed else 0
        if self._failed >= IN_A_ROW:
            raise JudgeError(f"the judge gave no verdict {IN_A_ROW} times in a row: {said.reason}")
        return said.verdict is Verdict.CORRECT
