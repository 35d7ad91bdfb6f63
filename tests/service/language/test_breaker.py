from __future__ import annotations

from service.language.breaker import Breaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_opens_after_failures_in_a_row():
    breaker = Breaker(failures=2, rest_s=10, clock=Clock())
    breaker.failed()
    breaker.succeeded()
    breaker.failed()

    before = breaker.allows()
    breaker.failed()

    assert (before, breaker.allows()) == (True, False)


def test_after_the_rest_one_call_is_let_through():
    clock = Clock()
    breaker = Breaker(failures=1, rest_s=10, clock=clock)
    breaker.failed()
    clock.now = 10

    assert [breaker.allows(), breaker.allows()] == [True, False]


def test_a_call_that_goes_well_closes_it():
    clock = Clock()
    breaker = Breaker(failures=1, rest_s=10, clock=clock)
    breaker.failed()
    clock.now = 10
    breaker.allows()

    breaker.succeeded()

    assert [breaker.allows(), breaker.allows()] == [True, True]
