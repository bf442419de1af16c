"""Every cell of the fault matrix has a test, or a reason why it cannot happen."""

from itertools import product

from tests.faults.matrix import COLUMNS, PAGE, ROWS, cells_with_tests, cells_without, written_page


def test_every_cell_has_either_a_test_or_a_reason() -> None:
    cells = set(product(ROWS, COLUMNS))
    tested = cells_with_tests().keys()
    impossible = cells_without().keys()
    assert cells - tested - impossible == set()
    assert (tested | impossible) - cells == set()
    assert tested & impossible == set()


def test_the_page_has_the_current_table() -> None:
    """If this fails: python -m tests.faults.matrix"""
    assert PAGE.read_text(encoding="utf-8") == written_page()
