"""Which model is meant where only its kind or its family is named."""

from __future__ import annotations

from service.advisor.understand.models import ModelNames, Named
from service.advisor.understand.words import cue

# What stands in for a kind of model of which no member is named: the larger of the usual members.
_KINDS = (
    (r"object detection|detector", "yolov8x", "yolov8m"),
    (r"image generation|stable diffusion|text-to-image", "sdxl-base-1.0", "stable-diffusion-v1-5"),
    (
        r"bert[- ]size|\bberts?\b|text classif\w+|transformer fine-?tun\w*|transformer encoder",
        "bert-large-uncased",
        "bert-base-uncased",
    ),
    (r"(?<!r-)\bcnns?\b|convolutional|image classif\w+|vision models?", "resnet50", "resnet50"),
    (
        r"\b(?:ct|mri|medical|volumes?)\b[^.?!]*\bsegment\w*|\bsegment\w*[^.?!]*\b(?:ct|mri|medical|volumes?)\b|\bu-?nets?\b",
        "nnU-Net",
        "nnU-Net",
    ),
    (r"nano-?gpt|\bsmall gpts?\b", "gpt2", "gpt2"),
    (r"speech recognition|transcri\w+", "whisper-large-v3", "whisper-small"),
)
_SMALL = r"\bsmall\b|coursework|\bcourse\b|homework|\btoy\b|hobby|student project"


def first_model(named: list[Named], text: str, names: ModelNames) -> Named | None:
    """The model that is meant first: one named with its size, else what stands for the kind that is named."""
    sized = [each for each in named if not each.usual]
    if sized:
        return sized[0]
    small = cue(_SMALL, text) is not None
    for pattern, large, little in _KINDS:
        found, name = cue(pattern, text), little if small else large
        beside = named and not any(
            found is not None and each.start == found.start() for each in named
        )
        if found is not None and name in names.shapes and not beside:
            return Named(
                shape=names.shapes[name],
                words=found.group(),
                start=found.start(),
                end=found.end(),
                usual=True,
            )
    return named[0] if named else None
