"""Checks before the first question that the servers, packages and models of the settings work."""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from models.llm.adapters import find_model, read_adapter
from models.llm.config import LLMSettings
from models.llm.errors import (
    Empty,
    LLMError,
    ModelMissing,
    ServerBusy,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.openai import OpenAILLM
from models.llm.protocol import ConstraintKind, Message, Prompt
from models.llm.replies import CleanLLM
from models.settings import Settings
from models.systems.factory import SYSTEMS, subtasks_of
from models.web.settings import PRESETS, web_settings
from utils.crag_api import CragClient
from utils.deadline import Deadline
from utils.errors import CragError
from utils.secrets import without_secrets

SECONDS = 15.0  # for all requests to an LLM's server
_API_SECONDS = 5.0
_PACKAGES = {
    "vllm": ("vllm", "torch"),
    "hf": ("transformers", "torch", "peft", "llguidance"),
    "openai": ("llguidance",),
}
_KEY = "set CRAG_LLM_API_KEY to a key that the server accepts"
_HELLO = Prompt((Message("user", "Say hello."),), max_tokens=16)


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result. `remedy`: what to do if it is not `ok`."""

    what: str
    ok: bool
    says: str
    remedy: str = ""


def run_checks(settings: Settings, *, engines: bool = False) -> list[Check]:
    """All checks of `settings`; `engines`: of the LLMs, even if the system uses none."""
    checks: list[Check] = []
    if settings.system not in SYSTEMS:
        return [Check("system", False, f"none is called {settings.system!r}",
                      f"take one of {', '.join(SYSTEMS)}")]  # fmt: skip
    if settings.api_url is not None:
        checks.append(_api(settings.api_url))
    if settings.tokenizer is not None:
        checks += _packages("tokenizer", ("tokenizers",))
    if not subtasks_of(settings.system) and not engines:
        return checks
    if not settings.llms:
        checks.append(Check("LLM", False, f"{settings.system} needs one", "give --llm"))
    for name, llm in settings.llms.items():
        look = _served if llm.kind == "openai" else _on_disk
        checks += look(name, llm, settings, Deadline.after(SECONDS))
    return checks + list(_ranking(settings))


def as_table(checks: list[Check]) -> Table:
    """The checks, one per line, with the remedy below those that failed."""
    table = Table("what", "", "found")
    for check in checks:
        remedy = f"\n→ {check.remedy}" if check.remedy and not check.ok else ""
        cells = (check.what, "ok" if check.ok else "failed", check.says + remedy)
        table.add_row(*map(Text, cells))
    return table


def _served(name: str, llm: LLMSettings, settings: Settings, deadline: Deadline) -> Iterator[Check]:
    """Checks of a server: connection, key, models, an answer, the constraints it enforces."""
    yield from _packages(name, _PACKAGES["openai"])
    client = OpenAILLM.load(llm, settings.llm_api_key)
    try:
        served = [str(row.get("id")) for row in client.served()]
    except ServerUnavailable as error:
        yield Check(f"{name}: server", False, str(error), "start it, or correct the URL in `llm`")
        return
    except ServerRejected as error:
        if error.status in (401, 403):
            yield Check(f"{name}: key", False, str(error), _KEY)
            return
        served = []  # a server is not required to list its models
    for adapter, model in llm.adapters.items():
        if served and model not in served:
            says = f"the server has no {model!r}; it has: {', '.join(served[:10])}"
            yield Check(f"{name}: {adapter}", False, says, "name one of these")
            return
    cleaned = CleanLLM(client, name, llm.think_tokens)
    (hello,) = cleaned.generate([_HELLO], deadline=deadline.sooner(SECONDS / 2))
    if hello.error is not None:
        yield Check(f"{name}: answer", False, str(hello.error), _remedy(hello.error, name))
        return
    place = without_secrets(llm.place)
    yield Check(f"{name}: answer", hello.finished, f"{place} answers" if hello.finished else
                f"no answer in {SECONDS / 2:.0f} s",
                "try again when the model is loaded, or take a faster one")  # fmt: skip
    known = cleaned.context
    if known is None:
        says = f"unknown, prompts may be too long: give llms.{name}.context"
    else:
        says = f"{known:,} tokens"
    yield Check(f"{name}: context", known is None or known > 0, says,
                f"llms.{name}.think_tokens leaves no room")  # fmt: skip
    found: dict[bool | None, list[str]] = {}
    for kind in ConstraintKind:
        found.setdefault(client.keeps(kind, deadline), []).append(str(kind))
    words = {True: "kept", False: "ignored by the server", None: "not tried in time"}
    says = "; ".join(f"{word}: {', '.join(found[k])}" for k, word in words.items() if k in found)
    yield Check(f"{name}: constraints", True, says)


def _remedy(error: CragError, name: str) -> str:
    if isinstance(error, ServerRejected) and error.status in (401, 403):
        return _KEY
    remedies = {
        Empty: f"a reasoning model needs room to think: llms.{name}.think_tokens=1000",
        ModelMissing: "name one that the server has",
        ServerBusy: "wait, or take another server or key",
    }
    return remedies.get(type(error), "see the server's log")


def _on_disk(name: str, llm: LLMSettings, settings: Settings, _: Deadline) -> Iterator[Check]:
    """Checks of a model in this process: its packages, its folder, its adapters."""
    yield from _packages(name, _PACKAGES[llm.kind])
    try:
        folder = find_model(llm.place)
    except LLMError as error:
        yield Check(f"{name}: model", False, str(error), "put it there, or correct the path")
        return
    yield Check(f"{name}: model", True, str(folder))
    for adapter, path in llm.adapters.items():
        used = [s for s, at in settings.subtasks.items() if (at.llm, at.adapter) == (name, adapter)]
        try:
            found = read_adapter(adapter, path, folder)
        except LLMError as error:
            yield Check(f"{name}: {adapter}", False, str(error), "train it on this model")
            continue
        says = (
            f"rank {found.rank}, {found.size / (1 << 20):.1f} MiB, trained on {found.base or '?'}"
        )
        yield Check(f"{name}: {adapter}", True, f"{says}; for {', '.join(used) or 'no subtask'}")


def _packages(what: str, names: tuple[str, ...]) -> Iterator[Check]:
    for name in names:
        if importlib.util.find_spec(name) is None:
            yield Check(
                f"{what}: package", False, f"{name} is not installed", f"pip install {name}"
            )


def _ranking(settings: Settings) -> Iterator[Check]:
    """Whether passages are ranked by models, or by BM25 alone."""
    system = settings.system if settings.system in PRESETS else "default"
    web = web_settings(settings.web, system)
    kind = str(web.reranker or "").partition(":")[0]
    of_kind = {"flag": "FlagEmbedding", "cross": "sentence_transformers"}
    embedder = "sentence_transformers" if web.embedder else None
    for what, package in (("embedder", embedder), ("reranker", of_kind.get(kind))):
        if package and importlib.util.find_spec(package) is None:
            says = f"{package} is not installed: passages are ranked by their words"
            yield Check(f"web path: {what}", True, says)


def _api(url: str) -> Check:
    deadline = Deadline.after(_API_SECONDS)
    try:
        with CragClient(url, retries=0) as client:
            client.call("/open/search_entity_by_name", query="a", deadline=deadline)
    except CragError as error:
        remedy = "start it by `python -m mock_api --data DIR`, or correct --api-url"
        return Check("KG API", False, str(error), remedy)
    return Check("KG API", True, "answers")
