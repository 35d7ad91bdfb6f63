"""The sentences of an answer: the direct answer, the need with its parts, further cases, options, what is ruled out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from service.advisor.calculations import calculated
from service.advisor.case import Case, asks_for_cache, asks_for_states
from service.advisor.catalog import Shelf
from service.advisor.needs import Needs
from service.advisor.precision import FORMATS
from service.advisor.recommend import recommend, with_shape
from service.advisor.run import TRAINING
from service.advisor.say import Line
from service.advisor.tables import TABLES
from service.advisor.types import Need, Recommendation, Rejected, Workload
from service.advisor.verdicts import Target, Verdict, judged
from service.types import Statement

if TYPE_CHECKING:
    pass


OPTIONS = {"recommend": 6, "size": 3}
_REJECTED = 4
_CHANGES = 4
_WARNINGS = 2
_TASKS = {
    "pretraining": "Pretraining",
    "full_finetune": "Full fine-tuning of",
    "lora": "LoRA on",
    "qlora": "QLoRA on",
    "training": "Training",
    "inference": "Running",
    "embedding": "Embedding with",
    "diffusion": "Generating with",
}


def missed(
    result: Recommendation, fitting: set[str], verdicts: list[Verdict], *, chooses: bool
) -> Iterator[Rejected]:
    """What is ruled out, without what a verdict has told already."""
    told = {each.target.name for each in verdicts} | fitting
    rest = [each for each in result.rejected if each.device not in told]
    yield from rest[: _REJECTED if chooses else 2]


def direct(
    verdicts: list[Verdict], computed: list[Statement], result: Recommendation, *, chooses: bool
) -> Iterator[Statement]:
    """The answer itself: nothing to buy, fits or not, and the numbers that were asked for."""
    best = result.options[0] if result.options else None
    if best is not None and best.where == "own" and chooses:
        line = Line()
        line.gb_in(best.device)
        left = line.size(best.fit.headroom_gib, best.fit.computation)
        yield line.say(
            f"No, nothing has to be bought or rented: {best.count} x {best.device}, which is already there, is enough and leaves {left}; the data stays on your own machine."
        )
    yield from (each.statement for each in verdicts)
    yield from computed


def body(
    result: Recommendation,
    text: str,
    verdicts: list[Verdict],
    others: tuple[Statement, ...],
    *,
    chooses: bool,
    shows: bool,
) -> Iterator[Statement]:
    """What follows the direct answer: the need, further cases, options, what is ruled out, what would change it."""
    yield from needed(result.workload, result.need, text)
    yield from others
    if shows:
        fitting = {each.target.name for each in verdicts if each.verdict != "no"}
        yield from offered(result, text, chooses=chooses)
        yield from (each.statement for each in missed(result, fitting, verdicts, chooses=chooses))
    yield from (each.statement for each in result.sensitivity[:_CHANGES])
    yield from result.warnings[:_WARNINGS] if shows else ()


def needed(workload: Workload, need: Need, text: str) -> Iterator[Statement]:
    """The need with its range and its parts, the largest first."""
    if (
        need.total_gib is None
        or need.low_gib is None
        or need.high_gib is None
        or workload.task.value in TABLES
    ):
        return
    if asks_for_cache(text) or (workload.stated_memory_gib is not None and need.shape is None):
        return
    line = Line()
    if need.shape is not None:
        line.quote(need.shape.quote)
    whole = computed_total(need, line)
    low, high = (
        line.computed(each, "GiB", need.parts[0].computation)
        for each in (need.low_gib, need.high_gib)
    )
    parts = ", ".join(
        f"{line.name(part)} {line.size(part.gib, part.computation)}"
        for part in sorted(need.parts, key=lambda each: -each.gib)
        if part.gib >= 0.05
    )
    devices = " on each device" if need.plan.devices > 1 else ""
    text = f"{_subject(workload, need, line)} needs {'at least' if need.missing else 'about'} {whole}{devices}, between {low} and {high}: {parts}"
    if need.context_gib:
        text += f", runtime {line.taken(need.context_gib, 'GiB', 'the runtime on one device')}"
    yield line.say(f"{text}.")


def computed_total(need: Need, line: Line) -> str:
    """The sum of parts and runtime, in GiB and GB."""
    return line.total(need.parts, need.context_gib)


def _subject(workload: Workload, need: Need, line: Line) -> str:
    """The workload in words: task, model, precision, batch, length; assumed values are marked."""
    if workload.stated_memory_gib is not None and need.shape is None:
        return "As stated, it"
    words = [_TASKS.get(workload.task.value, "Running"), _model_name(workload, need, line)]
    form = next(
        (
            part.name.removeprefix("weights in ")
            for part in need.parts
            if part.name.startswith("weights in ")
        ),
        "",
    )
    if form and not form[0].isdigit():
        words.append(f"in {form}")
    elif workload.precision is not None and workload.task.value not in {
        "full_finetune",
        "pretraining",
    }:
        name = workload.precision.value
        width = FORMATS[name].bits if name in FORMATS else 16.0
        line.taken(width, "bit", f"{name}, the precision that is meant")
        words.append(f"in {name}")
    settings = []
    inputs = {each.name: each for part in need.parts for each in part.computation.inputs}
    for key, unit in (("batch", ""), ("sequences", ""), ("seq_len", "tokens")):
        entry = inputs.get(key)
        if entry is None:
            continue
        mark = "" if entry.basis == "question" else " (assumed)"
        shown = line.asked(entry.value, unit) if unit else f"{entry.value:g}"
        label = {
            "batch": f"batch {shown}",
            "sequences": f"{shown} sequence{'s' if entry.value > 1 else ''} at once",
        }
        settings.append(label.get(key, shown) + mark)
    if workload.task.value in TRAINING and workload.checkpointing is not None:
        mark = "" if workload.checkpointing.origin == "question" else " (assumed)"
        settings.append(f"checkpointing {'on' if workload.checkpointing.value else 'off'}{mark}")
    return " ".join(words) + (f" with {', '.join(settings)}" if settings else "")


def _model_name(workload: Workload, need: Need, line: Line) -> str:
    if need.shape is None:
        return workload.model.value if workload.model is not None else "the model"
    if need.shape.assumed:
        return f"a decoder of {line.asked(need.shape.params_b, 'billion parameters')}"
    if need.shape.params_b and need.shape.params_b >= 0.5:
        total = line.taken(need.shape.params_b, "billion parameters", "row of the model")
        active = need.shape.active_params_b
        some = (
            f", of which {line.taken(active, 'billion parameters', 'row of the model')} are active for a token"
            if active
            else ""
        )
        every = ", all of which must be in memory" if active else ""
        return f"{need.shape.name} ({total}{some}{every})"
    return need.shape.name


def other_cases(
    others: tuple[Workload, ...], targets: list[Target], shelf: Shelf
) -> Iterator[Statement]:
    """The further cases of the question, each with its need and the verdict on the first target."""
    for other in others:
        if other.task.value in TABLES:
            result = recommend(other, shelf, today="")
            yield from calculated(
                Case(text="", workload=other, need=result.need, shelf=shelf, named=(), count=1)
            )
            continue
        needs = Needs(with_shape(other, shelf), shelf.models)
        need = needs.at(1)
        if need.total_gib is None:
            continue
        yield from needed(other, need, "")
        yield from (each.statement for each in judged(targets[:1], needs))


def offered(result: Recommendation, text: str, *, chooses: bool) -> Iterator[Statement]:
    """One statement an option: what, where and at which price, that it fits, how fast."""
    if asks_for_cache(text) or (asks_for_states(text) and not chooses):
        return
    most = OPTIONS["recommend" if chooses else "size"]
    if result.options and result.options[0].where == "own":
        most = 3
    for option in result.options[:most]:
        reasons = option.reasons if chooses else option.reasons[:1]
        yield Statement(
            text=f"Option {option.rank}: {' '.join(reason.text for reason in reasons if reason.text)}",
            quotes=tuple(dict.fromkeys(quote for reason in reasons for quote in reason.quotes)),
            numbers=tuple(number for reason in reasons for number in reason.numbers),
        )
