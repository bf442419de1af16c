from pathlib import Path

import pytest

from models.__main__ import main


def test_the_command_answers_one_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html><body><p>Nothing about it.</p></body></html>")
    assert main(["who directed the film nobody made?", "--page", str(page)]) == 0
    assert capsys.readouterr().out == "i don't know\n"
    assert main(["who?", "--set", "sytem=db3"]) == 2
