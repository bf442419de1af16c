"""Checks before the first question that the servers, packages and models of the settings work."""

import importlib.util
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from rich.table import Table
from rich.text import Text

from models.kg import make_client
from models.llm.adapters import (
    CARD,
    find_model,
    has_numbers,
    is_of_other_weights,
    is_same_model,
    name_of_model,
    read_adapter,
)
from models.llm.config import LLMSettings
from models.llm.errors import (
    AdapterIncompatible,
    ContextTooLong,
    Empty,
    LLMError,
    ModelMissing,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.gguf_model import find_gguf, read_config
from models.llm.openai import OpenAILLM
from models.llm.probing import Kept
from models.llm.protocol import ConstraintKind, Message, Prompt
from models.llm.replies import CleanLLM
from models.records import Task
from models.settings import EXAMPLE_KG, Settings
from models.systems.make_system import check_subtasks, spec_of, web_of
from utils.crag_api import ApiCall
from utils.deadline import Deadline
from utils.errors import CragError, DeadlineExceeded, SettingsError
from utils.model_files import WeightsError, model_problems
from utils.secrets import without_secrets

SECONDS = 15.0  # for all requests to the server of an LLM
_API_SECONDS = 5.0
# What an engine needs beyond our dependencies: the extra that has it, and its packages.
_PACKAGES = {
    "vllm": ("engines", ("vllm", "torch")),
    "hf": ("transformers", ("transformers", "torch", "peft", "llguidance")),
    "llamacpp": ("llamacpp", ("xllamacpp", "gguf", "llguidance", "psutil")),
}
_OF_ENGINE = (LLMError, DeadlineExceeded)  # failures of steps that the engine is the cause of
_QUESTION = "who directed titanic?"  # of the example KG
_RERANKERS = {"flag": "FlagEmbedding", "cross": "sentence_transformers"}
_WRONG_KEY = (401, 403)  # HTTP statuses
_KEY = "set CRAG_LLM_API_KEY to a key that the server accepts"
# As the systems' prompts: instructions and a question.
_HELLO = Prompt((Message("system", "Be brief."), Message("user", "Say hello.")), max_tokens=16)


class State(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARNING = "warning"  # it works, but answers will be worse, or it was not tried
    FAILED = "failed"  # no question can be answered so


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result.

    Attributes:
        what: the subject of the check.
        state: whether it works.
        says: the result, in words.
        remedy: what to do if it does not work, or could work better.
    """

    what: str
    state: State
    says: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether a run can start; warnings do not stop it."""
        return self.state is not State.FAILED


def run_checks(settings: Settings, *, engines: bool = False) -> list[Check]:
    """All checks of `settings`; with `engines`, LLMs are checked even if the system uses none."""
    return list(_checks(settings, engines))


def submits_own_model() -> bool:
    """Whether models/user_config.py has a model of the user's own; one that cannot be imported is
    shown by the process that runs it."""
    try:
        from models import user_config
        from models.user_model import UserModel

        return user_config.UserModel is not UserModel
    except Exception:  # noqa: BLE001 - any code may stand there
        return True


def check_question(settings: Settings) -> Check:
    """Whether the system answers a question of the example KG, and which of its steps fail."""
    from models.user_model import UserModel

    what = f"{settings.system}: one question"
    here = replace(settings, api_url=settings.api_url or EXAMPLE_KG, task=Task.KG_WEB)
    batch = {"query": [_QUESTION], "query_time": ["03/05/2024, 16:00:00 PT"]}
    start = time.monotonic()
    model = UserModel(here)
    (answer,) = model.batch_generate_answer(batch)
    says = f"{answer!r} in {time.monotonic() - start:.1f} s"
    failures = model.last_failures[0]
    errors = {each.step: each.error for each in failures if isinstance(each.error, _OF_ENGINE)}
    if not errors:
        return Check(what, State.OK, says)
    says += "".join(f"; {step}: {error}" for step, error in errors.items())
    remedies = dict.fromkeys(map(_remedy_of_step, errors.values()))
    return Check(what, State.WARNING, says, "; ".join(remedies))


def _remedy_of_step(error: BaseException) -> str:
    if isinstance(error, ContextTooLong):
        return f"the system's prompts need a context of {error.context + error.over:,} tokens"
    if isinstance(error, DeadlineExceeded):
        return "a faster model or server, or fewer samples, are needed"
    return "see the server's log"


def as_table(checks: list[Check]) -> Table:
    """The checks, one per row, with the remedy below each that is not ok."""
    table = Table("what", "", "found")
    for check in checks:
        shows_remedy = check.remedy and check.state is not State.OK
        remedy = f"\n→ {check.remedy}" if shows_remedy else ""
        cells = (check.what, str(check.state), check.says + remedy)
        table.add_row(*map(Text, cells))
    return table


def _checks(settings: Settings, engines: bool) -> Iterator[Check]:
    system = settings.system
    try:
        spec = spec_of(system)
        check_subtasks(settings, spec.subtasks)
    except SettingsError as error:
        yield Check("system", State.FAILED, str(error), "`crag systems` lists them")
        return
    if settings.api_url is not None:
        yield _check_api(settings.api_url)
    if settings.tokenizer is not None:
        yield from _missing_packages("tokenizer", "transformers", ("tokenizers",))
    if not spec.subtasks and not (engines and settings.llms):
        if engines:
            yield Check("LLM", State.OK, f"{system} needs none")
        yield from _check_rankers(settings)
        return
    if not settings.llms:
        yield Check("LLM", State.FAILED, f"{system} needs one", "give --llm")
    for name, llm in settings.llms.items():
        if llm.kind in _PACKAGES:
            yield from _missing_packages(name, *_PACKAGES[llm.kind])
        if llm.kind == "openai":
            yield from _check_server(name, llm, settings)
        else:
            yield from _check_folders(name, llm, settings)
    yield from _check_rankers(settings)


def _check_server(name: str, llm: LLMSettings, settings: Settings) -> Iterator[Check]:
    """Checks of a server: those of `_check_answers`, its context, its constraints.

    A check that fails ends them, since the following ones would fail as well.
    """
    client = OpenAILLM.load(llm, settings.llm_api_key)
    cleaned = CleanLLM(client, name, llm.think_tokens)
    deadline = Deadline.after(SECONDS)
    for check in _check_answers(name, llm, cleaned, client, deadline, _KEY):
        yield check
        if not check.ok:
            return
    for adapter in llm.adapters:
        yield _check_served_adapter(name, adapter, client, settings)
    yield _check_context(name, cleaned.context, client, llm)
    yield _check_constraints(name, client, deadline)


def check_judge(llm: LLMSettings, api_key: str | None) -> list[Check]:
    """Checks of a server that judges answers: connection, key, model, an answer."""
    client = OpenAILLM.load(llm, api_key)
    cleaned = CleanLLM(client, "judge", llm.think_tokens)
    remedy = "set CRAG_JUDGE_API_KEY to a key that the server accepts"
    return list(_check_answers("judge", llm, cleaned, client, Deadline.after(SECONDS), remedy))


def _check_answers(
    name: str,
    llm: LLMSettings,
    cleaned: CleanLLM,
    client: OpenAILLM,
    deadline: Deadline,
    key_remedy: str,
) -> Iterator[Check]:
    """Whether a server can be reached, takes the key, has the models, and answers."""
    try:
        client.served()
    except ServerUnavailable as error:
        yield Check(f"{name}: server", State.FAILED, str(error), "start it, or correct its URL")
        return
    except ServerRejected:
        pass  # a server is not required to list its models, nor to let everybody list them
    for adapter in (None, *llm.adapters):
        problem = client.missing(adapter)
        if problem is not None:
            what = f"{name}: {adapter or 'model'}"
            yield Check(what, State.FAILED, problem, "name one of these")
            return
    (hello,) = cleaned.generate([_HELLO], deadline=deadline.sooner(SECONDS / 2))
    if hello.error is not None:
        remedy = _remedy(hello.error, name, key_remedy)
        what = "key" if remedy == key_remedy else "answer"
        yield Check(f"{name}: {what}", State.FAILED, str(hello.error), remedy)
        return
    if hello.finished:
        says = f"{without_secrets(llm.place)} answers"
    else:
        says = f"no answer in {SECONDS / 2:.0f} s"
    remedy = "try again when the model is loaded, or take a faster one"
    state = State.OK if hello.finished else State.FAILED
    yield Check(f"{name}: answer", state, says, remedy)


def _check_served_adapter(llm: str, name: str, client: OpenAILLM, settings: Settings) -> Check:
    """The adapter that a server has under a name or number; a warning if its file lies in a folder
    that is called like another adapter of the settings."""
    served = client.served_adapter(name)
    says = f"{served}; for {_users_of(llm, name, settings)}"
    model = settings.llms[llm].place.partition("#")[2]
    if settings.llms[llm].adapters[name] == model:
        remedy = f"llms.{llm}.adapters names the server's adapters: lora:0, or a model's name"
        return Check(f"{llm}: {name}", State.WARNING, f"{model}: the base model itself", remedy)
    folders = set(served.split("/"))
    others = folders & (settings.llms[llm].adapters.keys() - {name})
    if name in folders or not others:
        return Check(f"{llm}: {name}", State.OK, says)
    remedy = f"is it the adapter {min(others)!r}? llms.{llm}.adapters has the server's numbers"
    return Check(f"{llm}: {name}", State.WARNING, says, remedy)


def _check_context(
    name: str, context: int | None, client: OpenAILLM, settings: LLMSettings
) -> Check:
    what = f"{name}: context"
    served = client.context_of_server
    if served is not None and served < (settings.context or 0):
        says = f"{served:,} tokens, but llms.{name}.context = {settings.context:,}"
        return Check(what, State.WARNING, says, "start the server with that context")
    if context is None:
        remedy = f"give llms.{name}.context"
        return Check(what, State.WARNING, "unknown: prompts may be too long", remedy)
    state = State.OK if context > 0 else State.FAILED
    return Check(what, state, f"{context:,} tokens", f"llms.{name}.think_tokens leaves no room")


def _check_constraints(name: str, client: OpenAILLM, deadline: Deadline) -> Check:
    """Which kinds of constraints the server enforces; a warning unless it is all of them."""
    kinds: dict[Kept, list[str]] = {}
    for kind in ConstraintKind:
        kinds.setdefault(client.keeps(kind, deadline), []).append(str(kind))
    says = "; ".join(f"{kept}: {', '.join(names)}" for kept, names in kinds.items())
    if kinds.keys() == {Kept.YES}:
        return Check(f"{name}: constraints", State.OK, says)
    remedy = "check again when the server is idle"
    if kinds.keys() & {Kept.NO, Kept.CANNOT_END_EARLY}:
        remedy = "programs and choices may fail: vLLM and llama.cpp keep all (docs/engines.md)"
    return Check(f"{name}: constraints", State.WARNING, says, remedy)


def _remedy(error: CragError, name: str, key_remedy: str) -> str:
    if isinstance(error, ServerRejected) and error.status in _WRONG_KEY:
        return key_remedy
    if isinstance(error, Empty):
        return f"a reasoning model needs room to think: llms.{name}.think_tokens=1000"
    if isinstance(error, ModelMissing):
        return "name one that the server has"
    return "see the server's log"


def _check_folders(name: str, llm: LLMSettings, settings: Settings) -> Iterator[Check]:
    """Checks of a model that this process loads: its folder and those of its adapters."""
    folder = None  # what is wrong with adapters is told without their model, too
    try:
        folder = _whole_model(llm)
    except LLMError as error:
        yield Check(f"{name}: model", State.FAILED, str(error), "put it there, or correct the path")
    else:
        yield Check(f"{name}: model", State.OK, str(folder))
    for adapter_name, path in llm.adapters.items():
        what = f"{name}: {adapter_name}"
        try:
            adapter = read_adapter(adapter_name, path, folder)
            if not has_numbers(adapter):
                raise AdapterIncompatible(f"{path} has weights that are no numbers (NaN)")
            if folder and is_of_other_weights(adapter, folder):
                raise AdapterIncompatible(
                    f"{adapter.folder / CARD} has the hash of another base than {folder}"
                )
        except (LLMError, WeightsError) as error:
            yield Check(what, State.FAILED, str(error), "copy it again, or train it on this model")
            continue
        size = f"{adapter.size / (1 << 20):.1f} MiB"
        base = adapter.base or "?"
        users = _users_of(name, adapter_name, settings)
        says = f"rank {adapter.rank}, {size}, trained on {base}; for {users}"
        own_name = name_of_model(folder) if folder else ""
        if base == "?" or not own_name or is_same_model(base, own_name):
            yield Check(what, State.OK, says)
        else:
            remedy = f"{folder} calls itself {own_name!r}: is it the same model?"
            yield Check(what, State.WARNING, says, remedy)


def _whole_model(llm: LLMSettings) -> Path:
    """The folder or file of a model that this process loads.

    Raises:
        LLMError: it is not there, truncated, or no model.
    """
    if llm.kind == "llamacpp":
        file = find_gguf(llm.place)
        if importlib.util.find_spec("gguf") is not None:
            read_config(file)
        return file
    folder = find_model(llm.place)
    for problem in model_problems(folder):
        raise ModelMissing(problem.says)
    return folder


def _users_of(llm: str, adapter: str, settings: Settings) -> str:
    """The subtasks that use an adapter of an engine."""
    subtasks = [
        subtask
        for subtask, choice in settings.subtasks.items()
        if choice.llm == llm and choice.adapter == adapter
    ]
    return ", ".join(subtasks) or "no subtask"


def _missing_packages(what: str, extra: str, names: tuple[str, ...]) -> Iterator[Check]:
    """A failed check if packages of an extra of this project are not installed."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        says = f"{', '.join(missing)} {verb} not installed"
        yield Check(f"{what}: packages", State.FAILED, says, f"pip install -e '.[{extra}]'")


def _check_rankers(settings: Settings) -> Iterator[Check]:
    """Notes on the models of the web path whose package is not installed."""
    web = web_of(settings)
    is_onnx = str(web.embedder).startswith("onnx:")
    embedder = "sentence_transformers" if web.embedder and not is_onnx else None
    reranker = _RERANKERS.get(str(web.reranker or "").partition(":")[0])
    for what, package in (("embedder", embedder), ("reranker", reranker)):
        if package and importlib.util.find_spec(package) is None:
            says = f"{package} is not installed: passages are ranked by their words"
            remedy = "pip install -e '.[transformers]'"
            yield Check(f"web path: {what}", State.WARNING, says, remedy)


def _check_api(url: str) -> Check:
    deadline = Deadline.after(_API_SECONDS)
    call = ApiCall("/open/search_entity_by_name", {"query": "a"})
    try:
        (value,) = make_client(url, retries=0).call_many([call], deadline=deadline)
        if isinstance(value, CragError):
            raise value
    except CragError as error:
        remedy = "start it by `crag mock-api --data DIR`, or correct --api-url"
        return Check("KG API", State.FAILED, str(error), remedy)
    return Check("KG API", State.OK, "answers")
