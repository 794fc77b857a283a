"""What happens when the process forks, or the interpreter ends."""

import atexit
import os

from . import _fourfold

_forget = []
_forks = 0


def forget_after_fork(clear):
    """Calls `clear` in a forked child, whose plans must be made anew."""
    _forget.append(clear)


class PerProcess:
    """What `make()` returns, made anew in a forked child, where its threads and locks are not usable."""

    def __init__(self, make):
        self._make = make
        self._renew()

    def _renew(self):
        self._value, self._forks = self._make(), forks()

    def get(self):
        """The value of this process."""
        if self._forks != forks():
            self._renew()
        return self._value


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
