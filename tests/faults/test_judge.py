"""An LLM judge that fails leaves its item unscored (see tests/evaluation/judge/test_llm.py)."""

import pytest

from evaluation.judge.protocol import Verdict
from tests.evaluation.judge.test_llm import by_text, hasty, item
from tests.faults.matrix import fault
from tests.faults.test_openai_server import drips, endless
from tests.models.llm.fake_server import (
    Reply,
    breaks_off,
    chunk,
    fake_server,
    refuses,
    says,
    streams,
)

RIGHT = '{"verdict": "accurate"}'


@pytest.mark.clock
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(refuses(500, "boom"), marks=fault("judge", "raises")),
        pytest.param(drips, marks=fault("judge", "slow")),
        pytest.param(breaks_off('{"verdict": "acc'), marks=fault("judge", "partial")),
        pytest.param(endless, marks=fault("judge", "huge")),
        pytest.param(refuses(507, "No space left"), marks=fault("judge", "disk full")),
    ],
)
def test_a_verdict_that_fails_is_unscored_and_alone(reply: Reply) -> None:
    def choose(text: str) -> Reply:
        return reply if "town 1" in text else says(RIGHT)

    with fake_server(by_text(choose)) as server:
        found = hasty(server, seconds=0.5).judge([item(f"town {n}", str(n)) for n in range(3)])
    verdicts = [judgement.verdict for judgement in found]
    assert verdicts == [Verdict.CORRECT, Verdict.UNSCORED, Verdict.CORRECT]
    assert [judgement.failed for judgement in found] == [False, True, False]
    assert found[1].reason


@fault("judge", "duplicate")
@pytest.mark.parametrize(
    ("reply", "right"),
    [
        (streams(chunk(content=RIGHT), chunk(content=RIGHT), chunk("stop")), True),
        (says(RIGHT + '{"verdict": "incorrect"}'), False),
    ],
)
def test_a_verdict_that_comes_twice_is_one_unless_it_contradicts_itself(
    reply: Reply, right: bool
) -> None:
    with fake_server(reply) as server:
        [judgement] = hasty(server).judge([item()])
    assert (judgement.verdict is Verdict.CORRECT) == right
