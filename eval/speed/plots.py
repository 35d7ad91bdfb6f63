"""The plots of a speed report as SVG text, made by matplotlib (extra `eval`)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any, Final

from eval.errors import MissingExtra
from eval.speed.cost import break_even_speedup
from eval.speed.rows import Report, Row

_MARKS: Final = "osD^vP*X<>"
_SIZE: Final = (6.4, 3.6)
NO_CUDA: Final = "skipped: no CUDA device"


def plots(report: Report) -> dict[str, str]:
    """SVG by title, always the same ones: a plot without data says why.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    drawn: dict[str, Callable[[Any, Report], None]] = {
        "Embedding throughput by batch": _by_batch,
        "Embedding throughput by backend and precision": _by_backend,
        "Latency distribution": _latency,
        "CPU against GPU": _break_even,
        "Quality against speed": _quality,
        "Query time by number of vectors": _growth,
    }
    return {title: _svg(draw, report) for title, draw in drawn.items()}


def _svg(draw: Callable[[Any, Report], None], report: Report) -> str:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "eval") from error
    with mpl.rc_context({"svg.hashsalt": "rigwise", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes, report)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def _rates(report: Report) -> list[Row]:
    return [
        row
        for row in report.rows
        if row.group == "embedding" and row.median is not None and "processor" not in row.name
    ]


def _by_batch(axes: Any, report: Report) -> None:
    long = max((int(row.setting.get("tokens", 0)) for row in _rates(report)), default=0)
    lines: dict[str, list[tuple[int, float]]] = {}
    for row in _rates(report):
        batch = row.setting.get("batch")
        if int(row.setting.get("tokens", 0)) >= long - 10 and row.setting["precision"] == "fp32":
            if isinstance(batch, int):
                lines.setdefault(f"{row.name} ({row.device})", []).append((batch, row.median or 0))
            elif row.setting.get("threads") == report.machine["threads"]:
                axes.axhline(
                    row.median, linestyle="--", color="black", label=f"{row.name}, own batches"
                )
    for name, points in sorted(lines.items()):
        axes.plot(*zip(*sorted(points), strict=True), marker="o", label=name)
    axes.set_ylim(bottom=0)
    _labels(axes, "texts in a batch", f"passages/s at {long} tokens")
    _said(axes, NO_CUDA, when=not report.machine.get("gpus"))


def _by_backend(axes: Any, report: Report) -> None:
    rows: dict[str, Row] = {}
    for row in _rates(report):
        name = f"{row.name} {row.device} {row.setting['precision']}"
        if name not in rows or row.setting.get("tokens", 0) > rows[name].setting.get("tokens", 0):  # type: ignore[operator]
            rows[name] = row
    ordered = sorted(rows.items(), key=lambda pair: pair[1].median or 0.0)
    lows = [(row.median or 0) - (row.low or 0) for _, row in ordered]
    highs = [(row.high or 0) - (row.median or 0) for _, row in ordered]
    axes.barh(
        [name for name, _ in ordered], [row.median or 0 for _, row in ordered], xerr=[lows, highs]
    )
    axes.set_xlabel("passages/s at the longest texts, with 95 % intervals")


def _latency(axes: Any, report: Report) -> None:
    for name, values in report.latencies_ms.items():
        ordered = sorted(values)
        shares = [(at + 1) / len(ordered) for at in range(len(ordered))]
        axes.step(ordered, shares, where="post", label=name)
    _labels(axes, "milliseconds", "share of requests answered by then")
    if report.latencies_ms:
        axes.set_xscale("log")


def _break_even(axes: Any, report: Report) -> None:
    cpu = max((row.median or 0 for row in _rates(report) if row.device == "cpu"), default=0.0)
    gpu = max((row.median or 0 for row in _rates(report) if row.device == "cuda"), default=0.0)
    if gpu:
        axes.bar(["CPU", "GPU"], [cpu, gpu])
        even = [row for row in report.rows if row.name == "break-even against a GPU" and row.median]
        axes.set_title(f"break-even at {even[0].median:,.0f} passages" if even else "", fontsize=9)
        axes.set_ylabel("passages/s, fastest way")
        return
    prices = [factor / 2 for factor in range(2, 61)]
    needed = [break_even_speedup(slow_usd_per_hour=1.0, fast_usd_per_hour=usd) for usd in prices]
    axes.plot(prices, needed)
    axes.fill_between(prices, needed, max(needed), alpha=0.15)
    axes.text(0.05, 0.85, "above the line a GPU is cheaper", transform=axes.transAxes)
    _labels(axes, "price of the GPU machine over the CPU machine", "speed-up to cost the same")
    _said(axes, NO_CUDA, when=True)


def _quality(axes: Any, report: Report) -> None:
    cosines = {
        (row.name.split(",")[0], row.device, row.setting["precision"]): row.median
        for row in report.rows
        if row.group == "agreement" and row.name.endswith("lowest cosine")
    }
    seen = set()
    for row in _rates(report):
        key = (row.name, row.device, row.setting["precision"])
        if key in cosines and key not in seen:
            seen.add(key)
            label = f"{key[0]} {key[1]} {key[2]}"
            axes.plot(
                row.median,
                cosines[key],
                linestyle="",
                marker=_MARKS[len(seen) % len(_MARKS)],
                label=label,
            )
    _labels(axes, "passages/s", "lowest cosine with the product in fp32")


def _growth(axes: Any, report: Report) -> None:
    lines: dict[str, list[tuple[int, float]]] = {}
    for row in report.rows:
        if row.group == "growth" and row.name.endswith(", query") and row.median is not None:
            lines.setdefault(row.name.split(",")[0], []).append(
                (int(row.setting["vectors"]), row.median)
            )
    for name, points in lines.items():
        axes.loglog(*zip(*sorted(points), strict=True), marker="o", label=f"FAISS {name}")
    _labels(axes, "vectors", "ms a query, one at a time")


def _labels(axes: Any, horizontal: str, vertical: str) -> None:
    axes.set_xlabel(horizontal)
    axes.set_ylabel(vertical)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7)


def _said(axes: Any, text: str, *, when: bool) -> None:
    if when:
        axes.text(0.98, 0.03, text, transform=axes.transAxes, ha="right", color="gray")


def figures(svgs: Sequence[tuple[str, str]]) -> str:
    """The plots as HTML figures."""
    return "\n".join(
        f"<figure><figcaption>{title}</figcaption>{svg}</figure>" for title, svg in svgs
    )
