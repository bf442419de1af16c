"""The quantity that a text begins with, and the number of its members."""

import pytest

from models.english.leading_quantities import leading_quantity
from models.english.member_counts import member_count


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("45% of the vote, 3 million", 45, "%"),
        ("3 million", 3e6, ""),
        ("US$32.25 billion (2020)", 32.25e9, "$"),
        ("−26.1", -26.1, ""),
        ("5.97×10^24 kg", 5.97e24, "kg"),
        ("2 × 10^3", 2000, ""),
        ("120,000 (2010 census)", 120_000, ""),
    ],
)
def test_a_text_begins_with_a_quantity(text: str, value: float, unit: str) -> None:
    quantity = leading_quantity(text)
    assert quantity is not None
    assert (quantity.value, quantity.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    "text", ["", "5 June 1990", "2001-05", "41st of all", "two of them", "about 12", "c. 1950"]
)
def test_a_text_begins_with_no_quantity(text: str) -> None:
    assert leading_quantity(text) is None


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (["10, 14, 23"], 3),
        (["10", "14", "10"], 2),
        (["1961–1970", "1984"], 2),
        (["27601,27603"], 2),
        (["12,500"], 12_500),
        (["75 (+2 below ground)"], 75),
        (["86% Finns", "6% Swedes"], 2),
        (["2013-10-14", "2013-10-11"], 2),
        (["6 of one kind", "1 of another"], None),
        (["Ann, Bo"], 2),
        (["10 Years", "Ann Lee", "Bo Third"], 3),
        (["9 to 5", "Salt"], 2),
        (["16 Horsepower, Ann and Bo"], 3),
        (["49ers, Gulls"], 2),
        (["1600 Harbour Street"], 1),
        (["3 Doors Down"], 1),
        (["3 children"], 3),
        (["1,200 employees (2020)"], 1200),
        (["3 sons and 2 daughters"], None),
        (["1984", "Salt"], None),
        ([""], 0),
    ],
)
def test_members_are_counted(values: list[str], count: int | None) -> None:
    assert member_count(values) == count
