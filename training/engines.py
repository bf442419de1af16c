"""The engines and judges that commands ask: batches, kept replies, no time limit in practice."""

from collections.abc import Collection, Sequence

from evaluation.judge.protocol import Item, Judge, Verdict
from models.llm.cache import Calls, RememberingLLM
from models.llm.config import LLMSettings
from models.llm.llms import LLMs
from models.llm.protocol import LLM, Completion, Prompt
from models.settings import Settings
from models.systems.make_system import check_subtasks
from utils.deadline import Deadline
from utils.errors import JudgeError, SettingsError
from utils.progress import shown
from utils.secrets import without_secrets

SECONDS = 6 * 3600.0  # for a batch; no user waits
IN_A_ROW = 5  # failures after which a judge counts as down
_BATCH = 64


def remembering(settings: Settings, calls: Calls, subtasks: Collection[str]) -> LLMs:
    """The engines of settings; their replies are kept in `calls`, and no prompt is asked twice.

    Args:
        subtasks: those for which they may be asked.

    Raises:
        SettingsError: there is no engine, or the name of a subtask in the settings is misspelt.
    """
    check_subtasks(settings, subtasks)
    if not settings.llms:
        raise SettingsError("this needs an LLM: give `llm` in settings.toml, or CRAG_LLM")

    def keep(llm: LLM, llm_settings: LLMSettings) -> LLM:
        name = f"{without_secrets(llm_settings.spec)} {dict(llm_settings.adapters)}"
        return RememberingLLM(llm, name, calls)

    return LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key, wrap=keep)


def generate(llm: LLM, prompts: Sequence[Prompt], what: str) -> list[Completion]:
    """One completion a prompt, in order, a batch at a time; `what` names the work."""
    completions: list[Completion] = []
    batches = [prompts[start : start + _BATCH] for start in range(0, len(prompts), _BATCH)]
    for batch in shown(batches, f"{what}, batches of {_BATCH}", len(batches)):
        completions += llm.generate(batch, deadline=Deadline.after(SECONDS))
    return completions


class Agrees:
    """Asks `judge` item by item; an occasional failure counts as no."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._failures_in_a_row = 0

    def __call__(self, item: Item) -> bool:
        """Whether the judge calls `item` correct.

        Raises:
            JudgeError: the judge gave no verdict several times in a row.
        """
        (judgement,) = self._judge.judge([item])
        self._failures_in_a_row = self._failures_in_a_row + 1 if judgement.failed else 0
        if self._failures_in_a_row >= IN_A_ROW:
            reason = judgement.reason
            raise JudgeError(f"the judge gave no verdict {IN_A_ROW} times in a row: {reason}")
        return judgement.verdict is Verdict.CORRECT
