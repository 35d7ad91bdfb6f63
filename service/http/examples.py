"""The examples of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

_QUOTE: Final = "fact: memory, value: 141 GB, basis: nominal, memory_type: HBM3e"
ANSWER: Final[dict[str, Any]] = {
    "id": "5f0c2b7e9d1a4c3e8b6f7a2d9c4e1f30",
    "question": "How much memory does an H200 have?",
    "rewritten": "",
    "parts": [],
    "kind": "answer",
    "intent": "lookup",
    "text": "The NVIDIA H200 SXM has 141 GB of HBM3e memory (nominal). [1]",
    "statements": [
        {
            "text": "The NVIDIA H200 SXM has 141 GB of HBM3e memory (nominal).",
            "citations": [1],
            "numbers": [
                {
                    "value": 141.0,
                    "unit": "GB",
                    "qualifiers": {"basis": "nominal", "memory_type": "HBM3e"},
                    "origin": "cited",
                    "citation": 1,
                    "computation": None,
                }
            ],
        }
    ],
    "table": None,
    "citations": [
        {
            "n": 1,
            "passage_id": "9c1f3a5b7d2e4f60",
            "document": {
                "id": "hardware/nvidia/nvidia-h200-sxm-141gb.md",
                "title": "NVIDIA H200 SXM 141 GB",
                "path": "hardware/nvidia/nvidia-h200-sxm-141gb.md",
                "url": "",
                "kind": "hardware",
                "as_of": "",
            },
            "heading_path": ["NVIDIA H200 SXM 141 GB"],
            "page": None,
            "quote": _QUOTE,
            "start": 900,
            "end": 900 + len(_QUOTE),
        }
    ],
    "recommendation": None,
    "abstention": None,
    "devices": ["nvidia-h200-sxm-141gb"],
    "retrieved": [
        {
            "passage_id": "9c1f3a5b7d2e4f60",
            "score": 3.1,
            "similarity": 0.71,
            "legs": {"dense": 1, "lexical": 2},
        }
    ],
    "generation": "1f0e2d3c4b5a6978",
    "checks": {},
    "timings_ms": {"understand": 0.4, "embed": 4.1, "retrieve": 1.8, "compose": 1.2, "cite": 0.1},
}
PROBLEM: Final[dict[str, Any]] = {
    "type": "urn:rigwise:problem:overloaded",
    "title": "Every place for an answer is taken",
    "status": 429,
    "code": "overloaded",
    "detail": "all 10 places for answers are taken; try again in 2 s",
    "request_id": "5f0c2b7e9d1a4c3e8b6f7a2d9c4e1f30",
}
