"""What can go wrong with the store.

ServiceError
└── StoreError
    ├── StoreUnavailable  the database cannot be reached, or is not ready: try again later: 503
    ├── StoreRefused      the database does not take this row, however often it is sent
    ├── StoreTooNew       a newer version of Rigwise has changed the database
    ├── BadStoreUrl       RIGWISE_STORE_URL names no database that Rigwise knows, or its driver is missing
    ├── AnswerNotFound    no answer of that id is kept, or it is somebody else's: 404
    ├── BadKey            a key of the API cannot be made like that
    ├── KeyNotFound       there is no key of that name
    └── NoStoreKey        secrets are to be stored or read, and RIGWISE_STORE_KEY does not fit
"""

from __future__ import annotations

from service.errors import ServiceError


class StoreError(ServiceError):
    """The root of the errors of the store."""

    code = "store_error"


class StoreUnavailable(StoreError):
    """The database cannot be reached, or is not ready."""

    code = "store_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the store cannot be used now ({reason}); try again in a while")


class StoreRefused(StoreError):
    """The database does not take this row, however often it is sent."""

    code = "store_refused"


class StoreTooNew(StoreError):
    """A newer version of Rigwise has changed the database."""

    code = "store_too_new"

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"the store is at revision {revision!r}, which this version does not know; "
            "start the newer version, or restore the back-up that was made before the upgrade"
        )


class BadStoreUrl(StoreError):
    """The address names no database that Rigwise knows, or its driver is missing."""

    code = "bad_store_url"


class NoStoreKey(StoreError):
    """Secrets are to be stored or read, and the key is missing or does not fit."""

    code = "no_store_key"


class AnswerNotFound(StoreError):
    """No answer of that id is kept, or it is somebody else's."""

    code = "answer_not_found"

    def __init__(self, answer_id: str) -> None:
        super().__init__(
            f"no answer {answer_id!r} is kept, or it was given to another key; "
            "answers are forgotten after RIGWISE_KEEP_DAYS days"
        )


class BadKey(StoreError):
    """A key of the API cannot be made like that."""

    code = "bad_key"


class KeyNotFound(StoreError):
    """There is no key of that name."""

    code = "key_not_found"

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no key {name!r}; `rigwise keys list` shows all")
