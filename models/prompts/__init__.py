"""Prompts are files: `<system>/<stage>.txt`, in our own words, loaded by name.

A line `== system ==`, `== user ==` or `== assistant ==` begins a turn; `{name}` is a placeholder.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.llm.protocol import Message
from utils.errors import InputError, SettingsError

FOLDER = Path(__file__).resolve().parent
NOTHING_FOUND = "nothing was found"  # replaces a blank value
_TURN = re.compile(r"^== (system|user|assistant) ==\n", re.M)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A chat with placeholders for values.

    Attributes:
        name: `<system>/<stage>`.
        turns: (role, text with placeholders) in order.
    """

    name: str
    turns: tuple[tuple[str, str], ...]

    @property
    def fields(self) -> frozenset[str]:
        """The names of its placeholders."""
        names: set[str] = set()
        for _, text in self.turns:
            names.update(_PLACEHOLDER.findall(text))
        return frozenset(names)

    def render(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The chat with `values` for its placeholders, unchanged; blank ones are `NOTHING_FOUND`.

        Raises:
            InputError: a placeholder has no value, or a value no placeholder.
        """
        if self.fields != values.keys():
            differences = ", ".join(sorted(self.fields ^ values.keys()))
            raise InputError(f"the prompt {self.name} and its values differ in: {differences}")

        def value_of(placeholder: re.Match[str]) -> str:
            value = values[placeholder[1]]
            return value if value.strip() else NOTHING_FOUND

        messages = []
        for role, text in self.turns:
            messages.append(Message(role, _PLACEHOLDER.sub(value_of, text)))  # type: ignore[arg-type]
        return tuple(messages)


@cache
def load_prompt(name: str, folder: Path = FOLDER) -> Template:
    """The prompt in `<name>.txt`.

    Raises:
        SettingsError: there is no such file, or it does not begin with a turn.
    """
    file = folder / f"{name}.txt"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"no prompt is called {name!r}: {error}") from error
    before_turns, *parts = _TURN.split(text)  # the parts are role, text, role, text, …
    if before_turns.strip() or not parts:
        raise SettingsError(f"{file}: the first line must be `== system ==` or `== user ==`")
    roles = parts[::2]
    texts = [text.strip() for text in parts[1::2]]
    return Template(name, tuple(zip(roles, texts, strict=True)))
