from __future__ import annotations

import json
import subprocess
import sys

import pytest

from indexer.generation import GenerationStore
from rigwise.cli import main
from service.http.schemas import AskResponse

QUESTION = "How much memory does the Acme One have?"


@pytest.fixture
def home(corpus, tmp_path, monkeypatch):
    """Settings of a user who has the small corpus, the test embedder, and no index yet."""
    monkeypatch.setenv("RIGWISE_CORPUS", str(corpus))
    monkeypatch.setenv("RIGWISE_INDEX_ROOT", str(tmp_path / "index"))
    monkeypatch.setenv("RIGWISE_EMBEDDER", "hashing")
    return tmp_path


def run(*words: str) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def test_the_first_question_builds_the_index_and_is_answered(home, capsys):
    code = run("ask", QUESTION)

    shown = capsys.readouterr().out
    assert code == 0
    assert "80 GB" in shown
    assert "hardware/acme/acme-one-80gb.md" in shown


def test_a_terminal_shows_the_same_words(home, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")

    assert run("ask", QUESTION) == 0
    shown = capsys.readouterr().out
    assert "80 GB" in shown
    assert "hardware/acme/acme-one-80gb.md" in shown


def test_a_terminal_shows_why_there_is_no_answer(home, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert run("ask", "How much memory does an RTX 7090 have?") == 3
    assert "No answer" in capsys.readouterr().out


def test_json_is_the_object_of_the_api(home, capsys):
    assert run("ask", QUESTION, "--json") == 0

    AskResponse.model_validate(json.loads(capsys.readouterr().out))


def test_the_same_question_has_the_same_answer(home, capsys):
    shown = []
    for _ in range(2):
        run("ask", QUESTION, "--json")
        answer = json.loads(capsys.readouterr().out)
        shown.append(
            {name: value for name, value in answer.items() if name not in {"id", "timings_ms"}}
        )

    assert shown[0] == shown[1]


def test_no_answer_has_an_exit_code_of_its_own(home, capsys):
    assert run("ask", "How much memory does an RTX 7090 have?") == 3
    assert capsys.readouterr().out


def test_search_shows_passages(home, capsys):
    assert run("search", "ECC memory", "--limit", "1") == 0
    assert "ecc-memory" in capsys.readouterr().out


def test_search_gives_json(home, capsys):
    run("search", "ECC memory", "--limit", "1", "--json")

    assert len(json.loads(capsys.readouterr().out)["hits"]) == 1


def test_a_build_tells_what_it_did(home, capsys):
    run("index", "build", "--json")
    first = json.loads(capsys.readouterr().out)
    run("index", "build", "--json")
    second = json.loads(capsys.readouterr().out)

    assert (first["published"], first["added"]) == (True, 4)
    assert (second["published"], second["embedded"]) == (False, 0)


def test_status_shows_the_published_generation(home, capsys):
    run("index", "build")
    capsys.readouterr()

    assert run("index", "status", "--json") == 0
    assert json.loads(capsys.readouterr().out)["devices"] == 2


@pytest.mark.parametrize(
    "words", [("index", "status"), ("index", "verify"), ("index", "rollback")], ids=" ".join
)
def test_without_an_index_the_remedy_is_told(home, capsys, words):
    assert run(*words) == 1

    told = capsys.readouterr()
    assert "rigwise index build" in told.err
    assert "Traceback" not in told.err


def test_a_damaged_file_is_found(home, capsys):
    run("index", "build")
    store = GenerationStore(home / "index")
    victim = home / "index" / "generations" / str(store.current()) / "passages.jsonl"
    victim.write_bytes(victim.read_bytes()[:-2])

    assert run("index", "verify") == 1
    assert "passages.jsonl" in capsys.readouterr().err


def test_a_damaged_index_is_built_anew_by_the_next_question(home, capsys):
    run("index", "build")
    store = GenerationStore(home / "index")
    victim = home / "index" / "generations" / str(store.current()) / "passages.jsonl"
    victim.write_bytes(victim.read_bytes()[:-2])
    capsys.readouterr()

    assert run("ask", QUESTION) == 0
    told = capsys.readouterr()
    assert "80 GB" in told.out
    assert "index.built_anew" in told.err


def test_a_rollback_goes_back_and_prune_tidies_up(home, corpus, capsys, monkeypatch):
    run("index", "build")
    first = GenerationStore(home / "index").current()
    more = home / "more"
    (more / "notes").mkdir(parents=True)
    (more / "notes" / "mine.md").write_text("# Mine\n\nMy rack has two fans.\n", encoding="utf-8")
    monkeypatch.setenv("RIGWISE_DOCUMENTS", str(more))
    run("index", "build")
    second = GenerationStore(home / "index").current()

    assert run("index", "rollback") == 0
    assert run("index", "prune", "--keep", "1") == 0
    store = GenerationStore(home / "index")
    assert (first != second, store.current()) == (True, first)


def test_a_sound_corpus_passes(corpus, capsys):
    code = run("corpus", "check", str(corpus))

    assert code in {0, 1}
    assert "errors" in capsys.readouterr().err


def test_a_faulty_corpus_fails_with_file_line_and_remedy(tmp_path, capsys):
    sheet = tmp_path / "hardware" / "acme" / "x.md"
    sheet.parent.mkdir(parents=True)
    sheet.write_text("---\nid: x\n---\n\n# X\n", encoding="utf-8")

    assert run("corpus", "check", str(tmp_path)) == 1
    assert "hardware/acme/x.md:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [(), ("nonsense",), ("ask",), ("search", "x", "--limit", "0")], ids=str
)
def test_wrong_usage_is_told(home, capsys, words):
    assert run(*words) == 2


def test_a_misspelt_setting_is_refused(home, capsys, monkeypatch):
    monkeypatch.setenv("RIGWISE_MODLE", "x")

    assert run("ask", QUESTION) == 1
    assert "RIGWISE_MODLE" in capsys.readouterr().err


def test_a_public_address_without_a_key_is_refused(home, capsys):
    assert run("serve", "--host", "0.0.0.0") == 1  # noqa: S104 - it is what has to be refused
    assert "RIGWISE_API_KEY" in capsys.readouterr().err


def test_the_package_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "rigwise", "--help"], capture_output=True, text=True, check=True
    )

    assert "corpus" in done.stdout
