"""What the documents name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = "models|utils|mock_api|evaluation|training|submission|benchmarks|tests|docs|example_data"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(ROOT / name / "README.md" for name in ("training/data", "example_data")),
    *(ROOT / "docs").rglob("*.md"),
]
PLACEHOLDER = re.compile(r"NAME|SYSTEM|DOMAIN|two_steps")  # the last is an example
ELSEWHERE = ("models/weights", "mock_api/cragkg", "models/errors.py")  # made later, or denied


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_and_test_of_a_document_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for file, name in TEST.findall(text):
        assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
    real = {path for path in PATH.findall(text) if not PLACEHOLDER.search(path)}
    missing = sorted(path for path in real if not (ROOT / path).exists())
    if document.name != "LOG.md":  # history names what is gone
        assert not [path for path in missing if not path.startswith(ELSEWHERE)]
