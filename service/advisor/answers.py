"""The advisor's part of an answer: the direct answer first, then need, options, what is ruled out, what would change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.types import Catalog, Device, DeviceId
from service.advisor.calculations import (
    Case,
    asks_for_cache,
    asks_for_states,
    cache_part,
    calculated,
)
from service.advisor.catalog import Machine, Shelf, build_shelf
from service.advisor.impossible import nearest
from service.advisor.models import shapes
from service.advisor.needs import Needs
from service.advisor.precision import FORMATS, format_named
from service.advisor.recommend import recommend, with_shape
from service.advisor.run import TRAINING
from service.advisor.say import Line
from service.advisor.slices import sliced
from service.advisor.types import MemoryPart, Need, Recommendation, Rejected, Stated, Workload
from service.advisor.understand import Missing, Understood, Vocabulary, understand
from service.advisor.understand.models import model_names
from service.advisor.understand.words import cue, spaced
from service.advisor.verdicts import Target, Verdict, judged, targets_of
from service.lexicon import Lexicon, Mention, find_devices
from service.types import Abstention, Kind, Statement

if TYPE_CHECKING:
    from service.query import Query

_TABLES = frozenset({"gradient_boosting", "classical_ml", "data_preparation"})
_OPTIONS = {"recommend": 6, "size": 3}
_REJECTED = 4
_CHANGES = 3
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
_SIZING = (
    r"\bv-?ram\b|\bmemory\b|\bfits?\b|\benough\b|\bneed(?:s|ed)?\b|\brequire\w*|\bhow (?:much|many|big|large|long|fast)\b|\bwhich\b|\bwhat\b[^.?!]*\b(?:gpu|card|hardware|machine)|"
    r"\bcan (?:i|we|a|an|one|two|xgboost)\b|\bwill\b|\bcould\b|\bdo i have\b|\bdoable\b|\bbuy\b|\brent\b|reicht|brauche|够吗|需要|basta|suffi\w+|necesito|faut|recommend|rank"
)


_CHOICE = (
    r"\bwhich (?:\w+[ -]){0,3}?(?:gpus?|cards?|devices?|machines?|hardware|instances?|servers?|laptop|tpu|accelerators?|workstation|box|configuration|one|now|should|generation)\b|"
    r"\bwhich\?|and which\b|what (?:should|shall|do|would|gpu|card|hardware|machine|kind)\b|\brecommend\w*|\bsuggest\w*|\bbuy\b|\brent\b|\bcandidates\b|"
    r"how many (?:\d+ gb )?(?:cards|gpus)|sensible|welche|qué (?:tarjeta|gpu)|cuál|quelle (?:carte|gpu)|哪|推荐|\brank\b|what now"
)
_DEMAND = r"give me|what do i (?:buy|need|rent)|exact command|tell me how|how do i (?:set|run|start)|which machine"
_MEMORY = r"\bv-?ram\b|\bmemory\b|\bram\b|\bfits?\b|\benough\b|reicht|显存|够吗|how large|how big"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Desk:
    """What the advisor works with, made once a generation."""

    shelf: Shelf
    vocabulary: Vocabulary
    lexicon: Lexicon
    today: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Statements for the answer, the recommendation behind them, and why there is none if there is none."""

    statements: tuple[Statement, ...] = ()
    recommendation: Recommendation | None = None
    abstention: Abstention | None = None
    kind: Kind = "answer"


def open_desk(catalog: Catalog, lexicon: Lexicon, *, today: str) -> Desk:
    """The shelf and the vocabulary of a catalog."""
    models = shapes(catalog.models)
    regions = frozenset(
        offer.region.casefold() for offer in catalog.offers if len(offer.region) > 4
    )
    by_id: Mapping[DeviceId, Device] = catalog.by_id
    return Desk(
        shelf=build_shelf(catalog, models),
        vocabulary=Vocabulary(models=model_names(models), devices=by_id, regions=regions),
        lexicon=lexicon,
        today=today,
    )


def advise(query: Query, desk: Desk) -> Advice | None:
    """What the arithmetic can say to a question; None where it is about no workload."""
    text = spaced(query.search)
    mentions = query.mentions if text == query.text else find_devices(text, desk.lexicon)
    parted = sliced(text, desk.shelf)
    if parted is not None:
        return Advice(statements=parted[0], recommendation=parted[1])
    found = understand(text, mentions=mentions, vocabulary=desk.vocabulary)
    wants = query.intent in {"size", "recommend"}
    if isinstance(found, Missing):
        return _asked_back(found) if wants else None
    if found is None or not (wants or _is_sizing(text, found, query.intent)):
        return None
    return _advice(text, found, mentions, desk, intent=query.intent)


def workload_in_words(text: str, desk: Desk) -> tuple[Workload | None, str]:
    """The workload that a text describes, or what has to be asked."""
    text = spaced(text)
    found = understand(text, mentions=find_devices(text, desk.lexicon), vocabulary=desk.vocabulary)
    if isinstance(found, Understood):
        return found.workload, ""
    return (
        None,
        found.ask if found is not None else "Which model or table, and what is to be done with it?",
    )


