"""What an Office file is packed in, looked at before anything is unpacked."""

from __future__ import annotations

import io
import zipfile
from typing import Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.media import UNREADABLE

_MOST_BYTES: Final = 512 * 2**20
_MOST_RATIO: Final = 200
# Small files may be packed well without being a bomb.
_HARMLESS: Final = 16 * 2**20
_MOST_MEMBERS: Final = 20_000


def check_archive(source: SourceFile) -> None:
    """Refuse a container that would unpack to far more than it is.

    Raises:
        CorpusError: damaged, encrypted, or a bomb.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
            members = archive.infolist()
    except UNREADABLE as error:
        raise CorpusError(source.path, 1, f"damaged or cut off: {error}") from error
    if any(member.flag_bits & 1 for member in members):
        raise CorpusError(source.path, 1, "encrypted; save it without a password")
    unpacked = sum(member.file_size for member in members)
    ratio = unpacked / max(1, len(source.content))
    if (
        unpacked > _MOST_BYTES
        or len(members) > _MOST_MEMBERS
        or (unpacked > _HARMLESS and ratio > _MOST_RATIO)
    ):
        raise CorpusError(
            source.path,
            1,
            f"unpacks to {unpacked} bytes, {ratio:.0f} times its size: refused as a zip bomb",
        )
