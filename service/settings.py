"""The settings: the one place that reads the environment. Every variable is `RIGWISE_` and a field's name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import SettingsConfigDict

import indexer
from service.errors import ServiceError, UnsafeBinding
from service.settings_access import AccessSettings
from service.settings_slack import SlackSettings

PREFIX: Final = "RIGWISE_"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class BadSettings(ServiceError):
    """A setting has a value that cannot be used, or a variable names no setting."""

    code = "bad_settings"


def _shipped_corpus() -> Path:
    return Path(indexer.__path__[0]).parent / "corpus"


def _user_index() -> Path:
    return user_data_path("rigwise") / "index"


class ServiceSettings(AccessSettings, SlackSettings):
    """Every knob of Rigwise. The description of a field is its documentation (docs/settings.md)."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    corpus: Path = Field(
        default_factory=_shipped_corpus,
        description="Folder of the documents that ship with Rigwise.",
    )
    documents: Path | None = Field(
        default=None, description="Folder of your own documents, indexed beside the corpus."
    )
    index_root: Path = Field(
        default_factory=_user_index, description="Folder that holds the index and its generations."
    )
    embedder: Literal["onnx", "sentence", "hashing"] = Field(
        default="onnx",
        description="Backend that embeds: `onnx`, `sentence` (extra `torch`), or `hashing` (tests only).",
    )
    model: str = Field(
        default="all-MiniLM-L6-v2",
        min_length=1,
        description="Embedding model: a name, a local folder, or an id on the hub.",
    )
    threads: int = Field(default=0, ge=0, description="Threads of the embedder; 0 lets it choose.")
    device: str = Field(
        default="cpu", description="Where `sentence` runs: `cpu`, `cuda`, `cuda:1`, `mps`."
    )
    offline: bool = Field(
        default=True, description="Whether a model may not be fetched from the hub."
    )
    host: str = Field(default="127.0.0.1", description="Address that `rigwise serve` listens on.")
    port: int = Field(
        default=8080, ge=0, le=65535, description="Port that `rigwise serve` listens on."
    )
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/?#@\s]+(?:/[^?#\s]*)?$",
        description="Address under which others reach the service, such as `https://rigwise.example.org`; links to "
        "passages begin with it. Not set: address and port of `rigwise serve`.",
    )
    max_concurrent_answers: int = Field(
        default=2, ge=1, le=256, description="Answers that are computed at the same time."
    )
    max_queued_answers: int = Field(
        default=8,
        ge=0,
        le=10_000,
        description="Answers that may wait for a place; more are refused with 429.",
    )
    answer_timeout_s: float = Field(
        default=30.0, gt=0, description="Seconds after which waiting for an answer ends with 504."
    )
    max_question_chars: int = Field(
        default=4000, ge=1, description="Longest question, in characters."
    )
    max_body_bytes: int = Field(
        default=65_536, ge=1024, description="Largest request body, in bytes."
    )
    body_timeout_s: float = Field(
        default=30.0,
        gt=0,
        description="Seconds in which a request body has to come, for an upload each piece of it; "
        "then 408.",
    )
    max_upload_bytes: int = Field(
        default=64 * 2**20, ge=1, description="Largest document that can be uploaded, in bytes."
    )
    watch: bool = Field(
        default=False, description="Whether `rigwise serve` follows changes of the documents."
    )
    poll: bool = Field(
        default=False,
        description="Whether watching looks at all files every second instead of waiting for events; "
        "needed for network file systems.",
    )
    sweep_s: float = Field(
        default=60.0,
        gt=0,
        description="Seconds between looks at the hashes of all documents while watching.",
    )
    keep_generations: int = Field(
        default=5, ge=1, description="Generations of the index that a build leaves on the disk."
    )
    refresh_s: float = Field(
        default=2.0, gt=0, description="Seconds between looks for a newly published generation."
    )
    conversation_keep_s: float = Field(
        default=3600.0,
        gt=0,
        description="Seconds after its last question in which a conversation is forgotten.",
    )
    heartbeat_s: float = Field(
        default=10.0,
        gt=0,
        description="Seconds of silence after which a stream of events sends a comment.",
    )
    store_url: SecretStr | None = Field(
        default=None,
        description="Database of answers, feedback, keys and Slack's inbox: `sqlite:///FILE`, or "
        "`postgresql+psycopg://USER:PASSWORD@HOST/NAME` (extra `postgres`).",
    )
    store_key: SecretStr | None = Field(
        default=None,
        description="Key that encrypts tokens of Slack in the store; several with commas between: the "
        "first encrypts, each reads.",
    )
    store_texts: bool = Field(
        default=True,
        description="Whether questions and answers are stored; if not, only when, by whom, which kind and which "
        "generation.",
    )
    keep_days: float = Field(
        default=90, gt=0, description="Days after which answers, feedback and turns are forgotten."
    )
    llm_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Address of a language model that speaks OpenAI's protocol, such as "
        "`http://127.0.0.1:11434/v1`; not set: no model is used (extra `llm`).",
    )
    llm_model: str = Field(
        default="", description="Name of the language model; needed with RIGWISE_LLM_URL."
    )
    llm_key: SecretStr | None = Field(
        default=None, description="Key of the language model, if it wants one."
    )
    llm_timeout_s: float = Field(
        default=15.0, gt=0, description="Seconds to wait for the language model, each attempt."
    )
    llm_retries: int = Field(
        default=1, ge=0, le=5, description="Further attempts when the language model fails."
    )
    eval_shared: Path = Field(
        default=Path("../shared"),
        description="Folder with `questions/*.jsonl` and `evalsets/` that `rigwise eval quality` "
        "takes along where it is there.",
    )
    eval_cache: Path = Field(
        default=Path("var/eval"),
        description="Folder where `rigwise eval` keeps the vectors of labeled sets.",
    )
    otel_endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Collector of OpenTelemetry that takes OTLP over HTTP, such as `http://127.0.0.1:4318`; not set: no "
        "traces (extra `otel`). Its own variables `OTEL_…` set sampling and headers.",
    )
    otel_texts: bool = Field(default=False, description="Whether traces may hold questions.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe events that the service logs."
    )

    @model_validator(mode="after")
    def _absolute(self) -> ServiceSettings:
        if not self.corpus.is_dir():
            raise ValueError(f"corpus: {self.corpus} is not a folder")
        if self.llm_url is not None and not self.llm_model:
            raise ValueError("llm_url: name the model with RIGWISE_LLM_MODEL")
        if self.documents is not None and not self.documents.is_dir():
            raise ValueError(f"documents: {self.documents} is not a folder")
        fault = self.slack_fault(public_url=self.public_url, keys=self.store_keys)
        if fault:
            raise ValueError(fault)
        for folder in self.corpora:
            if self.index_root.resolve().is_relative_to(folder.resolve()):
                raise ValueError(f"index_root: {self.index_root} lies in the documents {folder}")
        return self

    @property
    def corpora(self) -> tuple[Path, ...]:
        """The folders to index; where two hold the same path, the first wins."""
        return (self.corpus,) if self.documents is None else (self.corpus, self.documents)

    @property
    def store_address(self) -> str:
        """The address of the store's database; by default a file beside the index."""
        if self.store_url is not None:
            return self.store_url.get_secret_value()
        root = self.index_root.resolve()
        return f"sqlite:///{root.with_name(f'{root.name}-store.sqlite3')}"

    @property
    def store_keys(self) -> tuple[str, ...]:
        """The keys of the store, the one that encrypts first."""
        given = self.store_key.get_secret_value() if self.store_key is not None else ""
        return tuple(key.strip() for key in given.split(",") if key.strip())

    def check_binding(self) -> None:
        """Refuse to be reachable from outside without a key.

        Raises:
            UnsafeBinding: the host is not loopback and no key is wanted.
        """
        if not self.wants_key and self.host not in _LOOPBACK:
            raise UnsafeBinding(self.host)


