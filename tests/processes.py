"""Processes that tests begin and, if need be, lose."""

import os
import signal
import subprocess
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any


def forked(act: Callable[[], object]) -> int:
    """Do something in a forked process; its status, as of os.waitpid. An exception is shown, and ends it with 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of threads, which the tests' workers have
        child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        act()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def interruptible(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Begin a command that an interrupt reaches, in text mode; options as for `subprocess.Popen`.

    Tests that a shell runs in its background have interrupts ignored, and what they begin would inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, text=True, **options)
    finally:
        signal.signal(signal.SIGINT, before)
