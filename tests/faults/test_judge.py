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
def test_a_failed_verdict_is_unscored_and_affects_no_other_item(reply: Reply) -> None:
    def choose(text: str) -> Reply:
        if "town 1" in text:
            return reply
        return says(RIGHT)

    with fake_server(by_text(choose)) as server:
        items = [item(f"town {n}", str(n)) for n in range(3)]
        before, failed, after = hasty(server, seconds=0.5).judge(items)
    for judgement in (before, after):
        assert judgement.verdict is Verdict.CORRECT
        assert not judgement.failed
    assert failed.verdict is Verdict.UNSCORED
    assert failed.failed
    assert failed.reason


@fault("judge", "duplicate")
@pytest.mark.parametrize("second", ["accurate", "incorrect"])
def test_a_repeated_verdict_counts_unless_it_contradicts_itself(second: str) -> None:
    with fake_server(says(RIGHT + RIGHT.replace("accurate", second))) as server:
        [judgement] = hasty(server).judge([item()])
    assert (judgement.verdict is Verdict.CORRECT) == (second == "accurate")
