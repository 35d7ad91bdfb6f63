"""Load a real server process from this one, and print what came back as Markdown.

python -m tools.load --seconds 120                  1, 8, 64 and 256 clients, each so long
python -m tools.load --clients 8 --soak 20000       then so many questions, with memory over time
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle
from time import perf_counter
from typing import Final

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from eval.speed.livez import begin_watching, end_watching
from eval.speed.load import serving
from eval.speed.stats import percentile

QUESTIONS: Final = (
    "How much memory does an H200 have?",
    "CPU or GPU for gradient boosting on tables?",
    "Compare the H100 SXM and the A100 80 GB.",
    "What hardware do I need to fine-tune a 70B model with QLoRA?",
    "Do I need ECC memory for training?",
)
_SERVE: Final = (sys.executable, "-m", "rigwise", "serve", "--host", "127.0.0.1", "--port")
_POINTS: Final = 10
_OK: Final = 200
_BUSY: Final = 429


@dataclass
class Seen:
    """What came back: statuses, seconds of each answer, milliseconds of each look at /livez, megabytes over time."""

    statuses: Counter[int | str] = field(default_factory=Counter)
    answers_s: list[float] = field(default_factory=list)
    looks_ms: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)

    @property
    def errors(self) -> int:
        """Everything that is neither an answer nor a refusal for want of a place."""
        return sum(self.statuses.values()) - self.statuses[_OK] - self.statuses[_BUSY]


async def ask(client: httpx2.AsyncClient, question: str, seen: Seen) -> None:
    """Ask once, and note what came back; after a refusal wait as long as it says, as a client should."""
    began = perf_counter()
    try:
        reply = await client.post("/v1/ask", json={"question": question})
    except httpx2.TransportError as error:
        seen.statuses[type(error).__name__] += 1
        return
    seen.statuses[reply.status_code] += 1
    if reply.status_code == _OK:
        seen.answers_s.append(perf_counter() - began)
    else:
        await asyncio.sleep(float(reply.headers.get("Retry-After", "1")))


async def memory_mb(client: httpx2.AsyncClient) -> float:
    """Resident memory of the server, as its own metrics tell."""
    text = (await client.get("/metrics")).text
    families = {family.name: family for family in text_string_to_metric_families(text)}
    return float(families["process_resident_memory_bytes"].samples[0].value) / 1e6


async def step(address: str, clients: int, seconds: float) -> Seen:
    """So many clients for so long, one question after another each."""
    seen = Seen()
    until = perf_counter() + seconds
    limits = httpx2.Limits(max_connections=clients)

    async def one(client: httpx2.AsyncClient, number: int) -> None:
        for place in cycle(range(len(QUESTIONS))):
            if perf_counter() >= until:
                return
            await ask(client, QUESTIONS[(place + number) % len(QUESTIONS)], seen)

    watching = begin_watching(address.removeprefix("http://"), seconds)
    async with httpx2.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        await asyncio.gather(*(one(client, number) for number in range(clients)))
        seen.memory_mb.append(await memory_mb(client))
    seen.looks_ms = await asyncio.to_thread(end_watching, watching)
    return seen


async def soak(address: str, questions: int) -> Seen:
    """So many questions by two clients, with the memory at ten points."""
    seen = Seen()
    left = iter(range(questions))
    every = max(1, questions // _POINTS)

    async def one(client: httpx2.AsyncClient) -> None:
        for number in left:
            await ask(client, QUESTIONS[number % len(QUESTIONS)], seen)
            if number % every == 0:
                seen.memory_mb.append(await memory_mb(client))

    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        await asyncio.gather(one(client), one(client))
        seen.memory_mb.append(await memory_mb(client))
    return seen


def row(clients: int, seconds: float, seen: Seen) -> str:
    """One row of the table."""
    answers_ms = [value * 1000 for value in seen.answers_s]
    figures = (
        f"{len(answers_ms) / seconds:.1f}",
        _told(answers_ms, 0.5),
        _told(answers_ms, 0.99),
        str(seen.statuses[_BUSY]),
        str(seen.errors),
        _told(seen.looks_ms, 0.99),
        f"{seen.memory_mb[-1]:.0f}",
    )
    return f"| {clients} | {' | '.join(figures)} |"


def _told(milliseconds: list[float], share: float) -> str:
    return f"{percentile(milliseconds, share):.0f}" if milliseconds else "none"


async def main(arguments: argparse.Namespace) -> None:
    """Run the steps, then the soak, and print as it goes."""
    with serving(_SERVE) as place:
        address = f"http://{place}"
        print(
            "| clients | answers a second | p50 ms | p99 ms | 429 | other errors | /livez p99 ms | MB |"
        )
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for clients in arguments.clients:
            seen = await step(address, clients, arguments.seconds)
            print(row(clients, arguments.seconds, seen), flush=True)
        if arguments.soak:
            seen = await soak(address, arguments.soak)
            told = ", ".join(f"{value:.0f}" for value in seen.memory_mb)
            print(f"\n{arguments.soak} questions, {seen.errors} errors, memory in MB: {told}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 64, 256])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--soak", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(_arguments()))
