"""Speech models that take several streams at once: what each further stream keeps in memory."""

from __future__ import annotations

from service.advisor.parts import Spread, given, part
from service.advisor.types import MemoryPart, ModelShape, Workload

_SOURCE = "Whisper, arXiv 2212.04356; openai/whisper, whisper/model.py: keys and values of the decoder's attention to sound and to text"
_SOUND = 1500
_TEXT = 448
_TURBO_LAYERS = 4


def streams_part(workload: Workload, shape: ModelShape | None) -> MemoryPart | None:
    """The caches of the streams beyond the first, which the published figure holds; None for one stream.

    A window of 30 seconds is 1,500 positions of the encoder; keys and values of these and of the text are kept in 16 bits
    by each layer of the decoder. A beam keeps several caches of the text, and windows are encoded together: so the high
    figure is twice the likely one.
    """
    streams = workload.concurrency or workload.batch
    if (
        workload.task.value != "inference"
        or shape is None
        or shape.family != "speech"
        or "whisper" not in shape.name
        or streams is None
        or streams.value < 2
    ):
        return None
    layers = _TURBO_LAYERS if "turbo" in shape.name else shape.layers
    return part(
        "caches of the further streams",
        "kv_cache",
        formula="(sequences-1)*2*layers*hidden*(sound+text)*2 / 2**30",
        inputs=(
            *given("sequences", streams.value, "", basis="question"),
            *given("layers", layers, "", basis="cited", note=shape.name),
            *given("hidden", shape.hidden, "", basis="cited", note=shape.name),
            *given("sound", _SOUND, "positions", basis="assumed", note="30 s of sound"),
            *given("text", shape.context or _TEXT, "tokens", basis="cited", note=shape.name),
        ),
        source=_SOURCE,
        spread=Spread(low=0.8, high=2.0),
    )
