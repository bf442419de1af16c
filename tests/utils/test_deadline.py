import pytest

from utils.deadline import Deadline
from utils.errors import DeadlineExceeded


def test_a_deadline_expires_and_a_sooner_one_is_never_later() -> None:
    now = [5.0]
    deadline = Deadline.after(10, lambda: now[0])
    assert deadline.remaining() == 10
    assert (deadline.sooner(3).remaining(), deadline.sooner(30).remaining()) == (3, 10)
    now[0] = 14.0
    deadline.check("still fine")
    for now[0] in (15.0, 99.0):
        assert deadline.remaining() == 0 and deadline.expired
        with pytest.raises(DeadlineExceeded, match="fetching: no time left"):
            deadline.check("fetching")
