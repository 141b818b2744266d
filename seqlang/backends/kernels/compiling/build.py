"""From the text of a kernel to compiled code, which is kept on disk.

numba's own cache does not see changes of functions that a kernel calls, and keeps nothing for text without a file. So
the whole text, with the run-time functions that it calls, stands in one file whose name is the hash of the text, of
numba's version and of Python's: it is never stale, and never changed once it is written.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from seqlang.backends.kernels.compiling.prune import note_use, prune, versions
from seqlang.backends.kernels.compiling.seal import is_whole, machine_code, seal
from seqlang.backends.kernels.runtime import collect
from seqlang.process.doing import doing
from seqlang.process.locate import user_folder

Function = Callable[..., None]
"""kernel(k, start_noise, start_inputs, first, count, cap, out_steps, out_codes, out_values, out_statistics,
out_released, out_reports, out_ends, out_apart, out_totals, flag, done, fault)

`k` float64: the constants. `start_noise`, `start_inputs` uint64: the words with which streams begin. The runs are
`first` .. `first + count - 1`; they are left after `cap` steps (0: never). `out_steps`, `out_codes` int64 (count,);
`out_values` (n, count), `out_statistics`, `out_released` (rows, count) float64, `out_reports` (rows, count) int64.

Where `out_steps` has no entry, it and `out_codes` and `out_reports` are left alone. Then `out_ends` int64 (codes *
COUNTED,) is added to at (2 + code) * COUNTED + step, for each run that ends so after fewer than COUNTED steps;
`out_apart` int64 (3, count) gets number, steps and code of each other run, and of those that were broken off;
`out_totals` int64 (1 + TOTALS * rows,) becomes how many these are, and TOTALS sums of each report are added to it.

`flag` int64 (1,): not 0 when the kernel should leave soon; `done` int64 (2,): runs finished and steps made; `fault`
int64 (3,): site, run, step.
"""
_PRELUDE = '''
from numba import types
from numba.extending import intrinsic


@intrinsic
def look(typing_context, array):
    """array[0] as it is in memory now: another thread writes it."""

    def read(context, builder, signature, arguments):
        from numba.np.arrayobj import make_array

        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(data, "monotonic", 8)

    return types.int64(array), read

'''
_KEPT = "cache=True"
_DECORATOR = f'@njit(nogil=True, {_KEPT}, error_model="numpy", no_cfunc_wrapper=True)'
STACK = 1 << 26
"""Bytes for the compiler, which recurses: other threads than the first have little on some systems."""
_lock = threading.Lock()
_made: dict[str, Future[Function]] = {}


def source(kernel: str) -> str:
    """The whole file: the run-time functions that the kernel needs, and the kernel."""
    called = sorted(set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", kernel)) & collect.names())
    return f"{collect.source_of(called)}{_PRELUDE}\n{_DECORATOR}\n{kernel}"


def compiled(kernel: str, further: tuple[Any, ...] = ()) -> Function:
    """The function, compiled or read from the cache. `further` are arguments of the types that it has besides those of
    every kernel; it is called with them for no runs."""
    text = source(kernel)
    with _lock:
        made = _made.get(text)
        if made is None or (made.done() and made.exception() is not None):
            doing("compiling a kernel")
            made = _made[text] = _in_thread(lambda: _compiled(text, further))
    return made.result()


def compiling() -> bool:
    """Whether a kernel is being compiled, which nothing can stop: a process that ends now must not wait for it, and
    must not take the compiler's memory away either."""
    return any(not made.done() for made in tuple(_made.values()))


def _in_thread(make: Callable[[], Function]) -> Future[Function]:
    """A KeyboardInterrupt reaches who waits for the answer, and never the compiler: in the middle of its work, as in a
    callback from LLVM, it would be lost, or leave something half made."""
    found: Future[Function] = Future()

    def run() -> None:
        try:
            found.set_result(make())
        except BaseException as error:
            found.set_exception(error)

    before = threading.stack_size(STACK)
    try:
        threading.Thread(target=run, name="seqlang compiles", daemon=True).start()
    finally:
        threading.stack_size(before)
    return found


def _compiled(text: str, further: tuple[Any, ...]) -> Function:
    try:
        return _from_folder(text, further)
    except OSError:  # the disk is full, or takes nothing
        return _called(_unkept(text), further)


def _from_folder(text: str, further: tuple[Any, ...]) -> Function:
    import numba

    key = "\n".join([text, numba.__version__, sys.version])
    name = "seqlang_kernel_" + hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
    path = _folder() / f"{name}.py"
    note_use(path)
    if is_whole(path):
        try:
            return _ready(path, further)
        except Exception:  # another process wrote it meanwhile, or removed it
            pass
    else:
        prune(path.parent)
    for stale in machine_code(path):
        stale.unlink(missing_ok=True)
    _write(path, text)
    made = _ready(path, further)
    seal(path)
    return made


def _ready(path: Path, further: tuple[Any, ...]) -> Function:
    return _called(_loaded(path), further)


def _called(function: Function, further: tuple[Any, ...]) -> Function:
    """The function, compiled: it is called for no runs."""
    import numpy as np

    start, whole = np.uint64(0), np.empty(0, np.int64)
    table, counts = np.empty((1, 0)), np.empty((1, 0), np.int64)
    constants = np.zeros(1 << 10)
    flag = np.zeros(3, np.int64)
    function(
        constants, start, start, 0, 0, 0, whole, whole, table, table, table, counts, whole, counts, flag.copy(), flag,
        flag.copy(), flag.copy(), *further,
    )  # fmt: skip
    return function


def _loaded(path: Path) -> Function:
    """The kernel of a module, of which Python keeps no byte code: that would be read unseen."""
    module = sys.modules[path.stem] = ModuleType(path.stem)  # numba's cache finds the code's module by its name
    module.__file__ = str(path)
    exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
    function: Function = module.kernel
    return function


def _unkept(text: str) -> Function:
    """The function of a text that stands in no file, and of which nothing is kept."""
    names: dict[str, Any] = {"__name__": "seqlang_kernel"}
    exec(compile(text.replace(_KEPT, "cache=False"), "<kernel>", "exec"), names)
    function: Function = names["kernel"]
    return function


@cache
def _folder() -> Path:
    """Where kernels are kept: a folder of the user's cache, or one that ends with the process."""
    wanted = user_folder() / "kernels"
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError:
        import atexit
        import shutil

        made = Path(tempfile.mkdtemp(prefix="seqlang-kernels-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        return made


def _write(path: Path, text: str) -> None:
    """All of it or nothing, whoever else writes the same file."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{versions()}\n{text}")
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
