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
# Far larger than any cache that an ordinary machine has for one process.
_COPY_BYTES: Final = 512 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The rows, and the best of the fp32 products by wall clock and by processor second, in GFLOP/s."""

    rows: tuple[Row, ...]
    gflops: float
    gflops_cpu_s: float

    def share(self, flop_per_second: float) -> float:
        """A rate as a part of what the machine did by the clock."""
        return flop_per_second / 1e9 / self.gflops if self.gflops else 0.0


def measure_ceiling(
    *,
    threads: int,
    repetitions: int,
    clock: Callable[[], float],
    cpu_clock: Callable[[], float],
) -> Ceiling:
    """Square fp32 products of 1,024 by the libraries at hand, and the bandwidth of a copy.

    numpy's BLAS can be pinned to an old kernel by its environment, so onnxruntime and torch stand beside it, and
    the fastest of them is the ceiling.
    """
    actions = _products(threads)
    laps = interleaved(
        list(actions.values()), repetitions=repetitions, clock=clock, cpu_clock=cpu_clock
    )
    rows = []
    best = best_cpu = 0.0
    for name, own in zip(actions, laps, strict=True):
        rates = [_PRODUCT_FLOP / lap.wall_s / 1e9 for lap in own]
        summary = summarize(rates)
        best = max(best, summary.median)
        busy = summarize([_PRODUCT_FLOP / max(lap.cpu_s, 1e-9) / 1e9 for lap in own]).median
        best_cpu = max(best_cpu, busy)
        row = Row(
            group="ceiling",
            name=f"fp32 matrix product, {name}",
            unit="GFLOP/s",
            setting={"size": _SIZE, "threads": threads},
            note=f"{busy:.0f} GFLOP for each processor second",
        )
        rows.append(measured(row, summary))
    rows.append(_copy(repetitions, clock=clock, cpu_clock=cpu_clock))
    return Ceiling(rows=tuple(rows), gflops=best, gflops_cpu_s=best_cpu)


def _products(threads: int) -> dict[str, Callable[[], object]]:
    generator = np.random.default_rng(0)
    left, right = (generator.random((_SIZE, _SIZE), dtype=np.float32) for _ in range(2))
    actions: dict[str, Callable[[], object]] = {"numpy": lambda: left @ right}
    if find_spec("onnx"):
        session = _matmul_session(threads)
        actions["onnxruntime"] = lambda: session.run(None, {"a": left, "b": right})
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