def _is_sizing(text: str, found: Understood, intent: str) -> bool:
    """Whether a question of another kind asks for a size all the same."""
    workload = found.workload
    named = workload.params_b is not None or (
        workload.model is not None and workload.model.origin == "question"
    )
    table = workload.task.value in _TABLES and bool(workload.dataset_columns or workload.dataset_gb)
    if (
        intent == "out_of_scope"
        or cue(r"mlperf|benchmark|published|measured|spec sheet|data ?sheet", text) is not None
    ):
        return False
    placed = bool(workload.devices_owned or workload.devices_wanted or found.capacities)
    sized = named or workload.stated_memory_gib is not None
    limited = bool(workload.budget_usd or workload.watts_max or workload.placement)
    if workload.model is not None and limited and cue(_CHOICE, text) is not None:
        return True
    return (sized and placed) or ((named or table) and cue(_SIZING, text) is not None)


def _asked_back(missing: Missing) -> Advice:
    return Advice(
        kind="clarify", abstention=Abstention(code="needs_detail", why=missing.why, ask=missing.ask)
    )


def _advice(
    text: str, found: Understood, mentions: Sequence[Mention], desk: Desk, *, intent: str
) -> Advice | None:
    workload, shelf = found.workload, desk.shelf
    machines = {str(name): machine for name, machine in shelf.machines.items()}
    targets = (
        targets_of(workload, machines, found.capacities)
        if workload.task.value not in _TABLES
        else []
    )
    workload, relaxed = _relaxed(workload, targets, desk)
    result = recommend(workload, shelf, today=desk.today)
    if result.need.total_gib is None and result.need.compute_hours is None:
        return _unsized(result, text)
    needs = Needs(with_shape(workload, shelf), shelf.models)
    verdicts = list(judged(targets, needs))
    case = _case(text, workload, result, mentions, shelf)
    chooses = intent == "recommend" or cue(_CHOICE, text) is not None
    shows = chooses or intent in _OPTIONS
    computed = calculated(case)
    fitting = {each.target.name for each in verdicts if each.verdict != "no"}
    statements = [*relaxed, *_direct(verdicts, computed, result, chooses=chooses)]
    if chooses or verdicts or not computed or cue(_MEMORY, text) is not None:
        statements.extend(
            [
                *_needed(workload, result.need, text),
                *_others(found.others, targets, shelf),
                *(_options(result, text, chooses=chooses) if shows else ()),
                *(
                    each.statement
                    for each in _missed(result, fitting, verdicts, chooses=chooses)
                    if shows
                ),
                *(each.statement for each in result.sensitivity[:_CHANGES]),
                *(result.warnings[:_WARNINGS] if shows else ()),
            ]
        )
    result = _narrowed(result, text)
    statements = [each for each in statements if each.text]
    demands = intent == "recommend" or cue(_DEMAND, text) is not None
    if (
        demands
        and not result.options
        and result.need.total_gib is not None
        and not asks_for_cache(text)
    ):
        return _impossible(statements, result, workload, shelf, desk.today)
    return Advice(statements=tuple(dict.fromkeys(statements)), recommendation=result)


def _missed(
    result: Recommendation, fitting: set[str], verdicts: list[Verdict], *, chooses: bool
) -> Iterator[Rejected]:
    """What is ruled out, without what a verdict has told already."""
    told = {each.target.name for each in verdicts} | fitting
    rest = [each for each in result.rejected if each.device not in told]
    yield from rest[: _REJECTED if chooses else 2]


def _relaxed(
    workload: Workload, targets: list[Target], desk: Desk
) -> tuple[Workload, list[Statement]]:
    """Four-bit weights where the question left the precision open and the released one does not fit what it names."""
    if (
        workload.precision is not None
        or workload.task.value != "inference"
        or not targets
        or (workload.model is None and workload.params_b is None)
    ):
        return workload, []
    needs = Needs(with_shape(workload, desk.shelf), desk.shelf.models)
    shape = needs.at(1).shape
    if shape is None or shape.family != "decoder":
        return workload, []
    verdicts = list(judged(targets, needs))
    if not verdicts or any(each.verdict != "no" for each in verdicts):
        return workload, []
    smaller = replace(
        workload,
        precision=Stated(
            value="q4_k_m", origin="assumed", words="4 bits: the released precision does not fit"
        ),
    )
    if all(
        each.verdict == "no"
        for each in judged(targets, Needs(with_shape(smaller, desk.shelf), desk.shelf.models))
    ):
        return workload, []
    released = format_named(shape.release_precision)
    line = Line()
    line.taken(4.0, "bit", "name of the format")
    need = needs.at(targets[0].count)
    text = (
        f"Not in the released precision ({released.name if released else 'bf16'}), which needs {line.total(need.parts, need.context_gib)}, but with a quantized file in Q4_K_M, "
        f"a 4-bit format ({line.taken(FORMATS['q4_k_m'].bits, 'bits a weight', 'Q4_K_M')} with its scales)."
    )
    return smaller, [line.say(text)]


