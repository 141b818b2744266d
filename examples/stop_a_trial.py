"""A private sequential test on a real trial.

Indomethacin against pancreatitis after an endoscopy (Elmunzer et al., NEJM 2012; data set indo_rct of the R package
medicaldata): does the rate of pancreatitis in an arm look like 9 % or like 17 %? The test may look after every patient,
and neither its answer nor the moment of the answer may tell much about any one of them.

    python examples/stop_a_trial.py path/to/stream_indo_rct.csv.gz

Without a file only the design is shown.
"""

from __future__ import annotations

import sys

import seqlang

DESIGN = """
algorithm trial "Is the rate 9 % or 17 %? Two ends, one running count"

param p0  in (0, 1) = 0.09
param p1  in (0, 1) = 0.17
param eps > 0 = 1
param bar > 0 = 12

stream sick in {0, 1}
model low:  sick ~ bernoulli(p0)
model high: sick ~ bernoulli(p1)

let middle = (p0 + p1) / 2
statistic drift = sum(sick - middle over steps)
stop when drift >= bar  return high_rate
stop when drift <= -bar return low_rate

attach laplace(2 / eps) to bar once                # moves both ends apart, or together
attach laplace(4 / eps) to drift

claim strong pure(eps)
"""


def main(arguments: list[str]) -> None:
    spec = seqlang.load(DESIGN)
    result = seqlang.check(spec)
    pure = result.to_dict()["strong"]["pure"]
    print(
        f"privacy: epsilon is at most {pure['upper']} ({pure['symbolic']}); a pair of trials forces {pure['lower']:.3f}"
    )
    for outcome in seqlang.run(spec, runs=2000, seed=1):
        steps = outcome.to_dict()["steps"]
        answers = {name: round(r["probability"], 3) for name, r in outcome.to_dict()["returns"].items()}
        print(f"if the rate is {outcome.model}: about {steps['mean']:.0f} patients, answers {answers}")
    for file in arguments:
        for arm, name in (("0", "placebo"), ("1", "indomethacin")):
            done = seqlang.run_data(spec, file, columns={"sick": "pep"}, where=[f"arm={arm}"], seed=1).run
            answer = (
                f"{done.result} after {done.step} patients" if done.stopped else f"no answer after {done.rows_used}"
            )
            print(f"{name}: {answer}")


if __name__ == "__main__":
    main(sys.argv[1:])
