"""The errors of the eval suite."""

from __future__ import annotations

from pathlib import Path


class EvalError(Exception):
    """Root of all errors of the eval suite."""

    code = "eval_error"


class BadCaseFile(EvalError):
    """A file of cases cannot be used."""

    code = "bad_case_file"

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line


class BadReport(EvalError):
    """A file is no report that this version can read."""

    code = "bad_report"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path}: {reason}; make one with rigwise eval quality --save, or rigwise eval speed"
        )
        self.path = path


class MissingExtra(EvalError):
    """A library that only the eval suite needs is not installed."""

    code = "missing_extra"

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; pip install 'rigwise[{extra}]'")
        self.package = package
