"""What is tried again, when, and what is not; against replies that are made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat

import httpx2
import pytest

from rigwise.client import errors
from rigwise.client.clients import waiting
from service.http.problems import PROBLEMS, Problem

DELETED = httpx2.Response(200, json={"deleted": True, "since": "a newer version"})


@dataclass
class Replies:
    """Gives one reply after another, the last one for ever."""

    replies: list[httpx2.Response | Exception]
    asked: list[httpx2.Request] = field(default_factory=list)

    def __post_init__(self):
        self._next: Iterator[httpx2.Response | Exception] = chain(
            self.replies, repeat(self.replies[-1])
        )

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        reply = next(self._next)
        if isinstance(reply, Exception):
            raise reply
        return httpx2.Response(
            reply.status_code, headers=reply.headers, content=reply.content, request=request
        )


def problem(code: str, **headers: str) -> httpx2.Response:
    sent = Problem(code=code, detail="why", headers=headers).response("r-1")
    return httpx2.Response(sent.status_code, content=bytes(sent.body), headers=sent.headers)


@pytest.fixture
def forget(flavour) -> Callable[..., object]:
    def run(replies: Replies, *, patience_s: float = 60.0) -> object:
        use = flavour(transport=httpx2.MockTransport(replies), patience_s=patience_s)
        return use("forget", "c")

    return run


BUSY = problem("overloaded", **{"Retry-After": "0"})
LOADING = problem("not_ready", **{"Retry-After": "0"})


def test_what_was_not_done_is_tried_again(forget):
    replies = Replies([httpx2.ConnectError("refused"), BUSY, LOADING, DELETED])

    assert forget(replies).deleted
    assert len(replies.asked) == 4


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (problem("overloaded"), errors.Busy),
        (problem("generation_corrupt"), errors.Unavailable),
        (problem("internal_error"), errors.Failed),
        (problem("answer_timeout"), errors.TimedOut),
        (httpx2.ReadTimeout("late"), errors.Unreachable),
        (httpx2.Response(502, text="<html>a proxy</html>"), errors.BadReply),
        (httpx2.Response(200, text="<html>a page</html>"), errors.BadReply),
        (httpx2.Response(302, headers={"Location": "http://127.0.0.1:1/"}), errors.BadReply),
    ],
)
def test_what_may_have_been_done_is_not_tried_again(forget, reply, kind):
    replies = Replies([reply, DELETED])

    with pytest.raises(kind):
        forget(replies)
    assert len(replies.asked) == 1


def test_trying_ends(forget):
    replies = Replies([BUSY])

    with pytest.raises(errors.Busy):
        forget(replies)
    assert len(replies.asked) == 6


def test_the_service_says_how_long_to_wait():
    wait = waiting(60.0)

    assert wait(errors.problem_from(problem("overloaded").json(), retry_after="7")) == 7.0
    assert wait(errors.problem_from(problem("overloaded").json(), retry_after="99999")) is False
    assert wait(errors.problem_from(problem("overloaded").json(), retry_after="soon")) is False


def test_a_stream_is_opened_again_and_never_begun_twice(flavour):
    cut = httpx2.Response(
        200,
        headers={"Content-Type": "text/event-stream"},
        text='event: news\ndata: {}\n\nevent: evidence\ndata: {"retrieved": []}\n\n',
    )
    replies = Replies([BUSY, cut, DELETED])

    with pytest.raises(errors.BadReply, match="ended before the answer"):
        flavour(transport=httpx2.MockTransport(replies))("stream", "memory?")
    assert len(replies.asked) == 2


def test_an_error_in_a_stream_is_raised(flavour):
    told = f"event: error\ndata: {problem('answer_timeout').text}\n\n"
    sent = httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, text=told)

    with pytest.raises(errors.TimedOut) as caught:
        flavour(transport=httpx2.MockTransport(Replies([sent])))("stream", "memory?")
    assert (caught.value.code, caught.value.request_id) == ("answer_timeout", "r-1")


@pytest.mark.parametrize("code", PROBLEMS)
def test_every_code_has_a_class(code):
    error = errors.problem_from(problem(code).json())

    assert isinstance(error, errors.Problem)
    assert type(error) is not errors.Problem
    assert (error.code, error.status) == (code, PROBLEMS[code][0])


def test_a_status_of_the_future_is_a_problem():
    body = {**problem("overloaded").json(), "status": 451, "code": "new"}

    assert type(errors.problem_from(body)) is errors.Problem
