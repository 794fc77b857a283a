"""What happens when the process forks, or the interpreter ends."""

import atexit
import os

from . import _fourfold

_forget = []
_forks = 0


def forget_after_fork(clear):
    """Calls `clear` in a forked child, whose plans must be made anew."""
    _forget.append(clear)


def forks():
    """How often this process and its ancestors have forked since the import."""
    return _forks


def _in_child():
    global _forks
    _forks += 1
    _fourfold._after_fork_in_child()
    for clear in _forget:
        clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
atexit.register(_fourfold._at_exit)
