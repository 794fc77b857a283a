"""What happens when the process forks, or the interpreter ends."""

import atexit
import os

from . import _fourfold

_forget = []


def forget_after_fork(clear):
    """Calls `clear` in a forked child, whose plans must be made anew."""
    _forget.append(clear)


def _in_child():
    _fourfold._after_fork_in_child()
    for clear in _forget:
        clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
atexit.register(_fourfold._at_exit)
