"""What the endpoints answer over invented facts, the same from either form of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("answers.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_every_case_is_answered_as_recorded(ask: Callable[..., Any]) -> None:
    """`why` says what a case shows; `column` is the only one of a table of games to look at."""
    found = []
    for case in CASES:
        result = ask(case["path"], **case["body"])
        if result and "column" in case:
            result = result[case["column"]]
        found.append({**case, "result": result})
    assert found == CASES


def test_more_ids_than_sqlite_takes_parameters(ask: Callable[..., Any]) -> None:
    ids = [*map(str, range(40_000)), "02"]
    plays = ask("/sports/nba/get_play_by_play_data_by_game_ids", game_ids=ids)
    assert plays["eventnum"] == {"0": 1}
