"""Random small specs in which private entries, public fields, memories and reports meet in nested tests and folds."""

from __future__ import annotations

import random


class Written:
    """One spec as text: `names` are numbers that may be read at the place that is written now, `events` reports."""

    def __init__(self, coins: random.Random) -> None:
        self.coins = coins
        self.names = ["x", "z", "step", "m", "k"]
        self.public = ["z", "step", "m", "k"]
        self.events: list[str] = []
        self.bound = 0
        self.kept = ["m", "k"]

    def spec(self) -> str:
        """A line of each kind, and some more, in an order by chance."""
        lines = ["algorithm a", "stream x in -2..3", "public z in 0..2", "memory m = 1", "memory k = 0"]
        if self.coins.random() < 0.3:
            lines.append(f"let m0 = m {self.coins.choice('+-')} k")
            self.names.append("m0")
            self.public.append("m0")
        for number in range(self.coins.randrange(4, 9)):
            updates = ["update"] * (2 if self.kept else 0)
            kind = self.coins.choice(["let", "statistic", "fold", "report", "event", *updates])
            lines.append(getattr(self, kind)(f"{kind[0]}{number}"))
        shown = self.coins.choice(self.names)
        lines.append(f"report shown = {shown} + {self.number(2)}")
        lines.append(f"stop when {self.test(2, public=True)} and step >= 5 return {self.number(1)}")
        lines += ["attach geometric(1 / 2) to shown", "attach geometric(1 / 3) to return"]
        return "\n".join(lines) + "\n"

    def let(self, name: str) -> str:
        text = f"let {name} = {self.number(2, public=True)}"
        self.names.append(name)
        self.public.append(name)
        return text

    def statistic(self, name: str) -> str:
        text = f"statistic {name} = {self.number(3)}"
        self.names.append(name)
        return text

    def fold(self, name: str) -> str:
        since = [f"since {event}" for event in self.events]
        over = self.coins.choice(["over steps", "over last 3", "over last 1", *since])
        public = self.coins.random() < 0.3
        where = f" where {self.test(2, public=public)}" if self.coins.random() < 0.7 else ""
        inside = self.test(2) if (count := self.coins.random() < 0.4) else self.number(2)
        text = f"statistic {name} = {'count' if count else 'sum'}({inside}{where} {over})"
        if self.coins.random() < 0.2:
            text = f"statistic {name} = previous({self.number(2)}, {self.coins.randrange(3)})"
        self.names.append(name)
        return text

    def report(self, name: str) -> str:
        text = f"report {name} = {self.number(2, public=True)}"
        self.names.append(name)
        self.public.append(name)
        return text

    def event(self, name: str) -> str:
        text = f"report {name} when {self.test(2, public=self.coins.random() < 0.5)}"
        self.events.append(name)
        return text

    def update(self, name: str) -> str:
        memory = self.kept.pop()
        when = f" when {self.test(2, public=True)}" if self.coins.random() < 0.6 else ""
        return f"update {memory} = ({self.number(2, public=True)}) % 7{when}"

    def number(self, depth: int, public: bool = False) -> str:
        coins, kinds = self.coins, ["+", "-", "if", "if", "fold", "max", "abs", "divided"]
        kind = coins.choice(kinds) if depth > 0 else "name"
        if kind == "name" or coins.random() < 0.15:
            return coins.choice([*(self.public if public else self.names), str(coins.randrange(-2, 4))])
        one, two = (self.number(depth - 1, public) for _ in range(2))
        match kind:
            case "if":
                return f"(if {self.test(depth - 1, public)} then {one} else {two})"
            case "fold":
                return self.folded(depth, public)
            case "max":
                return f"{coins.choice(['max', 'min'])}({one}, {two})"
            case "abs":
                return f"abs({one})"
            case "divided":
                return f"({one}) / {coins.choice([2, 4])}"  # a number that floating point has, too
        return f"({one} {kind} {two})"

    def folded(self, depth: int, public: bool) -> str:
        self.bound += 1
        name = f"i{self.bound}"
        reads = [self.names, self.public]
        for names in reads:
            names.append(name)
        where = f" where {self.test(depth - 1, public)}" if self.coins.random() < 0.7 else ""
        count = self.coins.random() < 0.4
        body = self.test(depth - 1, public) if count else self.number(depth - 1, public)
        for names in reads:
            names.remove(name)
        return f"{'count' if count else 'sum'}({body} for {name} in 0..{self.coins.randrange(1, 3)}{where})"

    def test(self, depth: int, public: bool = False) -> str:
        coins = self.coins
        kind = coins.choice(["and", "or", "not", "compare"]) if depth > 0 else "compare"
        if kind in ("and", "or"):
            parts = [self.test(depth - 1, public or coins.random() < 0.4) for _ in range(coins.randrange(2, 4))]
            return "(" + f" {kind} ".join(parts) + ")"
        if kind == "not":
            return f"not {self.test(depth - 1, public)}"
        if self.events and coins.random() < 0.3:
            return coins.choice(self.events)
        operator = coins.choice([">=", "<", "==", "!="])
        return f"({self.number(depth - 1, public)} {operator} {self.number(0, public)})"


def random_spec(seed: int) -> str:
    """The same for a seed."""
    return Written(random.Random(seed)).spec()
