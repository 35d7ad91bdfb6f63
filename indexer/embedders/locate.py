"""Find a model's files: a local folder, a package that carries them, the hub's cache or the hub, in that order."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from indexer.embedders.profiles import Carrier, ModelProfile
from indexer.errors import ModelCorrupt, ModelNotFound

_ONNX_NAMES = {
    "model": ("onnx/model.onnx", "model.onnx"),
    "tokenizer": ("tokenizer.json",),
}


def locate_onnx(model: str, profile: ModelProfile, *, offline: bool) -> dict[str, Path]:
    """The files by role ("model", "tokenizer").

    Raises:
        ModelNotFound: with every place that was tried.
        ModelCorrupt: a carried file is not the pinned one.
    """
    tried: list[str] = []
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _in_folder(model, folder)
    tried.append(f"folder {model}")
    for carrier in profile.carriers:
        files = _in_package(carrier)
        if files and "model" in files:
            return files
        tried.append(f"package {carrier.package}")
    found, where = _in_hub(profile, offline=offline)
    if found:
        return found
    raise ModelNotFound(model, (*tried, where))


def locate_package(profile: ModelProfile, role: str) -> Path | None:
    """The folder of a package that carries the file of that role, its hash checked; None if none is installed."""
    for carrier in profile.carriers:
        files = _in_package(carrier)
        if role in files:
            return files[role].parent
    return None


def _in_folder(model: str, folder: Path) -> dict[str, Path]:
    found = {}
    for role, names in _ONNX_NAMES.items():
        for name in names:
            if (folder / name).is_file():
                found[role] = folder / name
                break
    missing = [name for name in _ONNX_NAMES if name not in found]
    if missing:
        raise ModelNotFound(model, (f"folder {folder}, which lacks {', '.join(missing)}",))
    return found


def _in_package(carrier: Carrier) -> dict[str, Path]:
    spec = find_spec(carrier.import_name)
    if spec is None or not spec.submodule_search_locations:
        return {}
    root = Path(next(iter(spec.submodule_search_locations))) / carrier.folder
    files = {}
    for role, name, sha256 in carrier.files:
        path = root / name
        if not path.is_file():
            return {}
        _check(path, sha256)
        files[role] = path
    return files


def _in_hub(profile: ModelProfile, *, offline: bool) -> tuple[dict[str, Path], str]:
    where = f"hub {profile.hub_id}"
    if find_spec("huggingface_hub") is None:
        return {}, f"{where} (package huggingface_hub is not installed)"
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return {
            role: Path(hf_hub_download(profile.hub_id, names[0], local_files_only=offline))
            for role, names in _ONNX_NAMES.items()
        }, where
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        return {}, f"{where} ({type(error).__name__})"


def _check(path: Path, sha256: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ModelCorrupt(path, sha256, found)
