"""Check an answer as a stranger would: only its statements and the documents count, not how it was made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from indexer.types import Document
from service.checks import figures, polarity, qualifiers, support, tokens
from service.checks.names import Named, Names
from service.checks.polarity import negations
from service.checks.quoted import Quoted, input_quotes, read_quote
from service.numbers import Quantity, quantities
from service.types import Number, Quote, Statement

Reason = Literal["span", "support", "number", "qualifier", "entity", "negation", "code"]
# What behind a name says which variant is meant.
_FORM = re.compile(r"[ -](SXM|PCIe|NVL|Laptop)\d?\b(?! \d\.\d)")
# Quotes that a checker keeps read: facts and rows come again in many answers.
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with a statement, in words, and of which kind; empty when nothing is."""

    statement: Statement
    faults: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A statement with what was read off it. `cited` are its own quotes, `quotes` also those of its inputs.

    `text` has the titles of sources blanked, `plain` the names of devices too: "80 GB" in a name states nothing. `built_of` are the names, systems with their parts.
    """

    statement: Statement
    text: str
    plain: str
    cited: tuple[Quoted, ...]
    quotes: tuple[Quoted, ...]
    named: tuple[Named, ...]
    built_of: tuple[Named, ...]
    stated: tuple[Quantity, ...]
    notes: str

    @property
    def computes(self) -> bool:
        """Whether it shows a calculation beside conversions and ratios."""
        return any(
            number.origin != "cited" and number.unit not in {"times", "GiB"}
            for number in self.statement.numbers
        ) or (not self.cited and bool(self.statement.numbers))

    @property
    def facts(self) -> tuple[Quoted, ...]:
        """The fact lines that it quotes itself."""
        return tuple(quote for quote in self.cited if quote.shape == "fact")


class Checker:
    """Checks statements against the documents of one generation."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        names = Names(documents.values())
        self._names = names

        @lru_cache(maxsize=_REMEMBERED)
        def read(quote: Quote) -> Quoted | None:
            return read_quote(quote, documents, names)

        self._quoted = read

    def check(self, statement: Statement, *, rephrased: bool = False) -> Verdict:
        """Everything that is wrong with a statement; `rephrased`: its words need not be those of its quotes."""
        cited, faults = self._read(statement.quotes)
        if not cited and not any(number.origin != "cited" for number in statement.numbers):
            faults.append(("support", "nothing supports it"))
        if faults:
            return _verdict(statement, faults)
        prose = all(quote.shape == "prose" for quote in cited)
        if cited and not rephrased and prose and not statement.numbers and _is_ours(cited):
            if support.is_taken_over(statement.text, cited):
                return Verdict(statement=statement)
            return _verdict(statement, [("support", "it is not what its quote says")])
        if len(cited) == 1 and support.repeats(statement.text, cited[0]):
            return Verdict(statement=statement)
        inputs, _ = self._read(tuple(input_quotes(statement.numbers)))
        case = self._case(statement, cited, inputs)
        return _verdict(statement, list(_faults(case, rephrased=rephrased)))

    def _read(self, quotes: Sequence[Quote]) -> tuple[list[Quoted], list[tuple[Reason, str]]]:
        found: list[Quoted] = []
        faults: list[tuple[Reason, str]] = []
        for quote in dict.fromkeys(quotes):
            read = self._quoted(quote)
            if read is None:
                faults.append(("span", f"no span {quote.start}:{quote.end} in {quote.document_id}"))
            else:
                found.append(read)
        return found, faults

    def _case(self, statement: Statement, cited: list[Quoted], inputs: list[Quoted]) -> _Case:
        text = _untitled(statement.text, cited)
        named = tuple(
            replace(name, devices=self._names.parts(name.devices))
            for name in self._names.find(text)
        )
        plain = _without(text, named)
        return _Case(
            statement=statement,
            text=text,
            plain=plain,
            cited=tuple(cited),
            quotes=(*cited, *inputs),
            named=named,
            built_of=tuple(
                replace(name, devices=self._names.parts(name.devices)) for name in named
            ),
            stated=tuple(quantities(plain)),
            notes=_notes(statement.numbers),
        )


def verify(
    statements: Sequence[Statement], documents: Mapping[str, Document]
) -> tuple[Verdict, ...]:
    """Check each statement: spans, support, numbers with units, qualifiers, devices, denials, codes and dates."""
    checker = Checker(documents)
    return tuple(checker.check(statement) for statement in statements)


def _verdict(statement: Statement, faults: list[tuple[Reason, str]]) -> Verdict:
    return Verdict(
        statement=statement,
        faults=tuple(told for _, told in faults),
        reasons=tuple(dict.fromkeys(reason for reason, _ in faults)),
    )


