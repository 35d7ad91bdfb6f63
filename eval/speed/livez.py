"""Look at /livez of a server again and again from a process of its own, which whoever makes the load cannot slow down.

python -m eval.speed.livez 127.0.0.1:8080 20        prints the milliseconds of each look as one JSON list
"""

from __future__ import annotations

import json
import subprocess
import sys
from http.client import HTTPConnection
from time import perf_counter, sleep
from typing import Final

_PAUSE_S: Final = 0.05
_TIMEOUT_S: Final = 30.0


def watch_livez(address: str, seconds: float) -> list[float]:
    """Milliseconds of each look at `host:port`, twenty looks a second at most.

    Raises:
        OSError: the server is not there.
    """
    connection = HTTPConnection(address, timeout=_TIMEOUT_S)
    until = perf_counter() + seconds
    seen = []
    while perf_counter() < until:
        began = perf_counter()
        connection.request("GET", "/livez")
        connection.getresponse().read()
        seen.append((perf_counter() - began) * 1000)
        sleep(_PAUSE_S)
    connection.close()
    return seen


def begin_watching(address: str, seconds: float) -> subprocess.Popen[str]:
    """Begin to look from another process; `end_watching` has what it saw."""
    words = [sys.executable, "-m", "eval.speed.livez", address, str(seconds)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own module


def end_watching(process: subprocess.Popen[str]) -> list[float]:
    """What the other process saw, in milliseconds; nothing when it failed."""
    told, _ = process.communicate()
    return [float(value) for value in json.loads(told)] if process.returncode == 0 else []


if __name__ == "__main__":
    sys.stdout.write(json.dumps(watch_livez(sys.argv[1], float(sys.argv[2]))))
