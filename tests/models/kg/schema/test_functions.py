"""The table of functions."""

import shutil
from pathlib import Path

import pytest
from pydantic import ValidationError

from models.kg.schema.functions import _TABLE, read_rows
from models.kg.schema.operations import Reduce
from models.kg.schema.prompt_text import schema_table, with_schema_table
from utils.errors import InputError


def test_a_misspelt_field_of_a_key_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    shutil.copytree(_TABLE, folder)
    file = folder / "movie.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("aliases = ", "alias = ", 1), encoding="utf-8")
    with pytest.raises(ValidationError, match="alias"):
        read_rows(folder)


def test_no_key_is_called_like_an_aggregation() -> None:
    names = {key.name for row in read_rows() for key in row.keys}
    assert names.isdisjoint(map(str, Reduce))


def test_the_table_of_a_page_is_replaced() -> None:
    header = "| function | key | type | unit | gives |"
    page = f"# Title\n\n{header}\n|---|---|\n| old | row |\n\nThe end.\n"
    assert with_schema_table(page) == f"# Title\n\n{schema_table()}\n\nThe end.\n"
    with pytest.raises(InputError, match="no table"):
        with_schema_table("# Title\n")
