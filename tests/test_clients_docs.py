"""Every example of docs/clients.md runs against a real service over the whole corpus, and prints what is printed there."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
import uvicorn

from indexer.parsing import is_document
from service.http.app import Equipment, create_app
from service.http.documents import Managed
from service.http.uploads import DocumentFolder
from service.store.keeper import Keeper
from service.store.spool import Spool
from service.store.store import Store
from tests.hostile.conftest import NoBuilds
from tests.service.http.conftest import ready_state

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
McpDoor = pytest.importorskip("service.http.mcp_door").McpDoor

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
URL = "http://127.0.0.1:8080"
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", TEXT, re.M | re.S)
COMMANDS = [
    command
    for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.M | re.S)
    for command in re.findall(r"curl (?:.*\\\n)*.*", block)
]
HOSTS = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", TEXT, re.M | re.S)]


@pytest.fixture(scope="module")
def address(real_engine, tmp_path_factory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("service")
    (root / "own").mkdir()
    folder = DocumentFolder(
        root / "own", shipped=ROOT / "corpus", accepts=is_document, max_bytes=10_000
    )
    equipment = Equipment(
        managed=Managed(rebuilder=NoBuilds(), folder=folder),
        keeper=Keeper(Store(f"sqlite:///{root / 'store.sqlite3'}"), Spool(root / "spool")),
        mcp=McpDoor(hosts=["127.0.0.1:*"], origins=[]),
    )
    app = create_app(ready_state(real_engine), equipment=equipment)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        Event().wait(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.mark.model
@pytest.mark.parametrize(("program", "printed"), PROGRAMS)
def test_a_program_runs_and_prints_what_is_told(address, program, printed):
    ran = subprocess.run(  # noqa: S603 - the interpreter that runs this test
        [sys.executable, "-W", "error", "-c", program.replace(URL, address)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == printed if printed else ran.stdout.strip()


@pytest.mark.model
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_gets_a_good_reply(address, command):
    told = command.replace("curl ", "curl --fail --show-error ", 1).replace(URL, address)
    ran = subprocess.run(  # noqa: S602 - our own documentation
        told, shell=True, capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.returncode == 0, ran.stderr
    if "event-stream" in command:
        assert "event: done\n" in ran.stdout
    else:
        assert json.loads(ran.stdout)["generation"]


@pytest.mark.model
@pytest.mark.parametrize("host", HOSTS, ids=[str(place) for place in range(len(HOSTS))])
def test_a_host_with_these_lines_finds_the_tools(address, host):
    (servers,) = host.values()
    assert servers.keys() == {"rigwise"}

    tools = asyncio.run(_tools(servers["rigwise"], address))

    assert tools == {"ask", "recommend", "estimate", "search", "passage"}


def test_no_example_is_left_out():
    fences = re.findall(r"^```(\w+)\n", TEXT, re.M)

    assert fences.count("python") == len(PROGRAMS) > 5
    assert fences.count("json") == len(HOSTS) > 2
    assert TEXT.count("\ncurl ") == len(COMMANDS) > 4


async def _tools(told, address):
    if "url" in told:
        http = pytest.importorskip("httpx2").AsyncClient(headers=told["headers"])
        streamable = pytest.importorskip("mcp.client.streamable_http").streamable_http_client
        async with (
            http,
            mcp.Client(streamable(told["url"].replace(URL, address), http_client=http)) as client,
        ):
            return {tool.name for tool in (await client.list_tools()).tools}
    assert told["command"] == "rigwise"
    command = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "rigwise", *told["args"]],
        cwd=ROOT,
        env={"RIGWISE_INDEX_ROOT": "var/index"},
    )
    async with mcp.Client(command) as client:
        return {tool.name for tool in (await client.list_tools()).tools}
