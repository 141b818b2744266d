"""`seqlang COMMAND`: looks at the first word, imports that command only, and turns every outcome into an exit code.

0 fine · 1 some claim not as expected · 2 invalid spec, option or data · 3 a bug of ours · 130 interrupted.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from importlib import import_module

from seqlang.cli.terminal.output import ready, say, silence
from seqlang.process.time_limit import OutOfTime

COMMANDS = {
    "new": "a commented spec to begin with, whose claims are proved",
    "check": "privacy bounds, derivations, the verdict of every claim",
    "run": "simulate a spec under its models, or run it on a real stream",
    "solve": "the exact law of the stopping step and the return, without simulation",
    "verify": "replay the derivations of a certificate that `check --certificate` wrote",
    "design": "the best private sequential test of two hypotheses, as a program that is proved",
    "monitor": "where a test stands, from what it has released so far",
    "release": "run a proved program on private rows, exactly, at a price that a ledger keeps",
    "ledger": "accounts of privacy, and every look that was released",
    "studio": "the analyst's page, in a browser on this machine",
    "lsp": "the language server, which editors start",
    "fmt": "rewrite specs in the canonical layout",
    "schema": "the form of what a command prints as JSON",
    "completion": "a script by which bash, zsh or fish completes what is typed",
    "specs": "list the shipped library, or print one of its specs",
    "explain": "the manual: a page for each word of the language, option, diagnostic and proof rule",
}

_HELP = """\
usage: seqlang COMMAND ...

Sequential algorithms on private data: prove their privacy, run them, from one file.

commands
{commands}

examples
  seqlang check specs/zhang2022/privsprt_bernoulli.seq --explain
  seqlang check @tight/one_sided --set lz=2
  seqlang run @wald1945/sprt --runs 20000 --plot sprt.png
  seqlang solve @zhang2022/privsprt_bernoulli
  seqlang explain E0301

`seqlang COMMAND --help` tells more, `seqlang --cite` how to cite.
Exit codes: 0 fine, 1 a claim is not as expected, 2 invalid input, 3 a bug.
"""


_YOUNG, _AGEING, _OLD = 250_000, 10, 10
"""Thresholds of the garbage collector. Python's own (700, 10, 10) are met a hundred times as a spec is checked, and
next to nothing is found: almost all values here are trees. Some fifty megabytes may wait for a collection instead; a
single one of a hundred thousand objects takes 10 to 20 ms."""

_ONE_THREAD = ("check", "design", "monitor", "solve")
"""Commands of which all linear algebra runs in one thread."""

_LEAVE_NOTHING = ("check", "completion", "explain", "fmt", "new", "schema", "specs", "verify")
"""Commands after which no thread, worker process or open file is left. Taking the modules and objects of such a process
apart, one by one, would take a fortieth of a check's time; the system does it at once."""

_WITH_EXIT_HANDLERS = frozenset({"seqlang.backends.kernels.compiling.build", "matplotlib", "coverage"})

_REFUSED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})
"""What a system says of a write that no program can help."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit code. Never raises except SystemExit from `--help`.

    Without `arguments` it is the process's only work, and tells the garbage collector and OpenBLAS so."""
    if arguments is not None:
        return _run(arguments)
    gc.set_threshold(_YOUNG, _AGEING, _OLD)
    words = sys.argv[1:]
    if words and words[0] in _ONE_THREAD:
        from seqlang.backends.one_thread import start_no_threads

        start_no_threads()
    code = _run(words)
    if words and words[0] in _LEAVE_NOTHING and not _is_awaited():
        sys.stderr.flush()  # what is printed was flushed, or refused, already
        os._exit(code)
    # Python would look for cycles in all that is left before it ends the process, for a tenth of a check's time. Exit
    # handlers, threads and open files are ended as ever.
    gc.freeze()
    return code


def _is_awaited() -> bool:
    """Whether somebody waits for the end of the interpreter: a profiler, a debugger, or a library's exit handlers."""
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    return watched or not _WITH_EXIT_HANDLERS.isdisjoint(sys.modules)


def _run(words: list[str]) -> int:
    ready()
    try:
        try:
            return _dispatch(words)
        finally:
            sys.stdout.flush()  # here a refusal is heard; at the end of the process nobody would answer for it
    except OutOfTime as out:
        say(f"\nended by --time-limit: what is missing is unknown, {out}")
        _leave_the_compiler(1)
        return 1
    except KeyboardInterrupt:
        say("\ninterrupted")
        _leave_the_compiler(130)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`seqlang check .. | head`): nothing more to say, and nothing to flush.
        silence(sys.stdout)
        return 0
    except OSError as error:
        if error.errno not in _REFUSED:
            return _bug(error, words)
        silence(sys.stdout)
        say(f"error: the results cannot be written: {error.strerror}")
        return 2
    except Exception as error:
        return _bug(error, words)


def _leave_the_compiler(code: int) -> None:
    """Ends the process if a kernel is being compiled: that goes on in a thread which nothing can stop."""
    build = sys.modules.get("seqlang.backends.kernels.compiling.build")
    if build is not None and build.compiling():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_HELP.format(commands="\n".join(f"  {name:<10} {text}" for name, text in COMMANDS.items())), end="")
        return 0 if words else 2
    if words[0] in ("-V", "--version", "version"):
        from seqlang.version import __version__

        print(f"seqlang {__version__}")
        return 0
    if words[0] == "--cite":
        from seqlang.cli.citation import citation

        print(citation(), end="")
        return 0
    if words[0] not in COMMANDS:
        from seqlang.diagnostics.suggest import did_you_mean

        near = did_you_mean(words[0], COMMANDS)
        remedy = f"did you mean `seqlang {near}`?" if near else "`seqlang --help` lists the commands"
        say(f"error: no command `{words[0]}`: {remedy}")
        return 2
    from seqlang.diagnostics import SpecError

    command = import_module(f"seqlang.cli.{words[0]}")
    try:
        code: int = command.run(words[1:])
        return code
    except SpecError as error:
        from seqlang.cli.terminal.errors import show_error

        show_error(error)
        return 2
    except Exception as error:
        from seqlang.driver.contradicted import Contradicted  # a start-up that succeeds does without

        if not isinstance(error, Contradicted):
            raise
        say(error.report())
        return 3


def _bug(error: Exception, words: list[str]) -> int:
    import platform
    import traceback

    from seqlang.version import __version__

    if os.environ.get("SEQLANG_TRACEBACK"):
        where = "".join(traceback.format_exception(error)).rstrip()
    else:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"  at {os.path.basename(last.filename)}:{last.lineno} in {last.name}"
    say(
        f"internal error in seqlang {__version__}: {type(error).__name__}: {error}\n"
        "This is a bug of ours, not of your file. Please report it with the file and these lines:\n"
        f"  seqlang {' '.join(words)}\n  Python {platform.python_version()} on {platform.platform()}\n{where}"
    )
    return 3


if __name__ == "__main__":
    sys.exit(main())
