"""Inputs drawn from a model."""

from __future__ import annotations

from collections.abc import Mapping

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.laws.multivariate import Independent
from seqlang.backends.interpret.randomness import Randomness
from seqlang.backends.interpret.shapes import declared_records
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError, Value, describe, is_vector
from seqlang.model.program import Model, Program


class InputSampler:
    """Draws a model's fields in order; a law may read the fields drawn before it, the step, and memories.

    A value outside the field's declared domain is an error (E0621): the program's guarantees are about the domain.
    """

    def __init__(self, program: Program, model: Model) -> None:
        self.program = program
        self.model = model
        compiler = Compiler(program)
        self._fields: dict[str, Value] = {}
        self._state = PartialState(fields=self._fields, records=declared_records(compiler))
        kinds = {i.name: i for i in program.inputs}
        self._steps = [
            (name, compiler.compile(law), CheckedDomain(compiler, kinds[name].domain), kinds[name].kind)
            for name, law in model.laws
        ]

    def entry(self, randomness: Randomness, step: int, memory: Mapping[str, Value]) -> dict[str, Value]:
        """This step's entry of the streams and public inputs. `memory`: as it is before the step."""
        self._state.memory = memory
        return self._sample(randomness, step, ("stream", "public"))

    def dataset(self, randomness: Randomness) -> dict[str, tuple[Value, ...]]:
        """All records of the dataset fields; `step` in their laws is the record's number."""
        rows = [self._sample(randomness, i, ("dataset",)) for i in self._state.records]
        names = [name for name, _, _, kind in self._steps if kind == "dataset"]
        return {name: tuple(row[name] for row in rows) for name in names}

    def _sample(self, randomness: Randomness, step: int, kinds: tuple[str, ...]) -> dict[str, Value]:
        self._state.step_number = step
        result: dict[str, Value] = {}
        for name, law, domain, kind in self._steps:
            if kind not in kinds:
                continue
            found = law.run(self._state)
            if domain.dimension is not None and not found.joint and not is_vector((found.support() or (0,))[0]):
                found = Independent((found,) * domain.dimension)
            value = randomness.entry(name, step, found)
            if not domain.contains(value):
                raise outside(self.model, name, value, domain.text)
            self._fields[name] = result[name] = value
        return result


def outside(model: Model, name: str, value: Value, domain: str) -> EvaluationError:
    """The error for a model that leaves a field's domain."""
    message = f"model `{model.name}` drew {name} = {describe(value)}, which is not in {domain}"
    return EvaluationError(message, model.span, ("clip or condition the law, or widen the domain",), "E0621")
