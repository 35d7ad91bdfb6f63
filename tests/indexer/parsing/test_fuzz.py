import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.parsing.sandbox import Sandbox
from tests.indexer.parsing.fuzz import SEEDS, broken, outcome


@pytest.fixture(scope="module")
def sandbox():
    opened = Sandbox()
    yield opened
    opened.close()


@pytest.mark.parametrize("name", SEEDS)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_broken_file_is_read_or_refused_and_never_stops_the_parser(sandbox, name, data):
    path, base = SEEDS[name]

    assert outcome(sandbox, path, data.draw(broken(base))) in {"read", "refused", "failed"}