def _unsized(result: Recommendation, text: str) -> Advice | None:
    """Nothing can be computed: for tables that is no fault, for models the missing detail is asked for."""
    if (
        result.workload.task.value in _TABLES
        or not result.need.missing
        or cue(r"how (?:much|many)|enough|fit", text) is None
    ):
        return None
    why = f"The need cannot be computed: {', '.join(result.need.missing)}."
    return Advice(
        kind="clarify",
        abstention=Abstention(
            code="needs_detail", why=why, ask=f"What is known of {result.need.missing[0]}?"
        ),
    )


def _case(
    text: str, workload: Workload, result: Recommendation, mentions: Sequence[Mention], shelf: Shelf
) -> Case:
    named: list[Machine] = []
    for mention in mentions:
        variants = [shelf.machines[name] for name in mention.devices if name in shelf.machines]
        if variants and variants[0] not in named:
            named.append(variants[0])
    if not named and result.need.compute_flop is not None:
        named = [
            shelf.machines[option.device_id]
            for option in result.options[:1]
            if option.device_id is not None and option.device_id in shelf.machines
        ]
    owned = len(workload.devices_owned.value) if workload.devices_owned is not None else 1
    count = workload.device_count.value if workload.device_count is not None else owned
    return Case(
        text=text,
        workload=workload,
        need=result.need,
        shelf=shelf,
        named=tuple(named),
        count=max(1, count),
    )


def _direct(
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


def _needed(workload: Workload, need: Need, text: str) -> Iterator[Statement]:
    if (
        need.total_gib is None
        or need.low_gib is None
        or need.high_gib is None
        or workload.task.value in _TABLES
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
    text = f"{_subject(workload, need, line)} needs about {whole}{devices}, between {low} and {high}: {parts}"
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
        words.append(f"in {workload.precision.value}")
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
        settings.append(f"checkpointing {'on' if workload.checkpointing.value else 'off'}")
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


def _others(
    others: tuple[Workload, ...], targets: list[Target], shelf: Shelf
) -> Iterator[Statement]:
    """The further cases of the question, each with its need and the verdict on the first target."""
    for other in others:
        if other.task.value in _TABLES:
            result = recommend(other, shelf, today="")
            yield from calculated(
                Case(text="", workload=other, need=result.need, shelf=shelf, named=(), count=1)
            )
            continue
        needs = Needs(with_shape(other, shelf), shelf.models)
        need = needs.at(1)
        if need.total_gib is None:
            continue
        yield from _needed(other, need, "")
        yield from (each.statement for each in judged(targets[:1], needs))


def _options(result: Recommendation, text: str, *, chooses: bool) -> Iterator[Statement]:
    """One statement an option: what, where and at which price, that it fits, how fast."""
    if asks_for_cache(text) or (asks_for_states(text) and not chooses):
        return
    most = _OPTIONS["recommend" if chooses else "size"]
    if result.options and result.options[0].where == "own":
        most = 3
    for option in result.options[:most]:
        reasons = option.reasons if chooses else option.reasons[:1]
        yield Statement(
            text=f"Option {option.rank}: {' '.join(reason.text for reason in reasons if reason.text)}",
            quotes=tuple(dict.fromkeys(quote for reason in reasons for quote in reason.quotes)),
            numbers=tuple(number for reason in reasons for number in reason.numbers),
        )


def _narrowed(result: Recommendation, text: str) -> Recommendation:
    """The need of what was asked for alone: the cache, or the states on each device."""
    need = result.need
    kept: tuple[MemoryPart, ...] = ()
    if asks_for_cache(text) and (part := cache_part(need)) is not None:
        kept = (part,)
    elif asks_for_states(text) and result.workload.plan is not None:
        kept = tuple(
            part for part in need.parts if part.kind in {"weights", "gradients", "optimizer"}
        )
    if not kept:
        return result
    total, low, high = (
        sum(getattr(part, size) for part in kept) for size in ("gib", "low_gib", "high_gib")
    )
    need = replace(need, parts=kept, total_gib=total, low_gib=low, high_gib=high, context_gib=0.0)
    return replace(result, need=need, options=())


def _impossible(
    statements: list[Statement],
    result: Recommendation,
    workload: Workload,
    shelf: Shelf,
    today: str,
) -> Advice:
    said = nearest(workload, shelf, today=today)
    need = result.need.device_gib or 0.0
    why = f"This is impossible as asked: about {need:,.1f} GiB ({need * 2**30 / 1e9:,.1f} GB) are needed and nothing known here holds that within the stated limits."
    line = Line()
    line.total(result.need.parts, result.need.context_gib)
    first = line.say(
        f"This is not possible as asked: {line.total(result.need.parts, result.need.context_gib)} are needed, and nothing known here holds that within the stated limits."
    )
    ask = "Which limit can give way: the budget, the place, the number of devices, or the precision and method?"
    abstention = Abstention(code="impossible", why=why, ask=ask)
    return Advice(
        statements=tuple(dict.fromkeys([first, *said, *statements])),
        recommendation=result,
        abstention=abstention,
        kind="abstain",
    )
