"""Every cell of the fault matrix has a test, or a reason why it cannot happen."""

from tests.faults.matrix import COLUMNS, PAGE, ROWS, cells_with_tests, cells_without, written_page


def test_every_cell_has_a_test_or_a_reason_and_not_both() -> None:
    every = {(row, column) for row in ROWS for column in COLUMNS}
    tested, impossible = cells_with_tests().keys(), cells_without().keys()
    assert every - tested - impossible == set()
    assert (tested | impossible) - every == set()
    assert tested & impossible == set()


def test_the_page_has_the_table_of_the_tests() -> None:
    """If this fails: python -m tests.faults.matrix"""
    assert PAGE.read_text(encoding="utf-8") == written_page()
