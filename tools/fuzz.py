"""Fuzz the whole API of a real server with schemathesis, with the key and without.

python -m tools.fuzz --seconds 300
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

from service.http.app import create_app
from service.http.ports import Answerer
from service.http.state import ServiceState

ROOT: Final = Path(__file__).parent.parent
_READY_S: Final = 120.0


@contextmanager
def server(folder: Path, key: str) -> Iterator[str]:
    """A server over the shipped corpus with the test embedder, that writes below the folder only."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "documents").mkdir()
    own = {
        "DOCUMENTS": str(folder / "documents"),
        "INDEX_ROOT": str(folder / "index"),
        "EMBEDDER": "hashing",
        "API_KEY": key,
        "RATE_PER_KEY": "",
    }
    words = [sys.executable, "-m", "rigwise", "serve", "--port", str(port)]
    environment = {
        **os.environ,  # noqa: TID251 - handed on to the process
        **{f"RIGWISE_{name}": value for name, value in own.items()},
    }
    process = subprocess.Popen(words, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        yield _ready(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(30)


def _ready(address: str) -> str:
    until = monotonic() + _READY_S
    while monotonic() < until:
        try:
            urlopen(f"{address}/readyz", timeout=5).close()  # noqa: S310 - our own server
        except (URLError, OSError):
            sleep(0.2)
        else:
            return address
    raise TimeoutError(f"{address} was not ready within {_READY_S:g} s")


def fuzz(address: str, schema: Path, seconds: int, headers: list[str]) -> int:
    """One run with all checks; the exit code of schemathesis."""
    words = [
        "run",
        str(schema),
        f"--url={address}",
        f"--max-time={seconds}",
        "--phases=examples,coverage,fuzzing",
        "--suppress-health-check=all",
        "--no-color",
    ]
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if program is None:
        raise FileNotFoundError("schemathesis is not installed: pip install 'rigwise[dev]'")
    return subprocess.run([program, *words, *headers], cwd=ROOT, check=False).returncode  # noqa: S603


def described(folder: Path) -> Path:
    """The description of the API as a file, since without the key the server shows none."""

    def never(_: ServiceState) -> Answerer:
        raise RuntimeError("only described, never started")

    place = folder / "openapi.json"
    place.write_text(json.dumps(create_app(ServiceState(never)).openapi()), encoding="utf-8")
    return place


def main(seconds: int, *more: str) -> int:
    """Both runs, half of the time each, with further options for schemathesis."""
    key = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        schema = described(folder)
        with server(folder, key) as address:
            with_key = fuzz(
                address, schema, seconds // 2, [f"--header=Authorization: Bearer {key}", *more]
            )
            # Without the key an unknown method is refused for the key first.
            without = fuzz(
                address, schema, seconds // 2, ["--exclude-checks=unsupported_method", *more]
            )
    return with_key or without


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=300)
    sys.exit(main(parser.parse_args().seconds))
