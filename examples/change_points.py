"""When did it change? Privately, afterwards and as it happens.

    python examples/change_points.py [--runs 1000]

The rate of an event jumps from 20 % to 80 %. Afterwards, with all the data at hand, how far from the truth is a private
estimate of the moment? And as it happens: how late is the alarm, how often is it false, and where does it put the
change? (Cummings, Krehbiel, Mei, Tuo and Zhang 2018; the specs of the library.)
"""

from __future__ import annotations

import argparse

import numpy as np

import seqlang

RATES = {"p0": 0.2, "p1": 0.8}


def proved(spec: seqlang.Spec) -> float:
    """The least epsilon for which a proof was found."""
    return float(seqlang.check(spec).to_dict()["strong"]["pure"]["upper"])


def afterwards(runs: int) -> None:
    print("with all 200 steps at hand, change at step 100\n  epsilon   mean distance   within 5 steps")
    for eps in (0.1, 0.5, 1, 4):
        spec = seqlang.load("@cummings2018/changepoint_offline", **RATES, eps=eps, n=200, k_star=100)
        (found,) = seqlang.run(spec, runs=runs, seed=1)
        assert found.samples.values is not None
        distance = np.abs(found.samples.values - 100)
        print(f"  {proved(spec):7.4g}   {distance.mean():13.1f}   {np.mean(distance <= 5):14.1%}")


def as_it_happens(runs: int) -> None:
    change = 500
    print(f"\nas it happens, in a window of 250 steps, change at step {change}")
    print("  epsilon     T   false alarms   mean delay   mean distance of the estimate")
    for eps, bars in ((1, (80, 120, 160)), (4, (20, 30, 40))):
        spec = "@cummings2018/changepoint_online"
        epsilon = proved(seqlang.load(spec, **RATES, eps=eps))  # neither the window nor the bar matters to privacy
        for bar in bars:
            loaded = seqlang.load(spec, **RATES, eps=eps, m=250, T=bar, k_star=change)
            (found,) = seqlang.run(loaded, runs=runs, seed=1, cap=4 * change)
            steps, back = found.samples.steps, found.samples.values
            assert back is not None
            late = steps >= change
            distance = np.abs(steps - back + 1 - change)  # it returns how many steps back the change lies
            print(
                f"  {epsilon:7.4g}   {bar:3}   {1 - late.mean():12.1%}   {(steps - change)[late].mean():10.1f}"
                f"   {np.nanmean(distance[late]):13.1f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    afterwards(runs)
    as_it_happens(runs)


if __name__ == "__main__":
    main()
