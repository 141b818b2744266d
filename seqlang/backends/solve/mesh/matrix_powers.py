"""Many steps at once by powers of one small matrix for each node of the persistent noises, where no step differs.

The mass x of a node moves by x' = x A. Powers of A give BLOCK steps at once, and the rest in closed form is a linear
system: the visits V = x + xA + xA^2 + .. solve V (I - A) = x.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.solution import Array, Tail, tail_after
from seqlang.record import record

BLOCK = 128
"""Steps that one product of matrices computes; a power of two."""
QUANTILES = 1e-4
"""A probability: the table of steps goes on until less than this is left, so that quantiles up to 0.9999 lie in it,"""
STEPS = 30_000
"""unless that takes more steps than this."""


@record
class NodeMatrices:
    """Several matrices (U, rows, rows), each for all nodes of the persistent noises that see the same distances:
    `theta` (U, members) are their indices (-1: none). `reads` (U, rows, outcomes + 1): what a unit of mass does in the
    next step, by outcome, last: is left after it. `leaves` (U, rows): leaves the panels."""

    theta: NDArray[np.intp]
    matrix: Array
    reads: Array
    leaves: Array


@record
class PoweredFrontier:
    """A frontier: `at` steps into the block that began with `masses` (one array (U, members, rows) a batch)."""

    step: int
    at: int
    masses: tuple[Array, ...]
    block: Array
    machine: MatrixPowers
    lost: float

    @property
    def survivors(self) -> Array:
        if self.at:
            return np.asarray(self.block[self.at - 1, -1])
        found = np.zeros(self.machine.theta)
        for batch, mass in zip(self.machine.matrices, self.masses, strict=True):
            there = batch.theta >= 0
            found[batch.theta[there]] = mass.sum(axis=2)[there]
        return found

    @property
    def size(self) -> int:
        return int(self.block.shape[1] * self.block.shape[2])

    def after(self) -> tuple[PoweredFrontier, Stopped]:
        """One step."""
        now = self._within()
        here = now.block[now.at]
        return now._at(now.at + 1), Stopped(np.asarray(here[:-1]), np.zeros(0))

    def leap(self, below: float) -> tuple[PoweredFrontier, Array]:
        """All steps of the block, or until at most `below` is left: what stopped, (steps, outcomes, theta)."""
        now = self._within()
        few = np.flatnonzero(now.block[now.at :, -1].sum(axis=1) <= below)
        end = now.at + int(few[0]) + 1 if few.size else BLOCK
        return now._at(end), now.block[now.at : end, :-1]

    def _at(self, at: int) -> PoweredFrontier:
        return PoweredFrontier(self.step + at - self.at, at, self.masses, self.block, self.machine, self.lost)

    def _within(self) -> PoweredFrontier:
        """With a step of the block still to do."""
        if self.at < BLOCK:
            return self
        masses = tuple(m @ p for m, p in zip(self.masses, self.machine.powers, strict=True))
        return PoweredFrontier(self.step, 0, masses, self.machine.block(masses), self.machine, self.lost)

    def rest(self) -> Tail | None:
        """All later steps in closed form; None while it takes few steps to reach ordinary quantiles."""
        left = float(self.survivors.sum())
        if left <= 0:
            return None
        began = self.step - self.at
        tail, lost = tail_of(self.machine.matrices, self.masses, began, self.machine.theta)
        if lost > 1e-10 * left:
            return None
        done = self.block[: self.at, :-1]
        steps = np.arange(began + 1, self.step + 1)
        by_node = np.maximum(0.0, tail.by_node - steps @ done.sum(axis=1))
        wait = float(by_node.sum()) / left - self.step
        if left > QUANTILES and self.step + 2 * wait * math.log(left / QUANTILES) < STEPS:
            return None
        squares = tail.squares - float(steps.astype(float) ** 2 @ done.sum(axis=(1, 2)))
        outcomes = np.maximum(0.0, tail.outcomes - done.sum(axis=(0, 2)))
        return Tail(outcomes, float(by_node.sum()), squares, by_node)


class MatrixPowers:
    """Powers of the matrices, and what they read in each step of a block."""

    def __init__(self, matrices: list[NodeMatrices], theta: int) -> None:
        self.matrices, self.theta = matrices, theta
        self.powers: list[Array] = []
        self.future: list[Array] = []
        for batch in matrices:
            power, reads = batch.matrix, batch.reads
            while reads.shape[2] < BLOCK * batch.reads.shape[2]:  # reads of steps 1 .. k, then of k + 1 .. 2k
                reads = np.concatenate([reads, power @ reads], axis=2)
                power = power @ power
            self.powers.append(power)
            self.future.append(reads)

    def block(self, masses: tuple[Array, ...]) -> Array:
        """(BLOCK, outcomes + 1, theta)."""
        kinds = self.matrices[0].reads.shape[2]
        found = np.zeros((BLOCK, kinds, self.theta))
        for batch, mass, reads in zip(self.matrices, masses, self.future, strict=True):
            there = batch.theta >= 0
            found[:, :, batch.theta[there]] = (mass @ reads)[there].T.reshape(BLOCK, kinds, -1)
        return found


def tail_of(matrices: list[NodeMatrices], masses: tuple[Array, ...], step: int, theta: int) -> tuple[Tail, float]:
    """The law of all later steps, and the mass that leaves the panels."""
    kinds = matrices[0].reads.shape[2]
    outcomes, lost = np.zeros(kinds - 1), 0.0
    weight, each, later = by_node = np.zeros((3, theta))
    for batch, mass in zip(matrices, masses, strict=True):
        equations = np.eye(mass.shape[2]) - batch.matrix.transpose(0, 2, 1)
        visits = np.linalg.solve(equations, mass.transpose(0, 2, 1))  # (U, rows, members)
        twice = np.linalg.solve(equations, visits)
        outcomes += np.einsum("urm,uro->o", visits, batch.reads[:, :, :-1])
        lost += abs(float(np.einsum("urm,ur->", visits, batch.leaves)))
        there = batch.theta >= 0
        for found, part in zip(by_node, (mass.sum(axis=2), visits.sum(axis=1), twice.sum(axis=1)), strict=True):
            found[batch.theta[there]] = part[there]
    return tail_after(step, weight, each, later, outcomes), lost
