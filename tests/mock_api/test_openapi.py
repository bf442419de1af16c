"""Requests drawn from the API's own description get a status and a body that it describes."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks
from starlette.testclient import TestClient

from utils.crag_endpoints import ENDPOINTS

# As in the official server, `false` is an integer, and a year must be one that the KG covers.
LENIENT = [checks.negative_data_rejection, checks.positive_data_acceptance]
OPERATIONS = [("/", "GET"), ("/health", "GET"), *((row.path, "POST") for row in ENDPOINTS)]


@pytest.fixture(scope="module")
def described(client: TestClient) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", client.app)


@pytest.mark.parametrize("client", ["neutral"], indirect=True)
@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[path for path, _ in OPERATIONS])
@settings(
    max_examples=settings().max_examples // 5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.data())
def test_every_request_is_answered_as_described(
    described: Any, path: str, method: str, data: st.DataObject
) -> None:
    mode = data.draw(st.sampled_from(GenerationMode))
    case = data.draw(described[path][method].as_strategy(generation_mode=mode))
    case.call_and_validate(excluded_checks=LENIENT)
