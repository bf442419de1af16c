import pytest

from utils.deadline import Deadline
from utils.errors import DeadlineExceeded


def test_time_runs_out() -> None:
    now = [5.0]
    deadline = Deadline.after(10, lambda: now[0])
    assert deadline.remaining() == 10
    now[0] = 14.0
    assert deadline.remaining() == 1
    deadline.check("still fine")
    now[0] = 15.0
    assert deadline.remaining() == 0
    assert deadline.expired
    with pytest.raises(DeadlineExceeded, match="fetching: no time left"):
        deadline.check("fetching")
    now[0] = 99.0
    assert deadline.remaining() == 0


def test_a_share_is_never_later_than_the_whole() -> None:
    now = [0.0]
    deadline = Deadline.after(10, lambda: now[0])
    assert deadline.sooner(3).remaining() == 3
    assert deadline.sooner(30).remaining() == 10
