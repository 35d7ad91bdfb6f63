"""Four-bit weights where the question leaves the precision open and what it names is too small."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.advisor.catalog import Shelf
from service.advisor.needs import Needs
from service.advisor.precision import FORMATS, format_named
from service.advisor.recommend import with_shape
from service.advisor.say import Line
from service.advisor.types import Stated, Workload
from service.advisor.verdicts import Target, judged
from service.types import Statement

if TYPE_CHECKING:
    pass


def relaxed(
    workload: Workload, targets: list[Target], shelf: Shelf
) -> tuple[Workload, list[Statement]]:
    """Four-bit weights where the question left the precision open and the released one does not fit what it names."""
    if (
        workload.precision is not None
        or workload.task.value != "inference"
        or not targets
        or (workload.model is None and workload.params_b is None)
    ):
        return workload, []
    needs = Needs(with_shape(workload, shelf), shelf.models)
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
        for each in judged(targets, Needs(with_shape(smaller, shelf), shelf.models))
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