def _faults(case: _Case, *, rephrased: bool) -> Iterator[tuple[Reason, str]]:
    text, numbers = case.text, case.statement.numbers
    for told in figures.unknown(text, case.stated, case.quotes, numbers):
        yield "number", told
    for told in tokens.strangers(
        text, case.quotes, (*case.named, *case.stated), case.notes, bare=not case.computes
    ):
        yield "code", told
    whole = case.statement.text
    for told in (
        *tokens.misplaced(whole, case.cited),
        *tokens.miscounted(whole, case.cited, case.named),
        *qualifiers.unsupported(case.plain, case.quotes, case.notes),
    ):
        yield "qualifier", told
    yield from _entities(case)
    yield from _related(case)
    if rephrased and not support.is_carried(text, case.cited):
        yield "support", "its quotes do not say it"
    if case.facts and not case.computes:
        yield from _phrased(case)
    elif _denied(case):
        yield "negation", "it denies what its figures or its quotes say"


def _related(case: _Case) -> Iterator[tuple[Reason, str]]:
    """Each quote has to do with the statement."""
    named = frozenset(device for name in case.named for device in name.devices)
    for quote in case.cited:
        if not support.contributes(case.statement.text, quote, case.stated, named):
            yield "support", f"the quote of {quote.document.title} has nothing to do with it"


def _denied(case: _Case) -> bool:
    if case.computes:
        return polarity.denies_figure(case.plain) or polarity.misjudges(case.text)
    rows = all(quote.shape == "row" for quote in case.cited)
    return rows and negations(case.plain) > 0


def _entities(case: _Case) -> Iterator[tuple[Reason, str]]:
    """Each named device is one of the quotes, and each quoted spec sheet is one that is named."""
    held = frozenset(device for quote in case.quotes for device in quote.devices)
    for name in case.built_of if case.quotes else ():
        if not name.devices & held:
            yield "entity", f"{case.text[name.start : name.end]} stands in no quote"
        form = _FORM.match(case.text, name.end)
        if form and not any(form.group(1) in quote.document.title for quote in case.quotes):
            yield "entity", f"no quote is about a {form.group(1)} variant"
    told = frozenset(device for name in case.named for device in name.devices)
    for quote in case.facts:
        if quote.own not in told and (case.named or not case.computes):
            yield "entity", f"it quotes {quote.document.title}, which it does not name"
    for fault in figures.misattributed(case.stated, case.facts, case.built_of):
        yield "entity", fault


def _phrased(case: _Case) -> Iterator[tuple[Reason, str]]:
    """A fact in words: subject, figure, what the figure demands, and whether it is denied."""
    text, shown = case.text, 0
    told = (*case.stated, *quantities(text))  # "12 GB" in a device's name says its memory as well
    for quote in case.facts:
        value = figures.unsaid(text, quote, told)
        if value:
            yield "support", f"it does not say {value}, which it quotes"
            continue
        shown += 1
        faults = [list(qualifiers.missing(part, quote)) for part in _windows(case, quote)]
        for fault in min(faults, key=len):
            yield "qualifier", fault
    if shown and support.wrongly_denied(text, case.facts):
        yield "negation", "it denies what its quote affirms, or affirms what it denies"


def _windows(case: _Case, quote: Quoted) -> list[str]:
    """The parts that may speak of one of several quoted facts: its head, and from an equal figure to the next one."""
    text = case.text
    wanted = [fact for fact in case.facts if figures.unsaid(text, fact, ())]
    found = [
        each
        for each in case.stated
        if any(not figures.unsaid(text, fact, [each]) for fact in wanted)
    ]
    places = [n for n, each in enumerate(found) if not figures.unsaid(text, quote, [each])]
    if len(case.facts) == 1 or quote.fields.get("fact") == "price" or not places:
        return [text]
    ends = [*(each.start for each in found[1:]), len(text)]
    return [f"{text[: found[0].start]} {text[found[n].start : ends[n]]}" for n in places]


def _is_ours(quotes: Sequence[Quoted]) -> bool:
    return all(quote.document.kind in {"guidance", "hardware"} for quote in quotes)


def _without(text: str, named: Sequence[Named]) -> str:
    """The text with device names blanked: "80 GB" in a name states nothing."""
    for name in named:
        text = text[: name.start] + " " * (name.end - name.start) + text[name.end :]
    return text


def _untitled(text: str, quotes: Sequence[Quoted]) -> str:
    """The text with the quoted machines blanked, and titles of sources where it names the sources of figures."""
    blanked = {quote.fields.get("instance", "") for quote in quotes} - {""}
    if ", as of " in text:
        blanked |= {each.title for quote in quotes for each in quote.document.sources}
        for quote in quotes:
            note = quote.fields.get("note", "")
            text = text.replace(f", {note}", ", " + " " * len(note)) if note else text
    for name in blanked:
        before, after = ("(", ",") if " " in name else ("", "")
        if f"{before}{name}{after}" in text:
            blank = " " * len(name)
            text = text.replace(f"{before}{name}{after}", f"{before}{blank}{after}")
    return text


def _notes(numbers: Sequence[Number]) -> str:
    """What the computations tell of themselves: formulas, inputs, sources, and what the asker stated."""
    told = []
    for number in numbers:
        told.append(f"{number.value:.15g} {number.unit}" if number.origin != "cited" else "")
        work = number.computation
        if work is not None:
            told.extend((work.formula, work.source))
            told.extend(
                f"{each.name} {each.value:.15g} {each.unit} {each.note}" for each in work.inputs
            )
    return "\n".join(told)
