"""Common names of facts find the keys that hold them (labelled by hand, `infobox_keys.jsonl`)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from models.kg.execution.fetch.infobox import find_key, nearest_keys
from models.kg.execution.fetch.open import facts

FILE = Path(__file__).with_name("infobox_keys.jsonl")


@pytest.mark.parametrize(
    ("name", "keys", "key"),
    [
        ("founder", ["founders", "founded"], "founders"),
        ("population", ["population_density_km2", "population_total"], "population_total"),
        ("elevation", ["elevation_ft", "elevation_m"], "elevation_m"),
        ("largest_city", ["LargestCity"], "LargestCity"),
        ("popluation", ["population"], "population"),
        ("county", ["country"], None),
        ("place_of_death", ["death_date"], None),
        ("pilot", ["owner", "location"], None),
    ],
)
def test_the_key_of_a_fact_has_another_name(name: str, keys: list[str], key: str | None) -> None:
    assert find_key(name, keys) == key


def test_the_nearest_keys_leave_out_those_of_the_layout() -> None:
    keys = ["owner", "image_size", *(f"key{i}" for i in range(9))]
    assert len(nearest_keys("ownership_of_it", keys)) == 5
    assert nearest_keys("ownership_of_it", keys)[0] == "owner"


@pytest.mark.crag_data
def test_labelled_facts_of_the_real_kg_are_found(crag_data: Path) -> None:
    lines = (crag_data / "kg" / "open.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {page["name"]: facts(page, page["name"]) for page in map(json.loads, lines)}
    counts: Counter[str] = Counter()
    for line in FILE.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        counts[verdict(rows[case["entity"]], case["word"], case["keys"])] += 1
    existing_facts = counts.total() - counts["rightly nothing"]
    assert counts.total() >= 250
    assert counts["found"] >= 0.92 * existing_facts, counts
    assert counts["wrong"] <= 0.02 * counts.total(), counts


def verdict(row: dict[str, Any], name: str, labelled_keys: list[str]) -> str:
    """How the key that is found for a name compares with those labelled by hand."""
    key = find_key(name, [key for key, value in row.items() if value and key != "summary_text"])
    if key is None:
        return "missed" if labelled_keys else "rightly nothing"
    return "found" if row[key] in [row.get(other) for other in labelled_keys] else "wrong"
