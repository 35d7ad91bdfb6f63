"""The advisor's part of an answer: the direct answer first, then need, options, what is ruled out, what would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.types import Catalog, Device, DeviceId
from service.advisor.calculations import calculated
from service.advisor.case import Case, asks_for_cache, narrowed
from service.advisor.catalog import Machine, Shelf, build_shelf
from service.advisor.configured import configured
from service.advisor.impossible import nearest
from service.advisor.inverse import largest_model
from service.advisor.lead import lead
from service.advisor.models import shapes
from service.advisor.needs import Needs
from service.advisor.recommend import recommend, with_shape
from service.advisor.relax import relaxed
from service.advisor.say import Line
from service.advisor.shopping import shopping
from service.advisor.slices import sliced
from service.advisor.tables import TABLES
from service.advisor.telling import OPTIONS, body, direct, other_cases
from service.advisor.types import Recommendation, Workload
from service.advisor.understand import Missing, Understood, Vocabulary, understand
from service.advisor.understand.assume import is_timed, limits, with_preferences
from service.advisor.understand.models import model_names
from service.advisor.understand.words import cue, spaced
from service.advisor.verdicts import judged, targets_of
from service.advisor.within import with_card_limit
from service.lexicon import Lexicon, Mention, find_devices
from service.types import Abstention, Kind, Statement

if TYPE_CHECKING:
    from service.query import Query

_SIZING = (
    r"\bv-?ram\b|\bmemory\b|\bfits?\b|\benough\b|\bneed(?:s|ed)?\b|\bram\b|\brequire\w*|\bhow (?:much|many|big|large|long|fast)\b|\bwhich\b|\bwhat\b[^.?!]*\b(?:gpu|card|hardware|machine)|"
    r"\bcan (?:i|we|a|an|one|two|xgboost)\b|\bwill\b|\bcould\b|\bdo i have\b|\bdoable\b|\bbuy\b|\brent\b|reicht|brauche|够吗|需要|basta|suffi\w+|necesito|faut|recommend|rank"
)


_CHOICE = (
    r"\bwhich (?:\w+[ -]){0,3}?(?:gpus?|cards?|devices?|machines?|hardware|instances?|servers?|laptop|tpu|accelerators?|workstation|box|configuration|one|now|should|generation)\b|"
    r"\bwhich\?|and which\b|\bcheapest\b|what (?:should|shall|do|would|gpu|card|hardware|machine|kind)\b|\brecommend\w*|\bsuggest\w*|\bbuy\b|\brent\b|\bcandidates\b|"
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
    largest = largest_model(text, mentions, desk.shelf)
    if largest is not None:
        return Advice(statements=(largest,))
    found = understand(text, mentions=mentions, vocabulary=desk.vocabulary)
    wants = query.intent in {"size", "recommend"}
    shown = shopping(text, desk.shelf, named=isinstance(found, Understood))
    if shown is not None:
        return Advice(statements=shown[0], recommendation=shown[1])
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
        return limits(found.workload), ""
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
    table = workload.task.value in TABLES and bool(workload.dataset_columns or workload.dataset_gb)
    if (
        intent == "out_of_scope"
        or cue(r"mlperf|benchmark|published|measured|spec sheet|data ?sheet", text) is not None
    ):
        return False
    placed = bool(workload.devices_owned or workload.devices_wanted or found.capacities)
    sized = named or workload.stated_memory_gib is not None
    if is_timed(workload):
        return True
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
    workload = with_card_limit(limits(found.workload), text)
    shelf = configured(text, mentions, desk.shelf)
    machines = {str(name): machine for name, machine in shelf.machines.items()}
    targets = (
        targets_of(workload, machines, found.capacities)
        if workload.task.value not in TABLES
        else []
    )
    workload, first = relaxed(workload, targets, shelf)
    result = recommend(workload, shelf, today=desk.today)
    if result.need.total_gib is None and result.need.compute_hours is None:
        return _unsized(
            replace(result, workload=with_preferences(result.workload, found.workload)), text
        )
    needs = Needs(with_shape(workload, shelf), shelf.models)
    verdicts = list(judged(targets, needs))
    case = _case(text, workload, result, mentions, shelf)
    chooses = intent == "recommend" or cue(_CHOICE, text) is not None
    shows = chooses or intent in OPTIONS
    computed = calculated(case)
    statements = list(first)
    leading = list(lead(workload, result, text)) if chooses and not asks_for_cache(text) else []
    straight = list(direct(verdicts, computed, result, chooses=chooses))
    statements.extend([*straight, *leading] if verdicts else [*leading, *straight])
    if chooses or verdicts or not computed or cue(_MEMORY, text) is not None:
        others = tuple(other_cases(found.others, targets, shelf))
        statements.extend(body(result, text, verdicts, others, chooses=chooses, shows=shows))
    result = narrowed(
        replace(result, workload=with_preferences(result.workload, found.workload)), text
    )
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


def _unsized(result: Recommendation, text: str) -> Advice | None:
    """Nothing can be computed: for tables that is no fault, for models the missing detail is asked for.

    Of a run whose hours and devices are stated only the price is asked; what was understood is kept.
    """
    if is_timed(result.workload):
        return Advice(recommendation=result)
    if (
        result.workload.task.value in TABLES
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
    offered = [option.device_id for option in result.options]
    for mention in mentions:
        variants = [shelf.machines[name] for name in mention.devices if name in shelf.machines]
        # Of several variants the one that is offered first.
        variants.sort(
            key=lambda each: offered.index(each.id) if each.id in offered else len(offered)
        )
        if variants and variants[0] not in named:
            named.append(variants[0])
    if not named and result.need.compute_flop is not None:
        named = [
            shelf.machines[option.device_id]
            for option in result.options[:1]
            if option.device_id is not None and option.device_id in shelf.machines
        ]
        count = result.options[0].count if result.options else 1
    else:
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
