"""Common names of facts find the keys that hold them (labelled by hand, `infobox_keys.jsonl`)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from models.kg.execution.fetch.infobox import find_key, held_by, nearest_keys
from models.kg.execution.fetch.open import facts
from models.kg.schema.functions import Key

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


@pytest.mark.parametrize(
    ("name", "keys", "nearest"),
    [
        ("ownership_of_it", ["image_size", "key", "owner"], ["owner"]),
        ("wedding_year", ["state1", "birth_date", "spouse"], ["spouse"]),
        ("partner_name", ["part_of", "party", "spouse"], ["spouse"]),
        ("tagline_text", ["location_city", "tags", "motto"], ["motto"]),
        ("prior_owner", ["prison", "former_names", "owner"], ["owner"]),
        ("town_of_birth", ["towers", "birth_place"], ["birth_place"]),
        ("brother", ["brotherhood", "relatives", "mother"], ["relatives"]),
        ("population_in_1950", ["popular_songs", "population_total"], ["population_total"]),
        ("count_of_reactors", ["country", "np_reactors"], ["np_reactors"]),
        ("worker_satisfaction", ["work", "num_employees"], ["num_employees"]),
        ("pilot", ["plot", "owner", "location"], []),
        ("date", ["birth_date", "founded"], []),
        ("member", ["a_members", "b_members", "c_members", "d_members"], None),
    ],
)
def test_the_nearest_keys_are_near_by_meaning(
    name: str, keys: list[str], nearest: list[str] | None
) -> None:
    suggestions = nearest_keys(name, keys)
    assert suggestions == (keys[:3] if nearest is None else nearest)


@pytest.mark.parametrize(
    ("name", "row", "note"),
    [
        (
            "wedding_year",
            {"spouse": ["Ann Lee (1990–1999)", "Cy Four (2001-05-04)"], "spy": "x"},
            "the nearest that it has is spouse: Ann Lee (1990–1999), Cy Four (2001-05-04)",
        ),
        (
            "town_of_birth",
            {"birth_place": "Oulu", "birth_place1": "Oulu", "summary_text": "Born."},
            "the nearest that it has is birth place: Oulu",
        ),
        (
            "brother",
            {"relatives": list("abcdefg")},
            "the nearest that it has is relatives: a, b, c, d, e …",
        ),
        ("pilot", {"pit": "A pit", "summary_text": "A pilot."}, ""),
        ("spouse", {"spouse": "Ann Lee"}, ""),
    ],
)
def test_an_absent_fact_is_noted_with_the_values_of_the_nearest(
    name: str, row: dict[str, Any], note: str
) -> None:
    assert held_by(Key(name), row)[2] == note


def test_a_fact_is_found_by_an_equivalent_name() -> None:
    row = {"former_names": ["Yard", "Dock"], "name": "Quay"}
    key, found_row, note = held_by(Key("old_name"), row)
    assert found_row[key.name] == ["Yard", "Dock"]
    assert note == '"old_name" was read as "former_names"'


@pytest.mark.parametrize(
    "value",
    ["Unknown", "n/a", "N/A", "TBA", "tbd", "''unknown''", "not known", "{{small|Unknown}}"],
)
def test_a_value_that_says_that_it_is_unknown_is_absent(value: str) -> None:
    assert "age" not in facts({"summary_structured": {"age": value, "height": "2 m"}})
    assert facts({"summary_structured": {"age": f"{value} to many"}})["age"]


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
