"""Prompts are files: `<system>/<stage>.txt`, in our own words, loaded by name.

A line `== system ==`, `== user ==` or `== assistant ==` opens a turn; `{name}` stands for a value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.llm.protocol import Message
from utils.errors import InputError, SettingsError

FOLDER = Path(__file__).resolve().parent
NOTHING_FOUND = "nothing was found"  # in a place that would be blank
_TURN = re.compile(r"^== (system|user|assistant) ==\n", re.M)
_FIELD = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A chat with places for values.

    Attributes:
        name: `<system>/<stage>`.
        turns: (role, text with places) in order.
    """

    name: str
    turns: tuple[tuple[str, str], ...]

    @property
    def fields(self) -> frozenset[str]:
        """The names of its places."""
        return frozenset(name for _, text in self.turns for name in _FIELD.findall(text))

    def render(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The chat with `values` in their places, unchanged; a blank one becomes `NOTHING_FOUND`.

        Raises:
            InputError: a place has no value, or a value no place.
        """
        if self.fields != values.keys():
            differ = ", ".join(sorted(self.fields ^ values.keys()))
            raise InputError(f"the prompt {self.name} and its values differ in: {differ}")
        shown = {name: value if value.strip() else NOTHING_FOUND for name, value in values.items()}
        return tuple(
            Message(role, _FIELD.sub(lambda place: shown[place[1]], text))  # type: ignore[arg-type]
            for role, text in self.turns
        )


@cache
def load_prompt(name: str, folder: Path = FOLDER) -> Template:
    """The prompt in `<name>.txt`.

    Raises:
        SettingsError: there is no such file, or it opens no turn.
    """
    file = folder / f"{name}.txt"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"no prompt is called {name!r}: {error}") from error
    before, *parts = _TURN.split(text)
    if before.strip() or not parts:
        raise SettingsError(f"{file}: the first line must be `== system ==` or `== user ==`")
    turns = zip(parts[::2], parts[1::2], strict=True)
    return Template(name, tuple((role, said.strip()) for role, said in turns))
