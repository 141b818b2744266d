"""Questions about a program that many rules ask, and that are worked out once.

A remembered function depends on its arguments alone, so its answer is the same whoever asks first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of

P = ParamSpec("P")
T = TypeVar("T")
_MISSING = object()


def remembered(answer: Callable[Concatenate[Facts, P], T]) -> Callable[Concatenate[Facts, P], T]:
    """The function, whose answers are kept with the facts that it reads. Its arguments are given by position."""

    @wraps(answer)
    def asked(facts: Facts, /, *question: P.args, **_: P.kwargs) -> T:
        answers, key = facts.answers, (answer, question)
        found: Any = answers.get(key, _MISSING)
        if found is _MISSING:
            found = answers[key] = answer(facts, *question, **_)
        result: T = found
        return result

    return asked


def remembered_of_program(answer: Callable[Concatenate[Program, P], T]) -> Callable[Concatenate[Program, P], T]:
    """The same for a function of a program."""

    def of_facts(facts: Facts, /, *question: P.args, **_: P.kwargs) -> T:
        return answer(facts.program, *question, **_)

    kept = remembered(of_facts)

    @wraps(answer)
    def asked(program: Program, /, *question: P.args, **_: P.kwargs) -> T:
        return kept(facts_of(program), *question, **_)

    return asked
