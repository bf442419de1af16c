"""What people call a fact finds the key that holds it (labelled by hand, `infobox_keys.jsonl`)."""

import json
from collections import Counter
from pathlib import Path

import pytest

from models.kg.execution.fetch.infobox import find_key, nearest_keys
from models.kg.execution.fetch.open import facts

FILE = Path(__file__).with_name("infobox_keys.jsonl")


@pytest.mark.parametrize(
    ("asked", "keys", "found"),
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
def test_a_fact_is_found_by_other_names(asked: str, keys: list[str], found: str | None) -> None:
    assert find_key(asked, keys) == found


def test_where_nothing_fits_the_nearest_keys_are_told() -> None:
    keys = ["owner", "image_size", *(f"key{i}" for i in range(9))]
    assert len(nearest_keys("ownership_of_it", keys)) == 5
    assert nearest_keys("ownership_of_it", keys)[0] == "owner"


@pytest.mark.crag_data
def test_labelled_facts_of_the_real_kg_are_found(crag_data: Path) -> None:
    lines = (crag_data / "kg" / "open.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["name"]: facts(row, row["name"]) for row in map(json.loads, lines)}
    counts: Counter[str] = Counter()
    for case in map(json.loads, FILE.read_text(encoding="utf-8").splitlines()):
        row = rows[case["entity"]]
        key = find_key(case["word"], [k for k, v in row.items() if v and k != "summary_text"])
        right = key is not None and row[key] in [row.get(other) for other in case["keys"]]
        verdict = "found" if right else "missed" if key is None else "wrong"
        counts[verdict if case["keys"] or key is not None else "rightly nothing"] += 1
    asked = counts.total() - counts["rightly nothing"]
    assert counts.total() >= 250
    assert counts["found"] >= 0.92 * asked, counts
    assert counts["wrong"] <= 0.02 * counts.total(), counts