def load_settings() -> ServiceSettings:
    """The settings of this process.

    Raises:
        BadSettings: a value cannot be used, or a `RIGWISE_` variable names no setting.
    """
    known = {f"{PREFIX}{name}".upper() for name in ServiceSettings.model_fields}
    unknown = sorted(
        name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in known
    )
    if unknown:
        raise BadSettings(
            f"unknown setting {', '.join(unknown)}; known: {', '.join(sorted(known))}"
        )
    try:
        return ServiceSettings()
    except ValidationError as error:
        raise BadSettings("; ".join(_faults(error))) from error


def _faults(error: ValidationError) -> list[str]:
    """One line a fault, with the variable's name and never its value, which may be a secret."""
    return [
        f"{PREFIX}{'.'.join(str(step) for step in fault['loc']).upper()}: {fault['msg']}"
        if fault["loc"]
        else fault["msg"]
        for fault in error.errors(include_url=False, include_input=False)
    ]


def settings_markdown() -> str:
    """The table of docs/settings.md, made from the fields."""
    rows = ["| variable | default | what it does |", "|---|---|---|"]
    for name, field in ServiceSettings.model_fields.items():
        default = _DERIVED.get(name) or (
            "not set" if field.default is None else f"`{field.default}`"
        )
        rows.append(f"| `{PREFIX}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(rows) + "\n"


_DERIVED: Final = {
    "corpus": "the folder `corpus` beside the installed packages",
    "index_root": "`rigwise/index` in the user's data folder",
    "store_url": "a file of SQLite beside the index",
}
