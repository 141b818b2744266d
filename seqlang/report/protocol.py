"""A design as a protocol: what a trial's file needs on one page, for people who did not run the program."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from seqlang.report.document.document import Block, Heading, Paragraph, line
from seqlang.report.document.markdown import as_markdown, as_page, code
from seqlang.report.document.plain_text import render_plain
from seqlang.report.numbers import shown
from seqlang.report.text.design import (
    about_bounds,
    beside,
    bounds_table,
    figures_table,
    of_the_coin,
    of_two_arms,
    remarks,
    schedule_table,
)
from seqlang.version import __version__

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult
    from seqlang.results.design import DesignResult


def protocol(result: DesignResult, checked: CheckResult, command: str, kind: Literal["html", "md"]) -> str:
    """One file without links: the design, assumptions, tables, curves, the privacy statement with its derivation,
    limits, lower bounds, and what reproduces every number. `command`: what was typed."""
    title = f"Protocol: {result.null} against {result.alternative}"
    parts = [f"# {_plain(title)}", as_markdown(tuple(_question(result)))]
    parts += [as_markdown((Heading("Procedure"), *_procedure(result), schedule_table(result)))]
    parts += [
        as_markdown((Heading("What the test does"), figures_table(result), *of_the_coin(result), *remarks(result)))
    ]
    if result.curves is not None:
        parts += [f"![schedule, duration and operating characteristics]({_picture(result, kind)})\n"]
    parts += [as_markdown((Heading("Privacy"), *_privacy(result)))]
    if result.privacy != "none":
        parts += ["The derivation, as `seqlang check --explain` prints it:\n", code(_derivation(checked))]
    parts += [as_markdown((Heading("Limits"), *_limits(result)))]
    parts += [as_markdown((Heading("How good it is"), bounds_table(result), *about_bounds(result), *_gap(result)))]
    if result.compared:
        parts += [as_markdown((Heading("Beside other designs"), *beside(result)))]
    parts += [as_markdown((Heading("How every number is reproduced"), *_reproduced(result)))]
    parts += [code(_commands(command)), "The program:\n", code(result.spec, "seq")]
    text = "\n".join(parts)
    return as_page(text, title) if kind == "html" else text


def _plain(text: str) -> str:
    return as_markdown((Paragraph(line(text)),)).strip()


def _question(result: DesignResult) -> Iterator[Block]:
    alpha, beta = (shown(result.nominal[side], 6) for side in ("null", "alternative"))
    mean = ", on average over the public coin," if len(result.coin) > 1 else ""
    yield Heading("Question and assumptions")
    stated = f"Null hypothesis: the entries are {result.null}. Alternative: {result.alternative}."
    of_arms = [f"{text[0].upper()}{text[1:]}." for text in of_two_arms(result)]
    yield Paragraph(line(" ".join([stated, *of_arms])))
    for text in result.warnings:
        yield Paragraph(line(f"Warning: {text}."))
    in_each = " in each arm" if result.arms else ""
    yield Paragraph(line(
        f"The test rejects{mean} with probability at most {alpha} where the null holds, and accepts with probability "
        f"at most {beta} where the alternative does. Both hold if entries are independent, of one law{in_each}, and "
        "come one a person."
    ))  # fmt: skip


def _procedure(result: DesignResult) -> Iterator[Block]:
    what = "the sum of its entries" if not result.reading else "the sum of its levels"
    if result.arms:
        what = "the sum of its entries in each arm"
    noise = "" if result.privacy == "none" else ", plus the noise that the program draws,"
    if len(result.coin) > 1:
        chances = ", ".join(f"plan {i} with chance {shown(c, 8)}" for i, c in enumerate(result.coin, 1))
        yield Paragraph(line(f"Before the first entry a public coin chooses a plan: {chances}."))
    yield Paragraph(line(
        "The score begins at 0. The table gives the size of the next block, or the decision. When a block is complete, "
        f"{what}{noise} is released, and the score grows by the log-likelihood ratio of what was released (alternative "
        f"against null), rounded to whole steps of {shown(result.lattice, 6)}. Nothing else is ever released."
    ))  # fmt: skip
    if result.reading:
        yield Paragraph(line(result.reading[0].upper() + result.reading[1:] + "."))


def _privacy(result: DesignResult) -> Iterator[Block]:
    if result.privacy == "none":
        yield Paragraph(line("None: what this test releases protects nobody."))
        return
    said = "was not checked" if result.verdict is None else f"is {result.verdict}"
    yield Paragraph(line(
        f"The claim {result.privacy} {said} for everything that is ever seen of the test: every released number, the "
        "sizes of the blocks, when the test ended, and its decision. It compares any two data sets that differ in the "
        "entry of one person, whatever the others are, and needs no assumption on the data."
    ))  # fmt: skip
    yield Paragraph(line(_meaning(result.privacy)))


def _meaning(privacy: str) -> str:
    if privacy.startswith("pure"):
        return ("In words: whatever is seen is at most e^eps times as likely with one person's entry as with any other "
                "in its place. The odds that anybody gives to what that entry is change by no more.")  # fmt: skip
    if privacy.startswith("dp"):
        return ("In words: but for an event of probability delta, whatever is seen is at most e^eps times as likely "
                "with one person's entry as with any other in its place.")  # fmt: skip
    return ("In words: the Renyi divergence between what is seen with one person's entry, and with any other in its "
            "place, is bounded; it converts into (eps, delta), as the derivation shows.")  # fmt: skip


def _limits(result: DesignResult) -> Iterator[Block]:
    yield Paragraph(line("A block must be complete before it is released: no decision falls inside a block."))
    if result.privacy != "none":
        yield Paragraph(line(
            "The guarantee is for one entry a person. Persons with several entries, delayed outcomes that are looked "
            "at twice, or several endpoints of one person need a bound on entries a person, or a split of the budget."
        ))  # fmt: skip
        yield Paragraph(line("The ends of the blocks and the time of the decision are public."))
    if result.max_steps is None:
        yield Paragraph(line("There is no largest number of entries; the quantiles above are for planning."))


def _gap(result: DesignResult) -> Iterator[Block]:
    if result.optimality_gap is not None:
        part = f"at most {100 * result.optimality_gap:.2g} %"
        yield Paragraph(line(f"Among tests that use every entry in one block, the best needs {part} fewer."))
    yield Paragraph(line("The bounds above are computed in floating point."))


def _reproduced(result: DesignResult) -> Iterator[Block]:
    yield Paragraph(line(f"seqlang {__version__}; SHA-256 of the program: {sha256(result.spec.encode()).hexdigest()}"))
    for text in result.checked:
        yield Paragraph(line(text[0].upper() + text[1:] + "."))
    if result.cut_short:
        parts = ", ".join(result.cut_short)
        yield Paragraph(line(f"The time limit cut short {parts}: what is missing is unknown."))


def _commands(command: str) -> str:
    return "\n".join((
        f"{command}",
        "seqlang check trial.seq --explain      # the proof of the privacy claim and of both errors",
        "seqlang solve trial.seq                # errors, expected entries and their law, exactly",
        "seqlang run trial.seq --runs 1000000 --seed 1",
    ))  # fmt: skip


def _derivation(checked: CheckResult) -> str:
    return render_plain(checked.document(explain=True), 100)


def _picture(result: DesignResult, kind: Literal["html", "md"]) -> str:
    """Vectors for browsers and printers; points for word processors, of which few read vectors."""
    from seqlang.report.pictures.design import plot_design

    made, form = BytesIO(), "svg" if kind == "html" else "png"
    plot_design(result, made, kind=form)
    return f"data:image/{'svg+xml' if form == 'svg' else 'png'};base64,{b64encode(made.getvalue()).decode()}"
