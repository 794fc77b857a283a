"""Fourier-related transforms: DCT and DST of types I to IV, DHT, IDXST, real and complex FFT.

- `fourfold.fft` has the functions of `scipy.fft`, and is a backend for it.
- `fourfold.plan` makes a plan, which is called as often as wanted.
- `fourfold.poisson` solves Poisson's, Helmholtz' and the heat equation on a box.
- `fourfold.signal` convolves, correlates, and filters by frequency.
- `fourfold.dreamplace`, `fourfold.electrostatics` and `fourfold.jpeg` are applications.
- `fourfold.torch` and `fourfold.jax` are imported when they are asked for.

Arrays of NumPy, PyTorch, CuPy and JAX are transformed where they are, and come back as arrays of
the same library.
"""

import importlib

from . import _process as _process  # before threads start
from . import fft
from ._plan import Plan, plan

__version__ = "0.1.0"
__all__ = [
    "Plan",
    "dreamplace",
    "electrostatics",
    "fft",
    "jax",
    "jpeg",
    "plan",
    "poisson",
    "signal",
    "torch",
]

_LAZY = frozenset(["dreamplace", "electrostatics", "jax", "jpeg", "poisson", "signal", "torch"])


def __getattr__(name):
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | _LAZY)
