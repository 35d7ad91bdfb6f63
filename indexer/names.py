"""Names of devices as keys: the same name in another spelling has the same key, a look-alike has another."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PART: Final = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_MAKERS: Final = frozenset(
    "nvidia amd intel google aws amazon apple geforce tesla instinct radeon habana cloud arc gpu".split()
)
_FILLERS: Final = re.compile(
    r"\b(?:tensor core|gpus?|accelerators?|data ?sheet|product brief|brief|specifications?|specs?|technical|overview|"
    r"architecture|graphics card|data center|family|series|module)\b|[™®©]",
    re.IGNORECASE,
)
_MAKER_NAMES: Final = {
    "nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "google": "Google", "aws": "AWS", "amazon": "AWS", "apple": "Apple",
    "huawei": "Huawei", "cerebras": "Cerebras", "graphcore": "Graphcore", "meta": "Meta", "microsoft": "Microsoft",
    "qualcomm": "Qualcomm", "tenstorrent": "Tenstorrent", "groq": "Groq", "sambanova": "SambaNova", "habana": "Intel",
    "instinct": "AMD", "radeon": "AMD", "geforce": "NVIDIA", "trainium": "AWS", "inferentia": "AWS", "tpu": "Google",
}  # fmt: skip


def name_key(name: str) -> tuple[str, ...]:
    """Letters and digits of a name as parts, without the maker's words: "H100-SXM5 80GB" is ("h","100","sxm","5","80","gb")."""
    parts = tuple(part.casefold() for part in _PART.findall(unicodedata.normalize("NFKC", name)))
    return tuple(part for part in parts if part not in _MAKERS)


def product_of(title: str) -> str:
    """The product in a document's title: what remains without the words that all data sheets have."""
    return " ".join(_FILLERS.sub(" ", title).replace("|", " ").split()).strip(" -–—:,")


def maker_of(*texts: str) -> str:
    """The maker that the first of the texts names, or an empty string."""
    for text in texts:
        for word in _PART.findall(text.casefold()):
            if word in _MAKER_NAMES:
                return _MAKER_NAMES[word]
    return ""


def slug(text: str) -> str:
    """Lower-case letters and digits with hyphens between."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", folded.casefold()).strip("-")
