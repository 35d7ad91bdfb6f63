"""Bring the parts of the documents that are made from code and corpus up to date.

python -m tools.docs          the table of settings
python -m tools.docs answer   the README's answer as well, from the index of the settings
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
README: Final = ROOT / "README.md"
SETTINGS: Final = ROOT / "docs" / "settings.md"
_ASK: Final = re.compile(r'make ask Q="([^"]+)"')


def between(text: str, name: str) -> str:
    """What stands between the markers of that name."""
    return text.split(f"<!-- {name}:start -->\n")[1].split(f"<!-- {name}:end -->")[0]


def filled(text: str, name: str, content: str) -> str:
    """The text with other content between the markers."""
    return text.replace(
        f"<!-- {name}:start -->\n{between(text, name)}<!-- {name}:end -->",
        f"<!-- {name}:start -->\n{content}<!-- {name}:end -->",
    )


def readme_question(text: str) -> str:
    """The question that the README asks first."""
    found = _ASK.search(text)
    if found is None:
        raise ValueError('the README holds no make ask Q="…"')
    return found.group(1)


def answer_block(question: str) -> str:
    """The answer to it as a block of plain text."""
    from rigwise.wiring import embedder_of, wire
    from service.render import answer_text
    from service.settings import load_settings
    from service.types import Question

    settings = load_settings()
    engine = wire(settings, embedder_of(settings)).engine
    return f"```text\n{answer_text(engine.answer(Question(text=question)))}```\n"


def main(parts: list[str]) -> None:
    """Rewrite the files."""
    from service.settings import settings_markdown

    text = SETTINGS.read_text(encoding="utf-8")
    SETTINGS.write_text(filled(text, "settings", settings_markdown()), encoding="utf-8")
    if "answer" in parts:
        text = README.read_text(encoding="utf-8")
        block = answer_block(readme_question(text))
        README.write_text(filled(text, "answer", block), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
