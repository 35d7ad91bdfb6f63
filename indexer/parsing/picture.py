"""Pictures of pages and of tables, read by their letters."""

from __future__ import annotations

import io
from typing import Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.ocr import read_picture
from indexer.parsing.pages import measure, write_pages
from indexer.parsing.writer import Writer
from indexer.types import Document

_MOST_DOTS: Final = 50_000_000
_SMALL: Final = 1000


def parse(source: SourceFile) -> Document:
    """Parse a picture; of a picture with several frames the first is read.

    Raises:
        CorpusError: damaged, too large, or no reader of pictures is installed.
    """
    import numpy as np

    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise CorpusError(
            source.path, 1, "pictures are read with the extra `ocr` (pip install 'rigwise[ocr]')"
        ) from error
    try:
        with Image.open(io.BytesIO(source.content)) as image:
            if image.width * image.height > _MOST_DOTS:
                raise CorpusError(
                    source.path,
                    1,
                    f"{image.width} x {image.height} dots; at most {_MOST_DOTS} are read",
                )
            flat = Image.new("RGB", image.size, "white")
            shown = image.convert("RGBA")
            flat.paste(shown, mask=shown)
    except (
        UnidentifiedImageError,
        Image.DecompressionBombError,
        OSError,
        ValueError,
        SyntaxError,
    ) as error:
        raise CorpusError(source.path, 1, f"the picture cannot be read: {error}") from error
    scale = 2.0 if max(flat.size) >= _SMALL else 1.0
    layout = read_picture(source.path, np.asarray(flat), number=1, scale=scale)
    writer = Writer()
    style = measure(1, lambda _: layout)
    title = write_pages(writer, [layout], style)
    return writer.document(source, "image", title=title)
