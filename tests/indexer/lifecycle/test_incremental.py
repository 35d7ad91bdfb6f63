from __future__ import annotations

import shutil

import pytest

from indexer.embedders.hashing import HashingEmbedder
from indexer.errors import BuildCancelled, CorpusMissing, EmptyCorpus
from indexer.files import Files
from indexer.generation import GenerationStore
from indexer.pipeline import BuildOptions, build_generation
from tests.indexer.lifecycle.worlds import (
    EMBEDDER,
    build,
    files_of,
    texts,
    write_article,
    write_articles,
)


@pytest.fixture
def docs(tmp_path):
    return write_articles(tmp_path / "docs")


@pytest.fixture
def store(tmp_path):
    return GenerationStore(tmp_path / "index")


class CountingEmbedder(HashingEmbedder):
    def __init__(self):
        super().__init__(dimensions=16)
        self.texts = []

    def embed_passages(self, texts, *, progress=None):
        self.texts.extend(texts)
        return super().embed_passages(texts, progress=progress)


class WritesNothing(Files):
    def write(self, path, content):
        raise AssertionError(path)


def test_a_build_of_unchanged_files_embeds_writes_and_publishes_nothing(docs, store):
    first = build(docs, store)
    embedder = CountingEmbedder()

    again = build_generation([docs], GenerationStore(store.root, files=WritesNothing()), embedder)

    assert (again.published, again.embedded, embedder.texts) == (False, 0, [])
    assert (again.generation, again.reused) == (first.generation, first.embedded)


def test_building_twice_from_nothing_gives_the_same_bytes(docs, store, tmp_path):
    other = GenerationStore(tmp_path / "other")

    build(docs, store)
    build(docs, other)

    assert files_of(store.root / "generations") == files_of(other.root / "generations")


def test_an_incremental_build_gives_the_bytes_of_a_fresh_one(docs, store, tmp_path):
    build(docs, store)
    write_article(docs, "guidance/memory/article-1.md", "Card 1 has more memory now.")
    (docs / "guidance/memory/article-0.md").unlink()
    write_article(docs, "guidance/power/article-9.md", "Card 9 draws 300 W. It is hot.")

    report = build(docs, store)
    fresh = build(docs, GenerationStore(tmp_path / "fresh"))

    assert report.generation == fresh.generation
    assert (report.added, report.changed, report.removed) == (
        ("guidance/power/article-9.md",),
        ("guidance/memory/article-1.md",),
        ("guidance/memory/article-0.md",),
    )


def test_only_texts_that_are_new_are_embedded(docs, store):
    build(docs, store)
    write_article(
        docs, "guidance/memory/article-1.md", "Card 1 has memory.", "A second paragraph says more."
    )
    embedder = CountingEmbedder()

    build_generation([docs], store, embedder)

    assert "A second paragraph says more." in embedder.texts
    assert not any("Card 0" in text or "Card 2" in text for text in embedder.texts)


def test_a_renamed_file_keeps_its_vectors(docs, store):
    build(docs, store)
    old = docs / "guidance/memory/article-1.md"
    old.rename(docs / "guidance/memory/renamed.md")

    report = build(docs, store)

    assert (report.embedded, report.published) == (0, True)
    assert report.added == ("guidance/memory/renamed.md",)


def test_a_deleted_document_is_gone_from_every_leg_at_once(docs, store):
    write_article(docs, "guidance/memory/zebra.md", "The zebra has stripes of HBM3.")
    build(docs, store)
    (docs / "guidance/memory/zebra.md").unlink()

    build(docs, store)

    index = store.open_current()
    assert "zebra" not in texts(index)
    assert index.lexical.scores("zebra stripes").max() == 0
    assert "guidance/memory/zebra" not in index.documents
    assert len(index.dense) == len(index.lexical) == len(index.passages) == 3


def test_a_bad_file_keeps_its_last_good_version_marked_stale(docs, store):
    build(docs, store)
    (docs / "guidance/memory/article-1.md").write_bytes(b"# Title\n\n\xff\xfe not text")

    report = build(docs, store)

    index = store.open_current()
    assert report.stale == ("guidance/memory/article-1.md",)
    assert "Card 1 has memory." in texts(index)
    (rejection,) = index.manifest.rejected
    assert ("UTF-8" in rejection.reason, rejection.line) == (True, 3)


