"""Resolve the versions into a plain constraints file: no hashes, addresses or local builds, so that it fits any machine.

Versions that are pinned stay as long as they fit; `--upgrade` resolves all of them anew.

python -m tools.lock requirements.lock [--upgrade]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

TORCH = (
    "torch==2.13.0"  # the same as in the Makefile; the newest would bring gigabytes of libraries
)
_HEADER = "# The versions that Rigwise is tested with: constraints, not requirements (make lock writes this file).\n"
_OPTIONS = (
    "--quiet",
    f"--upgrade-package={TORCH}",
    "--extra=client",
    "--extra=dev",
    "--extra=eval",
    "--extra=llm",
    "--extra=mcp",
    "--extra=ocr",
    "--extra=oidc",
    "--extra=otel",
    "--extra=postgres",
    "--extra=redis",
    "--extra=slack",
    "--extra=torch",
    "--strip-extras",
    "--no-annotate",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)


def main(lock: Path, *options: str) -> None:
    """Write the lock file; options go to pip-compile."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "lock.txt"
        made.write_text(lock.read_text(encoding="utf-8"), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "piptools",
            "compile",
            *_OPTIONS,
            *options,
            f"--output-file={made}",
            "pyproject.toml",
        ]
        subprocess.run(command, check=True)  # noqa: S603 - the command is ours, word for word
        lock.write_text(_HEADER + portable(made.read_text(encoding="utf-8")), encoding="utf-8")


def portable(text: str) -> str:
    """The pins alone, without the tag of a local build such as `+cpu`."""
    pins = (
        line.split("+")[0].rstrip()
        for line in text.splitlines()
        if "==" in line and not line.startswith("#")
    )
    return "".join(f"{pin}\n" for pin in pins)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
