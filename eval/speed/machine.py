"""The machine and the software that a report was made with."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = (
    "rigwise",
    "numpy",
    "onnxruntime",
    "onnx",
    "faiss-cpu",
    "tokenizers",
    "torch",
    "sentence-transformers",
    "fastembed",
    "mlcommons-loadgen",
    "nvidia-ml-py",
)


def describe_machine(threads: int) -> dict[str, Any]:
    """Processor, memory, accelerators, the threads asked for, affinity, load and the kernels that BLAS chose."""
    return {
        "processor": processor(),
        "cores": os.cpu_count() or 1,
        "affinity": _affinity(),
        "threads": threads,
        "memory_gib": _memory_gib(),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "gpus": list(gpus()),
        "load_average": _load(),
        "blas": _blas(),
        "extensions": _extensions(),
    }


def describe_versions() -> dict[str, str]:
    """Python and the packages that a figure depends on; those not installed are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit_of(folder: Path) -> str:
    """The git commit of the folder, "+" behind it when files differ; empty where there is none."""
    try:
        head = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return ""
    return head[:12] + ("+" if changed else "")


def processor() -> str:
    """The processor's name as its maker writes it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def gpus() -> tuple[str, ...]:
    """The names of the NVIDIA GPUs that the driver reports."""
    try:
        pynvml = import_module("pynvml")
    except ImportError:
        return ()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    count = pynvml.nvmlDeviceGetCount()
    names = tuple(
        str(pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(at))) for at in range(count)
    )
    pynvml.nvmlShutdown()
    return names


def resident_mb(pid: str = "self") -> float | None:
    """Resident memory of a process in MB (10^6 bytes); None where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603 - fixed words
        ["git", "-C", str(folder), *words],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()


def _affinity() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _load() -> float | None:
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _memory_gib() -> float | None:
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    return round(pages / 2**30, 1)


def _blas() -> list[str]:
    """What threadpoolctl sees: an environment that pins numpy to an old kernel shows here."""
    try:
        threadpool_info = import_module("threadpoolctl").threadpool_info
    except ImportError:
        return []
    return [
        " ".join(
            str(pool.get(key) or "")
            for key in ("internal_api", "version", "architecture", "num_threads")
        )
        for pool in threadpool_info()
    ]


def _extensions() -> list[str]:
    """The vector extensions that decide how fast low precision is."""
    info = Path("/proc/cpuinfo")
    if not info.is_file():
        return []
    words = set(info.read_text(encoding="utf-8", errors="replace").split())
    wanted = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_tile", "asimddp")
    return [name for name in wanted if name in words]