def test_a_bad_file_is_not_read_again_until_it_changes(docs, store):
    (docs / "guidance/memory/article-1.md").write_bytes(b"\xff\xfe\xfa")
    first = build(docs, store)

    again = build(docs, GenerationStore(store.root, files=WritesNothing()))
    write_article(docs, "guidance/memory/article-1.md", "Mended.")
    mended = build(docs, store)

    assert again.rejected == first.rejected != ()
    assert (mended.rejected, mended.stale, mended.published) == ((), (), True)


def test_a_deleted_bad_file_takes_its_last_good_version_along(docs, store):
    build(docs, store)
    path = docs / "guidance/memory/article-1.md"
    path.write_bytes(b"\xff\xfe\xfa")
    build(docs, store)
    path.unlink()

    report = build(docs, store)

    assert report.removed == ("guidance/memory/article-1.md",)
    assert "Card 1" not in texts(store.open_current())


def test_two_folders_make_one_index_and_the_first_wins(docs, store, tmp_path):
    own = tmp_path / "own"
    write_article(own, "notes/cooling.md", "Our rack is cooled by water.")
    write_article(own, "guidance/memory/article-1.md", "A stranger in its place.")

    report = build_generation([docs, own], store, EMBEDDER)

    said = texts(store.open_current())
    assert "cooled by water" in said
    assert "stranger" not in said
    assert [item.path for item in report.rejected] == ["guidance/memory/article-1.md"]


def test_two_files_with_one_id_are_not_mixed_up(docs, store):
    (docs / "guidance/memory/article-1.csv").write_text("a,b\n1,2\n")

    report = build(docs, store)

    assert "same id" in report.rejected[0].reason
    assert len(store.open_current().documents) == 3


def test_a_folder_that_is_gone_deletes_nothing(docs, store, tmp_path):
    own = tmp_path / "own"
    write_article(own, "notes/cooling.md", "Our rack is cooled by water.")
    build_generation([docs, own], store, EMBEDDER)
    shutil.move(own, tmp_path / "elsewhere")

    with pytest.raises(CorpusMissing, match="stays as it is"):
        build_generation([docs, own], store, EMBEDDER)

    assert "cooled by water" in texts(store.open_current())


def test_an_empty_folder_is_refused(store, tmp_path):
    (tmp_path / "empty").mkdir()

    with pytest.raises(EmptyCorpus, match="no document"):
        build(tmp_path / "empty", store)


def test_links_and_hidden_files_are_left_out(docs, store, tmp_path):
    write_article(tmp_path, "outside/secret.md", "A secret.")
    (docs / "link.md").symlink_to(tmp_path / "outside/secret.md")
    (docs / "folder").symlink_to(tmp_path / "outside")
    write_article(docs, ".upload-1/half.md", "Half a file.")

    build(docs, store)

    assert len(store.open_current().documents) == 3


def test_a_cancelled_build_publishes_nothing(docs, store):
    first = build(docs, store)
    write_article(docs, "guidance/memory/article-1.md", "Other text.")
    asked = iter([False] * 4 + [True] * 100)

    with pytest.raises(BuildCancelled, match="nothing was published"):
        build(docs, store, BuildOptions(cancelled=lambda: next(asked)))

    assert store.current() == first.generation
    assert build(docs, store).published


def test_another_model_embeds_anew_and_keeps_a_last_good_version(docs, store):
    build(docs, store)
    (docs / "guidance/memory/article-1.md").write_bytes(b"\xff\xfe\xfa")

    report = build_generation([docs], store, HashingEmbedder(dimensions=32))

    index = store.open_current()
    assert (report.published, report.reused, report.stale) == (
        True,
        0,
        ("guidance/memory/article-1.md",),
    )
    assert index.dense.dimensions == 32
    assert "Card 1 has memory." in texts(index)


def test_a_full_build_reads_all_anew_and_embeds_nothing(docs, store):
    first = build(docs, store)

    report = build(docs, store, BuildOptions(full=True))

    assert (report.generation, report.published, report.embedded) == (first.generation, False, 0)


def test_the_report_names_the_seconds_of_each_stage(docs, store):
    ticks = iter(range(100))

    report = build_generation([docs], store, EMBEDDER, clock=lambda: float(next(ticks)))

    assert report.seconds == dict.fromkeys(
        ["scan", "open", "parse", "embed", "commit", "publish"], 1.0
    )
