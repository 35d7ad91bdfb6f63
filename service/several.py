"""Several questions in one text: cut where they are clearly apart, and put together again as one answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from indexer.generation import OpenIndex
from service.cite import cite
from service.lexicon import Lexicon, find_devices
from service.properties import asked_of
from service.types import Answer, Kind

_NUMBERED = re.compile(r"(?:^|(?<=[\s?.!;]))(?:\(?\d{1,2}[.)]|[a-f]\))\s+(?=\S)")
_QUESTION = re.compile(r"[^?]+\?+")
_POINTING = re.compile(r"\b(?:it|its|that|this|them|they|these|those)\b", re.IGNORECASE)
_FEWEST_WORDS = 4
_MOST = 6


def questions_in(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """The questions of a text, two or more, if each stands alone; else nothing: the text is one question."""
    plain = " ".join(text.split())
    parts = _numbered(plain) or _asked(plain)
    if not 2 <= len(parts) <= _MOST or any(len(part.split()) < _FEWEST_WORDS for part in parts):
        return ()
    return parts if _numbered(plain) or _are_apart(parts, lexicon) else ()


def _numbered(text: str) -> tuple[str, ...]:
    """The items of a list that begins the text and is numbered in order."""
    marks = list(_NUMBERED.finditer(text))
    if len(marks) < 2 or marks[0].start() != 0:
        return ()
    digits = [re.sub(r"\D", "", mark.group()) for mark in marks]
    if digits[0] and digits != [str(place + 1) for place in range(len(digits))]:
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return tuple(text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))


def _asked(text: str) -> tuple[str, ...]:
    """The sentences of a text that is made of questions and nothing else."""
    found = [match.group().strip() for match in _QUESTION.finditer(text)]
    whole = sum(len(part) for part in found) >= len(text) - len(found) - 1
    single = all(not re.search(r"[.!]\s+[A-Z]", part) for part in found)
    return tuple(found) if whole and single else ()


def _are_apart(parts: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether each part names a subject of its own: other devices, or other properties, and points at nothing."""
    subjects = []
    for part in parts:
        if _POINTING.search(part):
            return False
        devices = frozenset(
            device for mention in find_devices(part, lexicon) for device in mention.devices
        )
        subjects.append((devices, frozenset(asked_of(part).properties)))
    for place, (devices, asked) in enumerate(subjects):
        for others, properties in subjects[place + 1 :]:
            other_devices = bool(devices and others and not devices & others)
            other_topic = bool(asked and properties and not asked & properties)
            if not (other_devices or other_topic):
                return False
    return True


def joined(text: str, answers: Sequence[Answer], index: OpenIndex) -> Answer:
    """The answers under the questions that they answer, with citations numbered through."""
    statements = tuple(each for answer in answers for each in answer.statements)
    citations, marks = cite(statements, index)
    lines: list[str] = []
    place = 0
    for answer in answers:
        lines.append(f"**{answer.question}**")
        if not answer.statements:
            lines.append(answer.text)
        for statement in answer.statements:
            shown = "".join(f"[{n}]" for n in marks[place])
            lines.append(f"{statement.text} {shown}".strip())
            place += 1
    lead = next((each for each in answers if each.kind == "answer"), answers[0])
    kind: Kind = lead.kind
    return replace(
        lead,
        question=text,
        kind=kind,
        text="\n\n".join(lines),
        statements=statements,
        citations=citations,
        marks=marks,
        table=next((each.table for each in answers if each.table is not None), None),
        recommendation=next((each.recommendation for each in answers if each.recommendation), None),
        abstention=None if kind == "answer" else lead.abstention,
        devices=tuple(dict.fromkeys(device for each in answers for device in each.devices)),
        retrieved=tuple(
            {hit.passage.id: hit for each in answers for hit in each.retrieved}.values()
        ),
        timings_ms=_sum(answers, "timings_ms"),
        checks={name: int(value) for name, value in _sum(answers, "checks").items()},
        parts=tuple(answer.question for answer in answers),
    )


def _sum(answers: Sequence[Answer], name: str) -> dict[str, float]:
    total: dict[str, float] = {}
    for answer in answers:
        for key, value in getattr(answer, name).items():
            total[key] = round(total.get(key, 0.0) + value, 3)
    return total
