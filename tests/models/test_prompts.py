"""Every prompt file can be loaded, and its placeholders have the names that systems fill."""

import re
from pathlib import Path

import pytest

from models.prompts import FOLDER, NOTHING_FOUND, Template, load_prompt
from utils.errors import InputError, SettingsError

NAMES = sorted(str(file.relative_to(FOLDER).with_suffix("")) for file in FOLDER.rglob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_begins_with_a_turn_and_ends_with_the_users(name: str) -> None:
    template = load_prompt(name)
    roles = [role for role, _ in template.turns]
    assert roles[-1] == "user" and all(text for _, text in template.turns)
    assert "question" in template.fields or name.rpartition("/")[2].startswith("judge")
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    other_braces = re.search(r"\{(?![a-z_]+\})", text.replace("{{", "").replace('{"', ""))
    assert not other_braces


def test_values_replace_their_placeholders_unchanged_and_must_match_them() -> None:
    template = Template("t", (("user", "{question} {passages}"),))
    (message,) = template.render({"question": "{passages}", "passages": "a {question} b"})
    assert message.text == "{passages} a {question} b"
    (message,) = template.render({"question": "q", "passages": " \n"})
    assert message.text == f"q {NOTHING_FOUND}"
    for values in ({"question": "x"}, {"question": "x", "passages": "y", "more": "z"}):
        with pytest.raises(InputError, match="the prompt t"):
            template.render(values)


def test_the_error_names_the_prompt_that_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no prompt is called 'db3/nothing'"):
        load_prompt("db3/nothing")
    (tmp_path / "x.txt").write_text("hello\n== user ==\nhi\n")
    with pytest.raises(SettingsError, match="first line"):
        load_prompt("x", tmp_path)
