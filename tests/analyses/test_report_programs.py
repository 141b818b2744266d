"""Programs of the sparse-vector kind as strangers write them, each with the pure bound that theory gives it.

D is how far a quantity moves, lz, lw, la the scales of a threshold's, a look's and an answer's noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest
from thorough import spread

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.proof.derivation import PureBound
from seqlang.proof.replay import replay
from seqlang.report.numbers import upper
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

FOLDER = Path(__file__).parent / "report_programs"

BOUNDS = {
    "above_then_sum": ("2/3", "an entry lies in one segment: max of 1/3 and 1/3, and its release 1/3"),
    "adaptive_gap": ("1", "Ding et al. 2019, Algorithm 2: e0 + the budget that is spent"),
    "below_counted": ("1", "D/lz + c 2 D/lw"),
    "below_until": ("3/4", "D/lz + one report of 2 D/lw"),
    "blocks_since": ("1", "the same with a report that cuts"),
    "budget_left": ("1", "D/lz + c 2 D/lw"),
    "budget_memory": ("1", "eps/2 + four reports of 2 D/lw = eps/8 each"),
    "compared_value": ("1", "D/lz + c 2 D/lw"),
    "count_divided": ("1", "D/lz + c 2 D/lw"),
    "count_subtracted": ("1", "D/lz + c 2 D/lw"),
    "cut_either": ("1/4", "4 looks of D/lw = 1/16 are less than 1/2 + 4/8"),
    "data_divisor": ("inf", "no bounded shift"),
    "dataset_add_remove": ("1", "one record more moves all counts up: D/lz + c D/lw"),
    "done_flag": ("3/4", "D/lz + one report of 2 D/lw"),
    "done_stop": ("3/4", "D/lz + one report of 2 D/lw"),
    "each_two_shared": ("7/8", "2 lives of A and 2 of B, at D/lz = 1/8 each; 3 reports of 2 D/lw = 1/8"),
    "expo_levels_of_looks": ("1", "7 looks of D/lw = 1/7"),
    "few_steps": ("1", "n looks of eps/n"),
    "few_steps_stop": ("1", "n looks of eps/n"),
    "gap_below_few": ("1", "n looks of D/lw each: 4/4"),
    "gap_clipped": ("1", "post-processing of the gap"),
    "gap_one_statistic": ("1", "the same, named once"),
    "gap_released": ("1", "Ding et al. 2019: the gap costs nothing"),
    "gap_when_below": ("inf", "the gap tells where it is below, too"),
    "gap_where_not_below": ("1", "D/lz + c 2 D/lw"),
    "guess_free_svt": ("1", "c (D/lz + 2 D/lw + D/la)"),
    "history_and_this_step": ("1", "D/lz + c 2 D/lw"),
    "levels_in_one_value": ("1", "D/lz + c 2 D/lw"),
    "log_scale": ("1", "eta/lz + c 2 eta/lw"),
    "log_scale_one": ("1", "one look of eta/lw"),
    "lord_released": ("5", "eta (c/lz + 2 c/lw), levels of released rejections"),
    "mean_scaled": ("1/2", "the same, not named"),
    "memory_by_twos": ("1", "D/lz + c 2 D/lw"),
    "memory_equal": ("1", "D/lz + c 2 D/lw"),
    "memory_phase": ("1", "eps/4 + 2 eps/8 + 3 answers of eps/6"),
    "memory_stepped_over": ("inf", "the count steps over its end"),
    "memory_that_falls": ("inf", "memory that may fall limits nothing"),
    "much_above": ("1", "D/lz + c 2 D/lw"),
    "no_threshold_noise": ("inf", "every quiet step costs"),
    "one_entry_moves": ("1", "one look of D/lw"),
    "one_entry_moves_T": ("1", "one look of D/lw, the threshold stays"),
    "one_entry_numeric": ("1", "D/lw + D/la in one look"),
    "periodic_compare": ("1", "5 looks of D/lw = 1/5"),
    "periodic_look": ("1", "10 releases of D/la = 1/10"),
    "phase_zero": ("3/4", "D/lz + one report of 2 D/lw"),
    "private_guard": ("inf", "a test without noise"),
    "query_released_same_noise": ("inf", "Lyu, Su & Li 2017, Algorithm 3"),
    "refresh_at_other": ("7/6", "4 lives of D/lz = 1/6, 2 reports of 2 D/lw = 1/4"),
    "reports_left": ("1", "D/lz + c 2 D/lw"),
    "reports_left_guard": ("1", "D/lz + c 2 D/lw"),
    "restart": ("1/2", "an entry lies in one segment; uniform shift"),
    "restart_window": ("7/2", "an entry is looked at 7 times, D/lw = 1/2"),
    "shewhart": ("1", "an entry is looked at once"),
    "shewhart_blocks": ("1", "an entry lies in one block"),
    "shewhart_window": ("1", "an entry is looked at m times, D/lw = eps/m"),
    "step_noise": ("1", "max(D/lz, D/lw): a factor of at least 1"),
    "step_noise_T": ("1/2", "max(D/lz, D/lw): times step it is a running sum"),
    "stop_gap": ("1", "the same, as what a stop returns"),
    "stop_value": ("1", "D/lz + 2 D/lw + D/la = 3/3"),
    "svt_exponential": ("inf", "noise that lowers the threshold cannot hide that nothing fired"),
    "svt_exponential_plus": ("1", "D/lz + c 2 D/lw, the noise raises both sides"),
    "svt_hysteresis": ("1", "2 D/lz + 4 (2 D/lw) = 1/2 + 4/8"),
    "threshold_from_answers": ("1", "D/lz + c (2 D/lw + D/la), memory holds answers only"),
    "threshold_from_data": ("inf", "the threshold remembers data"),
    "thresholdout_once": ("1/25", "(3B+1)/(4 tau n)"),
    "two_mechanisms_count": ("2", "the same with memory and with a count"),
    "two_mechanisms_history": ("2", "each D/lz + c 2 D/lw, ended by a guard"),
    "two_sided_reports": ("3/4", "2 D/lz + 3 (2 D/lw) = 1/2 + 3/12"),
    "two_sided_reports_or": ("1", "2 D/lz + 3 (2 D/lw) = 1/2 + 3/6"),
    "zero_or_one": ("1", "D/lz + c 2 D/lw"),
    "zero_or_one_in_memory": ("1", "D/lz + c 2 D/lw"),
    "zero_or_one_summed": ("1", "D/lz + c 2 D/lw"),
}


@pytest.mark.parametrize("name", spread(BOUNDS, 36))
def test_bound(name: str) -> None:
    program = driver.load(Source(name, (FOLDER / f"{name}.seq").read_text("utf-8"))).program
    found = prove(program, orders=()).pure
    expected = BOUNDS[name][0]
    if expected == "inf":
        assert found is None
        return
    assert found is not None
    assert isinstance(found.conclusion, PureBound)
    assert replay(program, found) == ()
    reached = upper(found.conclusion.epsilon, parameter_values(program))
    assert math.isclose(reached, float(Fraction(expected)), rel_tol=1e-9)


def test_every_program_has_a_bound() -> None:
    assert {path.stem for path in FOLDER.glob("*.seq")} == BOUNDS.keys()
