"""What this machine can do at most, measured in the same run: fp32 matrix products, and copying memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from eval.speed.rows import Row, measured
from eval.speed.stats import interleaved, summarize

_SIZE: Final = 1024
_PRODUCT_FLOP: Final = 2.0 * _SIZE**3
# Products in a row beside a timed lap: long enough for the clock, short beside the lap.
_BURST: Final = 8
# Far larger than any cache that an ordinary machine has for one process.
_COPY_BYTES: Final = 256 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The rows, and two actions that stand beside whatever is timed, so that both see the same neighbors.

    `together` multiplies on all threads and gives the limit by the clock; `alone` multiplies on one thread, which
    never waits busily for another, and gives the limit of a processor second. Each takes `flop` operations.
    """

    rows: tuple[Row, ...]
    together: Callable[[], object]
    alone: Callable[[], object]
    flop: float = _BURST * _PRODUCT_FLOP


def measure_ceiling(
    *,
    threads: int,
    repetitions: int,
    clock: Callable[[], float],
    cpu_clock: Callable[[], float],
) -> Ceiling:
    """Square fp32 products of 1,024 by the libraries at hand, and the bandwidth of a copy.

    numpy's BLAS can be pinned to an old kernel by its environment, so onnxruntime and torch stand beside it;
    onnxruntime's own product is the limit that throughputs are held against, numpy's where onnx is missing.
    """
    actions = _products(threads)
    laps = interleaved(
        list(actions.values()), repetitions=repetitions, clock=clock, cpu_clock=cpu_clock
    )
    rows = []
    for name, own in zip(actions, laps, strict=True):
        row = Row(
            group="ceiling",
            name=f"fp32 matrix product, {name}",
            unit="GFLOP/s",
            setting={"size": _SIZE, "threads": 1 if name.endswith("one thread") else threads},
        )
        rows.append(measured(row, summarize([_PRODUCT_FLOP / lap.wall_s / 1e9 for lap in own])))
    rows.append(_copy(repetitions, clock=clock, cpu_clock=cpu_clock))
    together = actions.get("onnxruntime", actions["numpy"])
    alone = actions.get("onnxruntime, one thread", together)
    return Ceiling(rows=tuple(rows), together=_burst(together), alone=_burst(alone))


def _burst(action: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        for _ in range(_BURST):
            action()

    return run


def _products(threads: int) -> dict[str, Callable[[], object]]:
    generator = np.random.default_rng(0)
    left, right = (generator.random((_SIZE, _SIZE), dtype=np.float32) for _ in range(2))
    actions: dict[str, Callable[[], object]] = {"numpy": lambda: left @ right}
    if find_spec("onnx"):
        both, one = _matmul_session(threads), _matmul_session(1)
        actions["onnxruntime"] = lambda: both.run(None, {"a": left, "b": right})
        actions["onnxruntime, one thread"] = lambda: one.run(None, {"a": left, "b": right})
    if find_spec("torch"):
        from eval.speed.torch_run import matmul_action

        actions["torch"] = matmul_action(_SIZE)
    return actions


def _matmul_session(threads: int) -> Any:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    shapes = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [_SIZE, _SIZE]) for name in "abc"
    ]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["c"])], "product", shapes[:2], shapes[2:]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    onnx.checker.check_model(model)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _copy(repetitions: int, *, clock: Callable[[], float], cpu_clock: Callable[[], float]) -> Row:
    source = np.ones(_COPY_BYTES, dtype=np.uint8)
    target = np.empty_like(source)
    laps = interleaved(
        [lambda: np.copyto(target, source)],
        repetitions=repetitions,
        clock=clock,
        cpu_clock=cpu_clock,
    )[0]
    row = Row(
        group="ceiling",
        name="memory copy",
        unit="GB/s",
        setting={"threads": 1},
        note="bytes read and bytes written, both counted",
    )
    return measured(row, summarize([2 * _COPY_BYTES / lap.wall_s / 1e9 for lap in laps]))
