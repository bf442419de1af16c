"""A server whose models reply as a test says, and settings that name them as engines."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.models.llm.fake_server import Handler, streams

Reply = Callable[[str], str | list[str]]  # from a prompt's last message


@dataclass
class Models:
    """The models of a server; an adapter of a model replies as `adapters` does.

    Attributes:
        replies: by the model's name; several texts are several samples.
        requests: for completions, in the order of their arrival.
    """

    replies: dict[str, Reply]
    requests: list[dict[str, Any]] = field(default_factory=list)
    adapters: Reply | None = None

    def __call__(self, handler: Handler, body: dict[str, Any]) -> None:
        """Reply to a request; questions about what the server can do get what they ask for."""
        last = body["messages"][-1]["content"]
        texts: str | list[str]
        if last == "Say hello.":
            texts = _constrained_hello(json.dumps(body))
        else:
            self.requests.append(body)
            reply = self.replies.get(body["model"]) or self.adapters
            assert reply is not None, body["model"]
            texts = reply(last)
        events = []
        for index, text in enumerate([texts] if isinstance(texts, str) else texts):
            choice = {"index": index, "delta": {"content": text}, "finish_reason": "stop"}
            events.append({"choices": [choice]})
        streams(*events)(handler, body)

    def asked(self, model: str) -> list[str]:
        """The prompts of a model, each as one text."""
        return [
            "\n".join(message["content"] for message in request["messages"])
            for request in self.requests
            if request["model"] == model
        ]


@dataclass(frozen=True)
class Engines:
    """A running server, and the settings that name its models."""

    models: Models
    url: str
    settings: Path


def _constrained_hello(body: str) -> str:
    """What a model says under the constraint that a client probes the server with."""
    if "zq7 amber" in body:  # a choice of two
        return "zq7 amber"
    return "zq7 x!" if "zq7" in body else "music"


def write_settings(file: Path, url: str, subtasks: Mapping[str, Any]) -> None:
    """Settings in which each subtask has the model of its name; pages are ranked by words."""
    lines = ["[web]", 'preset = "db3"', 'embedder = "none"', 'reranker = "none"']
    for name in subtasks:
        lines += [f"[llms.{name}]", f'spec = "openai:{url}#{name}"']
        lines += [f"[subtasks.{name}]", f'llm = "{name}"']
    file.write_text("\n".join(lines) + "\n")
