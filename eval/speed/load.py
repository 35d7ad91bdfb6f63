"""A real server under eight clients: answers a second, how long each takes, and /livez meanwhile."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from time import perf_counter, sleep
from typing import Final

from eval.speed.livez import begin_watching, end_watching
from eval.speed.rows import Row, single
from eval.speed.stats import percentile

LIVEZ_ROW: Final = "/livez while eight ask, p99"
_CLIENTS: Final = 8
_READY_S: Final = 120.0
_END_S: Final = 30.0
_OK: Final = 200
_HOST: Final = "127.0.0.1"


def measure_load(
    serve: Sequence[str],
    questions: Sequence[str],
    *,
    seconds: float,
    told: Callable[[str], object],
) -> list[Row]:
    """Start the command `serve` with a free port behind it, ask with eight clients, and look at /livez meanwhile.

    The clients, the server and who looks at /livez are three processes, and share this machine's cores.
    """
    told(f"load: {_CLIENTS} clients, {seconds:g} s")
    try:
        with serving(serve) as address:
            _ask(
                address, questions[:_CLIENTS], until=0.0
            )  # each client's first answer is not measured
            watching = begin_watching(address, seconds)
            took_ms = _ask(address, questions, until=perf_counter() + seconds)
            looks_ms = end_watching(watching)
    except OSError as error:
        return [_row(LIVEZ_ROW).model_copy(update={"skipped": f"skipped: {error}"})]
    if not looks_ms or not took_ms:
        reason = "skipped: the server did not answer under load"
        return [_row(LIVEZ_ROW).model_copy(update={"skipped": reason})]
    rate = Row(group="load", name="eight clients, answers over HTTP", unit="questions/s")
    return [
        single(rate, len(took_ms) / seconds),
        single(_row("eight clients, an answer over HTTP, p50"), percentile(took_ms, 0.5)),
        single(_row("eight clients, an answer over HTTP, p99"), percentile(took_ms, 0.99)),
        single(_row("/livez while eight ask, p50"), percentile(looks_ms, 0.5)),
        single(
            _row(LIVEZ_ROW).model_copy(
                update={"note": f"{len(looks_ms)} looks, the longest {max(looks_ms):.1f} ms"}
            ),
            percentile(looks_ms, 0.99),
        ),
    ]


@contextmanager
def serving(serve: Sequence[str]) -> Iterator[str]:
    """The `host:port` of a server that the command `serve` starts with a free port behind it, once it is ready.

    Raises:
        OSError: it was not ready in time.
    """
    with socket.socket() as free:
        free.bind((_HOST, 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(  # noqa: S603 - the caller's own command
        [*serve, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"{_HOST}:{port}"
        _wait_ready(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(_END_S)


def _wait_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    until = perf_counter() + _READY_S
    while perf_counter() < until and process.poll() is None:
        with closing(HTTPConnection(address, timeout=_END_S)) as connection, suppress(OSError):
            connection.request("GET", "/readyz")  # its port may not be open yet
            if connection.getresponse().status == _OK:
                return
        sleep(0.2)
    raise OSError("the server was not ready in time")


def _ask(address: str, questions: Sequence[str], *, until: float) -> list[float]:
    """Milliseconds of each answer by eight clients at once, until that time of the clock, at least one each."""

    def one(client: int) -> list[float]:
        took: list[float] = []
        with closing(HTTPConnection(address, timeout=_END_S)) as connection:
            while not took or perf_counter() < until:
                text = questions[(client + _CLIENTS * len(took)) % len(questions)]
                took.append(_asked_ms(connection, text))
        return took

    with ThreadPoolExecutor(_CLIENTS) as clients:
        return [value for took in clients.map(one, range(_CLIENTS)) for value in took]


def _asked_ms(connection: HTTPConnection, text: str) -> float:
    body = json.dumps({"question": text})
    began = perf_counter()
    connection.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    reply.read()
    if reply.status != _OK:
        raise OSError(f"the server answered {reply.status}")
    return (perf_counter() - began) * 1000


def _row(name: str) -> Row:
    return Row(group="load", name=name, unit="ms", higher_is_better=False)
