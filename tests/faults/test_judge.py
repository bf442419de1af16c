"""An LLM judge that fails leaves its item unscored (see tests/evaluation/judge/test_llm.py)."""

import pytest

from evaluation.judge.protocol import Verdict
from tests.evaluation.judge.test_llm import by_text, hasty, item
from tests.faults.matrix import fault
from tests.faults.test_openai_server import drips, endless
from tests.models.llm.fake_server import Reply, breaks_off, fake_server, refuses, says

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
    verdicts = [(judgement.verdict, judgement.failed) for judgement in found]
    right = (Verdict.CORRECT, False)
    assert verdicts == [right, (Verdict.UNSCORED, True), right]
    assert found[1].reason


@fault("judge", "duplicate")
@pytest.mark.parametrize("second", ["accurate", "incorrect"])
def test_a_verdict_that_comes_twice_is_one_unless_it_contradicts_itself(second: str) -> None:
    with fake_server(says(RIGHT + RIGHT.replace("accurate", second))) as server:
        [judgement] = hasty(server).judge([item()])
    assert (judgement.verdict is Verdict.CORRECT) == (second == "accurate")
