"""The results of the advisor's tools as a short text: a language model reads that, and programs read the object beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_LINES: Final = 5  # of a list; the object beside has them all


def recommendation_text(found: Mapping[str, Any]) -> str:
    """What POST /v1/recommend replies, in lines of Markdown: the need, the first options, what is ruled out."""
    recommendation = found["recommendation"]
    if recommendation is None:
        return str(found["ask"])
    options = [_option(each) for each in recommendation["options"]]
    parts = [
        _need_line(recommendation["need"]),
        *_listed("What fits, best first", options),
        *_listed("Ruled out", _texts(recommendation["rejected"])),
        *_listed("What would change it", _texts(recommendation["sensitivity"])),
        *_listed("Assumed", [each["text"] for each in recommendation["assumptions"]]),
        *_listed("Mind", [each["text"] for each in recommendation["warnings"]]),
    ]
    if not options:
        parts.insert(1, "Nothing known here fits within the stated limits.")
    return "\n\n".join(parts)


def need_text(found: Mapping[str, Any]) -> str:
    """What POST /v1/estimate replies, in lines of Markdown: the total and its parts."""
    need = found["need"]
    if need is None:
        return str(found["ask"])
    parts = [f"{each['name']}: {each['gib']:.2f} GiB" for each in need["parts"] if each["gib"] > 0]
    return "\n\n".join(
        (
            _need_line(need),
            *_listed("Parts of the largest device", parts),
            *_listed("Assumed", need["assumptions"]),
            *_listed("Mind", need["caveats"]),
        )
    )


def _need_line(need: Mapping[str, Any]) -> str:
    if need["total_gib"] is None:
        return f"The need cannot be computed: {', '.join(need['missing'])}."
    whole = need["total_gib"] + need["context_gib"]
    return f"Needs about {whole:.1f} GiB a device, between {need['low_gib']:.1f} and {need['high_gib']:.1f} GiB."


def _option(option: Mapping[str, Any]) -> str:
    return " ".join(each["text"] for each in option["reasons"])


def _texts(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return [each["statement"]["text"] for each in found]


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    shown = [f"- {line}" for line in lines[:_LINES]]
    if len(lines) > _LINES:
        shown.append(f"- and {len(lines) - _LINES} more in the object")
    yield "\n".join((f"{title}:", "", *shown))
