"""Read a report that was saved, of quality or of speed."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from eval.errors import BadReport
from eval.report import Report as QualityReport
from eval.speed.rows import Report as SpeedReport

_Report = TypeVar("_Report", QualityReport, SpeedReport)


def load_saved(path: Path, kind: type[_Report]) -> _Report:
    """The report of that kind in a file.

    Raises:
        BadReport: it cannot be read, or is of another kind or format.
    """
    try:
        report = kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise BadReport(path, "is no such report") from error
    wanted = kind.model_fields["format"].default
    if report.format != wanted:
        raise BadReport(path, f"has format {report.format}, this version reads {wanted}")
    return report
