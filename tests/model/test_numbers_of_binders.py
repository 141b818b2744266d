"""Nothing that is printed, hashed or compared depends on the numbers that binders get when they step aside."""

from __future__ import annotations

import subprocess
import sys

TEXT = """\
algorithm t "t"
dataset x in [0, 1] size 4
statistic m = max(x[i] for i in records)
statistic c = count(x[i] >= m for i in records)
statistic l = [sum(x[j] * k for j in records) for k in 1..2]
report s = sum(l[i] * i for i in 1..2)
stop return c
attach laplace(1) to c
attach laplace(9) to s
claim strong pure(2) expect refuted
"""
PROGRAM = """
import json, sys
from itertools import islice
from seqlang import driver, load
from seqlang.model import binding
text = sys.argv[1]
if sys.argv[2] == "later":
    driver.check(load(text).loaded)
    list(islice(binding._FRESH, 12345))
found = driver.check(load(text).loaded)
said = found.to_dict()
del said["seconds"]
print(json.dumps(said, sort_keys=True))
print(found.certificate())
"""


def told(when: str) -> bytes:
    command = [sys.executable, "-c", PROGRAM, TEXT, when]
    return subprocess.run(command, capture_output=True, check=True, timeout=300).stdout


def test_a_second_check_in_a_process_says_the_same() -> None:
    first = told("first")
    assert b"laplace" in first
    assert told("later") == first
