"""A number and the formula that it comes from, kept as one: the value is computed from the text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

from service.types import Computation, Input, Number

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CALLS: dict[str, Callable[..., float]] = {"max": max, "min": min}


def computation(formula: str, *inputs: tuple[Input, ...], source: str) -> Computation:
    """A computation from groups of inputs; of inputs with one name the first is kept."""
    by_name: dict[str, Input] = {}
    for group in inputs:
        for entry in group:
            by_name.setdefault(entry.name, entry)
    return Computation(formula=formula, inputs=tuple(by_name.values()), source=source)


def computed(formula: str, unit: str, *inputs: tuple[Input, ...], source: str) -> Number:
    """A number that a formula gives."""
    work = computation(formula, *inputs, source=source)
    return Number(value=evaluate(work), unit=unit, origin="computed", computation=work)


def evaluate(work: Computation) -> float:
    """The value of a computation's formula: + - * / **, max, min, names of inputs and numbers."""
    return _value(_parsed(work.formula), {entry.name: entry.value for entry in work.inputs})


@lru_cache(maxsize=1024)
def _parsed(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return names[name]
        case ast.BinOp(left=left, op=sign, right=right):
            return _BINARY[type(sign)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _CALLS[name](*(_value(argument, names) for argument in arguments))
    raise ValueError(f"not a formula: {ast.unparse(node)}")
