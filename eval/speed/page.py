"""A speed report as one HTML page that needs no other file."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from eval.speed.markdown import markdown
from eval.speed.plots import figures, plots
from eval.speed.rows import Report
from eval.speed.verdict import machine_name

_STYLE: Final = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1c1e21; }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #dcdfe4; padding: .25rem .6rem; text-align: left; vertical-align: top; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 1rem; }
figure { margin: 0; border: 1px solid #dcdfe4; border-radius: 6px; padding: .5rem; }
figure svg { width: 100%; height: auto; }
figcaption { font-weight: 600; }
"""


def page(report: Report) -> str:
    """The page: verdict and goals, plots, all tables.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    title = escape(f"Speed on {machine_name(report.machine)}")
    before, _, after = markdown(report).partition("\n## The machine's limits")
    render = MarkdownIt("commonmark", {"html": False}).enable("table").render
    rest = render(f"## The machine's limits{after}") if after else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n{render(before)}\n"
        f'<section class="plots">{figures(tuple(plots(report).items()))}</section>\n'
        f"{rest}</body></html>\n"
    )


def write_files(report: Report, folder: Path) -> list[Path]:
    """report.json, report.md and report.html in the folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.json": report.model_dump_json(indent=1) + "\n",
        "report.md": markdown(report),
        "report.html": page(report),
    }
    for name, text in texts.items():
        temporary = folder / f".{name}.tmp"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(folder / name)
    return [folder / name for name in texts]
