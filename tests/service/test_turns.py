from __future__ import annotations

from service.turns import MemoryConversations, Turn


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def turn(text: str) -> Turn:
    return Turn(question=text, asked=text)


def test_a_conversation_expires_after_its_last_turn():
    clock = Clock()
    kept = MemoryConversations(keep_s=10, clock=clock)
    kept.add("a", turn("one"))
    clock.now = 9
    kept.add("a", turn("two"))

    clock.now = 18
    before = kept.turns("a")
    clock.now = 19

    assert ([each.question for each in before], kept.turns("a")) == (["one", "two"], ())


def test_the_longest_silent_conversation_goes_first():
    kept = MemoryConversations(keep_s=10, conversations=2)
    for name in ("a", "b", "a", "c"):
        kept.add(name, turn(name))

    assert [bool(kept.turns(name)) for name in "abc"] == [True, False, True]


def test_only_the_newest_turns_are_kept():
    kept = MemoryConversations(keep_s=10, turns=2)
    for text in ("one", "two", "three"):
        kept.add("a", turn(text))

    assert [each.question for each in kept.turns("a")] == ["two", "three"]


def test_deleting_tells_whether_there_was_one():
    kept = MemoryConversations(keep_s=10)
    kept.add("a", turn("one"))

    assert [kept.delete("a"), kept.delete("a"), kept.turns("a")] == [True, False, ()]
