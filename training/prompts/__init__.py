"""The prompts that only training uses, in our own words; the form is that of `models/prompts`."""

from pathlib import Path

from models.prompts import Template, load_prompt

_FOLDER = Path(__file__).resolve().parent


def prompt(name: str) -> Template:
    """The prompt in `<name>.txt` of this folder. Raises SettingsError where there is none."""
    return load_prompt(name, _FOLDER)
