"""The model of docs/participants.md works as the page says."""

import re
from pathlib import Path

import pytest

from evaluation.model_process import KG_VARIABLES
from local_evaluation import main
from models.settings import ROOT
from tests.evaluation.run_files import rows_of, write_rows

pytestmark = pytest.mark.first_week


def test_the_model_of_the_page_answers_from_the_kg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in KG_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    page = (ROOT / "docs" / "participants.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (tmp_path / "my_model.py").write_text(code, encoding="utf-8")
    dataset = tmp_path / "questions.jsonl"
    queries = {"who directed titanic?": "james cameron", "who wrote titanic?": "james cameron"}
    write_rows(dataset, [{"query": query, "answer": gold} for query, gold in queries.items()])
    out = tmp_path / "run"
    argv = ["--model", f"{tmp_path / 'my_model.py'}:UserModel", "--dataset", str(dataset)]
    assert main([*argv, "--mock-api", str(ROOT / "example_data" / "kg"), "--out", str(out)]) == 0
    answers = [row["prediction"] for row in rows_of(out / "predictions.jsonl")]
    assert answers == ["James Cameron", "i don't know"]
