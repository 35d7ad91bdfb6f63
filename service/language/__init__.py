"""The optional language model: it may rephrase and order what was chosen, and every sentence of it is checked."""

from service.language.rephrase import rephrase
from service.language.writer import Evidence, Sentence, Writer, WriterFailed

__all__ = ["Evidence", "Sentence", "Writer", "WriterFailed", "rephrase"]
