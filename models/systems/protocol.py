"""The contract of a system: its module declares it as `SYSTEM`, and it settles cases in time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.llm.llms import LLMs
from models.runtime.case import Case
from models.settings import Settings
from models.web.settings import WebSettings
from utils.deadline import Deadline


class System(Protocol):
    """One way to answer a batch, as an anytime algorithm: an answer is recorded as soon as there is
    one, and may be replaced."""

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """Settle each case before `deadline`.

        May raise: recorded answers are kept, and unfinished questions are retried once, one by one.
        A call that outlasts its deadline is abandoned; it may still be running, ignored, during the
        next one.
        """
        ...


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """What a system's module declares.

    Attributes:
        build: makes the system of settings, whose table `web` has all fields of its web path;
            engines that are given replace those of the settings.
            Its options, if it has any, are a dataclass that `utils.typed.read_record` fills from
            the table `options`.
        subtasks: the names of the subtasks that may use an LLM, with any options; by them the
            settings choose engine and adapter. Empty: it needs no LLM.
        web: its web path, which the table `web` of settings changes.
        path_options: the options that name a file or folder; relative paths begin at the folder of
            the settings file.
        weights: the models that a submission has to carry for it, beside those of its web path, by
            their names in submission/weights/table.toml.
    """

    build: Callable[[Settings, LLMs | None], System]
    subtasks: tuple[str, ...] = ()
    web: WebSettings = WebSettings()
    path_options: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
