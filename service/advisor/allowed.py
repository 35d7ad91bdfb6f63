"""Constraints on a device itself: maker, software, number formats, form and availability."""

from __future__ import annotations

from dataclasses import dataclass

from service.advisor.catalog import Machine
from service.advisor.kinds import Platform
from service.advisor.precision import format_named
from service.advisor.run import TRAINING
from service.advisor.types import Workload

_ACCELERATED: frozenset[Platform] = frozenset(
    {"cuda", "rocm", "metal", "tpu", "neuron", "gaudi", "intel"}
)
_USUAL: frozenset[Platform] = frozenset({"cuda", "rocm", "metal"})
_WANTED_PLATFORM = {"Google": "tpu", "AWS": "neuron", "Intel": "gaudi"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A constraint that a candidate fails: what is needed and what it has, in words."""

    constraint: str
    needed: str
    has: str


def is_device_allowed(workload: Workload, machine: Machine) -> Failure | None:
    """The constraints on the device itself, which need no count and no offer."""
    for check in (_maker, _support, _precision, _form, _status):
        found = check(workload, machine)
        if found is not None:
            return found
    return None


def _maker(workload: Workload, machine: Machine) -> Failure | None:
    vendor = "AWS" if machine.platform == "neuron" else machine.device.vendor
    if workload.vendors_excluded is not None and vendor in workload.vendors_excluded.value:
        return Failure(constraint="maker", needed=f"not {vendor}", has=vendor)
    if workload.vendors_wanted is not None and vendor not in workload.vendors_wanted.value:
        return Failure(
            constraint="maker", needed=" or ".join(workload.vendors_wanted.value), has=vendor
        )
    if workload.devices_excluded is not None and machine.id in workload.devices_excluded.value:
        return Failure(constraint="device", needed="another device", has=machine.name)
    return None


def _support(workload: Workload, machine: Machine) -> Failure | None:
    """Software that is known to run the task; TPUs and AWS chips only where the question asks for them."""
    wanted = {
        _WANTED_PLATFORM.get(name)
        for name in (workload.vendors_wanted.value if workload.vendors_wanted else ())
    }
    framework = workload.framework.value if workload.framework is not None else ""
    platform, task = machine.platform, workload.task.value
    if framework == "jax":
        wanted.add("tpu")
    allowed = set(_USUAL) | {name for name in wanted if name}
    if framework == "cuda":
        allowed = {"cuda"}
    if task in TRAINING:
        allowed.discard("metal")
    if task == "qlora":
        allowed &= {"cuda", "rocm"}
    if (
        platform == "rocm"
        and task in TRAINING
        and (machine.device.segment == "consumer" or machine.device.kind == "soc")
    ):
        return Failure(
            constraint="software",
            needed=f"software for {task} on it",
            has="not documented here for this card",
        )
    form = format_named(workload.precision.value) if workload.precision is not None else None
    if task == "inference" and form is not None and form.whole_file and framework != "cuda":
        allowed.add("cpu")
    if platform not in allowed:
        return Failure(constraint="software", needed=" or ".join(sorted(allowed)), has=platform)
    return None


def _precision(workload: Workload, machine: Machine) -> Failure | None:
    """bf16 and fp8 need matrix units for them; block formats are unpacked and need none."""
    name = workload.precision.value if workload.precision is not None else ""
    form = format_named(name)
    if form is None or form.name not in {"bf16", "fp8"} or machine.platform == "cpu":
        return None
    if form.name in machine.no_formats:
        return Failure(constraint="precision", needed=form.name, has=f"no {form.name} matrix units")
    least = 8.0 if form.name == "bf16" else 8.9
    if (
        form.name not in machine.formats
        and machine.platform == "cuda"
        and machine.capability < least
    ):
        return Failure(
            constraint="precision",
            needed=form.name,
            has=f"compute capability {machine.capability:g}",
        )
    return None


def _form(workload: Workload, machine: Machine) -> Failure | None:
    forms = workload.form.value if workload.form is not None else ()
    laptop = machine.device.segment == "laptop" and machine.platform != "metal"
    if "laptop" in forms and machine.device.segment != "laptop":
        return Failure(constraint="form", needed="a laptop", has=machine.device.form_factor)
    if laptop and "laptop" not in forms and not _is_named(workload, machine):
        return Failure(
            constraint="form", needed="a card or machine of its own", has="soldered into a laptop"
        )
    if "no_card" in forms and machine.device.kind == "gpu":
        return Failure(constraint="form", needed="no graphics card", has=machine.device.form_factor)
    if machine.device.segment == "embedded" and not _is_named(workload, machine):
        return Failure(constraint="form", needed="a computer", has="an embedded module")
    return None


def _is_named(workload: Workload, machine: Machine) -> bool:
    named = (workload.devices_owned, workload.devices_wanted)
    return any(field is not None and machine.id in field.value for field in named)


def _status(workload: Workload, machine: Machine) -> Failure | None:
    if machine.device.scope == "board":
        return Failure(
            constraint="memory",
            needed="one memory",
            has="a board of several chips, each with its own memory",
        )
    owned = workload.devices_owned is not None and machine.id in workload.devices_owned.value
    if machine.device.status in {"legacy", "announced"} and not owned:
        return Failure(
            constraint="availability", needed="on sale and supported", has=machine.device.status
        )
    return None
