"""What may be raised where the content of a certificate is evaluated, and is then a fault of the file.

A model, a claim or evidence from a file may be anything that can be written down; the records are typed, their fields
are not checked when they are read. So evaluating them may meet

    NoForm, TooLarge        a formula that has no normal form, or too large a one, to be decided
    ArithmeticError         a division by zero, a number too large for a float
    ValueError              an argument outside a function's domain (`accounting.arguments`), a number that is none
    TypeError               a value of another kind than a field is annotated with: None, a string for a number
    AttributeError          a record of another kind than a field is annotated with
    LookupError             a name, a position or a rule that the program does not have
    AssertionError          a case that well-formed models do not have (`assert_never` among them)
    RecursionError          an expression nested too deep

Whatever else is raised (MemoryError, OSError, ImportError, RuntimeError) is no fault of
the file and passes through.
"""

from seqlang.arithmetic.ratios.polynomial import TooLarge
from seqlang.arithmetic.ratios.ring import NoForm

NO_VALUE: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NoForm,
    RecursionError,
    TooLarge,
    TypeError,
    ValueError,
)
