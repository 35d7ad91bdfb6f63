from __future__ import annotations

import io
import sys

from indexer.embedders.hashing import HashingEmbedder
from rigwise.chat import talk
from service.engine import Engine
from service.snapshot import SnapshotHolder


def engine_of(store) -> Engine:
    embedder = HashingEmbedder()
    holder = SnapshotHolder(store, fingerprint=embedder.spec.fingerprint())
    return Engine(holder=holder, embedder=embedder)


def test_a_follow_up_leans_on_the_question_before(store, capsys):
    talk(
        engine_of(store), iter(["How much memory does the Acme One have?\n", "and the Acme Two?\n"])
    )

    shown = capsys.readouterr().out
    assert "Understood as: How much memory does the Acme Two have?" in shown


def test_forget_begins_anew(store, capsys):
    lines = ["How much memory does the Acme One have?", "forget", "and with 4-bit?"]

    talk(engine_of(store), iter(lines))

    assert "not known here" in capsys.readouterr().out


def test_exit_ends_and_a_bad_question_does_not(store, capsys):
    talk(
        engine_of(store), iter(["x" * 5000, "", "exit", "How much memory does the Acme One have?"])
    )

    shown = capsys.readouterr()
    assert "bad_question" in shown.err
    assert shown.out == ""


def test_questions_can_be_piped_in(store, capsys, monkeypatch):
    from rigwise.chat import _lines

    monkeypatch.setattr(sys, "stdin", io.StringIO("How much memory does the Acme One have?\n"))
    talk(engine_of(store), _lines())

    assert "80 GB" in capsys.readouterr().out
