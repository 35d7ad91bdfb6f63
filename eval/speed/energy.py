"""Joules by the machine's own counters: RAPL for processors, NVML for NVIDIA GPUs. What cannot be read is not guessed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from eval.speed.rows import Row, measured
from eval.speed.stats import summarize

POWERCAP: Final = Path("/sys/class/powercap")
UNAVAILABLE: Final = "unavailable: no readable energy counter (RAPL, NVML)"
Counter = Callable[[], float]


def counters(powercap: Path = POWERCAP) -> dict[str, Counter]:
    """Functions that give joules since some start, by name: one a processor package, one a GPU."""
    found = {name: _rapl(path) for name, path in _packages(powercap).items()}
    return found | _gpus()


def measure_energy(
    action: Callable[[], object],
    *,
    passages: int,
    repetitions: int,
    clock: Callable[[], float],
    read: dict[str, Counter],
) -> list[Row]:
    """Watts and joules a passage while the action embeds that many passages."""
    row = Row(group="energy", name="embedding, energy", unit="J/passage", higher_is_better=False)
    if not read:
        return [row.model_copy(update={"skipped": UNAVAILABLE})]
    rows = []
    for name, counter in read.items():
        watts, joules = [], []
        for _ in range(repetitions):
            start, before = clock(), counter()
            action()
            used = counter() - before
            if used >= 0:
                joules.append(used / passages)
                watts.append(used / (clock() - start))
        if joules:
            own = row.model_copy(update={"name": f"embedding, energy of {name}"})
            power = own.model_copy(update={"name": f"embedding, power of {name}", "unit": "W"})
            rows += [measured(own, summarize(joules)), measured(power, summarize(watts))]
    return rows or [row.model_copy(update={"skipped": UNAVAILABLE})]


def _packages(powercap: Path) -> dict[str, Path]:
    """Processor packages whose counter this user may read; the parts of a package would count twice."""
    found = {}
    for folder in sorted(powercap.glob("intel-rapl:*")):
        counter = folder / "energy_uj"
        if folder.name.count(":") != 1:
            continue
        try:
            counter.read_text(encoding="ascii")
            found[(folder / "name").read_text(encoding="ascii").strip()] = counter
        except OSError:
            continue
    return found


def _rapl(path: Path) -> Counter:
    return lambda: int(path.read_text(encoding="ascii")) / 1e6


def _gpus() -> dict[str, Counter]:
    try:
        nvml = import_module("pynvml")
    except ImportError:
        return {}
    try:
        nvml.nvmlInit()
        handles = [nvml.nvmlDeviceGetHandleByIndex(at) for at in range(nvml.nvmlDeviceGetCount())]
    except nvml.NVMLError:
        return {}
    return {f"GPU {at}": _nvml(nvml, handle) for at, handle in enumerate(handles)}


def _nvml(nvml: Any, handle: Any) -> Counter:
    return lambda: float(nvml.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1000.0
