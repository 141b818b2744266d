"""How each statement is written, in one line: shown with an error in it."""

from __future__ import annotations

FORMS: dict[str, str] = {
    "algorithm": 'algorithm NAME [edition YEAR] ["title" ["docstring"]]',
    "param": "param NAME [> VALUE | in DOMAIN] = VALUE",
    "let": "let NAME = VALUE, or let NAME(a, b) = VALUE",
    "stream": "stream NAME in DOMAIN, ..",
    "dataset": "dataset NAME in DOMAIN, .. size VALUE",
    "public": "public NAME in DOMAIN, ..",
    "adjacent": "adjacent replace one, adjacent add or remove one, or adjacent every VALUE within RADIUS [in NORM]",
    "model": "model NAME: FIELD ~ LAW, ..",
    "memory": "memory NAME = VALUE",
    "update": "update NAME = VALUE [when CONDITION]",
    "statistic": "statistic NAME = VALUE",
    "draw": "draw NAME ~ LAW [once | each step | each REPORT]",
    "attach": "attach NOISE to NAME, .. [once | each step | each REPORT]",
    "report": "report NAME when CONDITION, or report NAME = VALUE [when CONDITION]",
    "stop": "stop [when CONDITION] [return VALUE]",
    "claim": "claim strong PRIVACY, claim weak PRIVACY under MODEL, or claim CONDITION [under MODEL]",
}

# What people write who have not yet seen the list of statements, and what they mean.
MEANT: dict[str, str] = {
    "add": "attach", "noise": "attach", "perturb": "attach", "assert": "claim", "assume": "claim", "prove": "claim",
    "const": "param", "constant": "param", "parameter": "param", "def": "let", "define": "let", "fun": "let",
    "function": "let", "set": "let", "emit": "report", "output": "report", "print": "report", "release": "report",
    "halt": "stop", "exit": "stop", "end": "stop", "input": "stream", "observe": "stream", "data": "dataset",
    "neighbours": "adjacent", "neighbors": "adjacent", "adjacency": "adjacent", "state": "memory", "sample": "draw",
    "random": "draw", "stat": "statistic", "program": "algorithm", "mechanism": "algorithm", "return": "stop",
    "when": "stop", "if": "stop",
}  # fmt: skip
