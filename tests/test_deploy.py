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
from service.settings import ServiceSettings

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


_COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
_UNIT = (DEPLOY / "rigwise.service").read_text(encoding="utf-8")
_DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["compose.yaml", "rigwise.service", "Dockerfile"])
def test_every_setting_that_is_named_exists(name):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    named = set(re.findall(r"\bRIGWISE_[A-Z_]+\b", text))

    assert named
    assert named - {f"RIGWISE_{field.upper()}" for field in ServiceSettings.model_fields} == set()


def test_no_password_has_a_value_in_the_file():
    secret = re.compile(r"PASSWORD|KEY|SECRET|TOKEN")
    given = {
        name: value
        for service in _COMPOSE["services"].values()
        for name, value in service.get("environment", {}).items()
        if secret.search(name)
    }

    assert given
    assert all(re.fullmatch(r"\$\{[A-Z_]+:(\?.+|-)\}", value) for value in given.values())


def test_no_port_is_open_to_the_network():
    ports = [port for service in _COMPOSE["services"].values() for port in service.get("ports", [])]

    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_file_that_is_mounted_or_copied_exists():
    mounted = [
        volume.split(":")[0]
        for service in _COMPOSE["services"].values()
        for volume in service["volumes"]
        if volume.startswith(".")
    ]
    copied = [
        name
        for names in re.findall(r"^COPY (?!--)(.+) \S+$", _DOCKERFILE, re.MULTILINE)
        for name in names.split()
    ]

    assert [name for name in mounted if not (DEPLOY / name).exists()] == []
    assert [name for name in copied if not (DEPLOY.parent / name).exists()] == []


def test_what_the_image_copies_is_not_ignored():
    kept = set((DEPLOY.parent / ".dockerignore").read_text(encoding="utf-8").split())
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", _DOCKERFILE, re.MULTILINE)

    assert {f"!{name}" for names in copied for name in names.split()} == kept - {
        "*",
        "**/__pycache__",
    }


def test_the_image_runs_as_nobody_special():
    last = _DOCKERFILE.rsplit("FROM ", 1)[1]

    assert "\nUSER rigwise\n" in last
    assert "HEALTHCHECK" in last
    assert _COMPOSE["services"]["rigwise"]["read_only"] is True
    assert "NoNewPrivileges=yes" in _UNIT
