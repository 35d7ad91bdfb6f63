from __future__ import annotations

import sys

from eval.speed.goals import judge
from eval.speed.inference import InferenceResult
from eval.speed.load import LIVEZ_ROW, measure_load
from eval.speed.rows import Row, single

# Answers everything at once, but each look at /livez after a tenth of a second.
SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        time.sleep(0.1 if self.path == "/livez" else 0)
        self.do_POST()
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(STATUS if self.path == "/v1/ask" else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def measured(script: str) -> dict[str, Row]:
    rows = measure_load((sys.executable, "-c", script), ["a", "b"], seconds=1.0, told=str)
    return {row.name: row for row in rows}


def goal_of(row: Row):
    inference = InferenceResult(rows=(), answers_s=(1.0,), queries_s=(1.0,), latencies_ms={})
    return next(goal for goal in judge([], [row], inference, {}) if goal.name == LIVEZ_ROW)


def test_livez_is_looked_at_while_clients_ask():
    rows = measured(SERVER.replace("STATUS", "200"))

    assert (rows[LIVEZ_ROW].median or 0) >= 100
    assert (rows["eight clients, answers over HTTP"].median or 0) > 8
    assert goal_of(rows[LIVEZ_ROW]).held is False


def test_a_server_that_refuses_is_no_measurement():
    rows = measured(SERVER.replace("STATUS", "503"))

    assert list(rows) == [LIVEZ_ROW]
    assert rows[LIVEZ_ROW].skipped == "skipped: the server answered 503"
    assert goal_of(rows[LIVEZ_ROW]).held is None


def test_a_server_that_ends_is_no_measurement():
    assert measured("")[LIVEZ_ROW].skipped == "skipped: the server was not ready in time"


def test_livez_may_take_fifty_milliseconds():
    row = Row(group="load", name=LIVEZ_ROW, unit="ms", higher_is_better=False)

    assert goal_of(single(row, 49.0)).held
    assert not goal_of(single(row, 51.0)).held
