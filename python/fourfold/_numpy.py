"""Transforms of arrays of NumPy, and of what becomes one.

Modules of other libraries (`torch`, `jax`, `_cuda`) have functions of the same names.
"""

import sys
import threading
from math import prod

import numpy as np

from . import _arguments, _fourfold
from ._arguments import replaced
from ._process import forget_after_fork

#: The types that are transformed as they are.
_NATIVE = frozenset("fdFD")
#: NumPy's arrays may have 64.
_MOST_AXES = 32

_PRECISIONS = {"f": "f32", "d": "f64", "F": "f32", "D": "f64"}


class AxesError(ValueError):
    """An array has too many axes."""

    def __init__(self, count):
        super().__init__(f"the array has {count} axes: at most {_MOST_AXES} are supported")


class LongDoubleError(TypeError):
    """Elements are of long double."""

    def __init__(self):
        super().__init__("fourfold has no long double: convert to float64 or complex128, or call scipy.fft")


def as_floating(x):
    """The array in floating point, in this machine's byte order, and whether that is a copy.

    float16 becomes float32, and integers float64, as in SciPy.
    """
    if x.__class__ is np.ndarray and x.dtype.char in _NATIVE:
        return x, False
    array = np.asarray(x)
    char = array.dtype.char
    if char in "gG":
        raise LongDoubleError
    if char not in _NATIVE:
        return np.array(array, np.float32 if char == "e" else np.float64), True
    return array, array is not x and array.base is None and not hasattr(x, "__array__")


def is_complex(x):
    """Whether the elements are complex."""
    return x.dtype.kind == "c"


def as_complex(x):
    """A copy with complex elements of the same precision."""
    return x.astype(np.complex64 if x.dtype.char == "f" else np.complex128)


def conjugate(x):
    """The complex conjugates, in a new array."""
    return np.conjugate(x)


def conjugate_in_place(x):
    """The complex conjugates, in the same array, which is new."""
    return np.conjugate(x, out=x)


_plans = {}
_making = threading.Lock()
_weights = 0

#: The sum of the axes' lengths over all plans that are kept, where a plan counts as 2^12 more.
_MOST_WEIGHT = 1 << 21


def _weight(key):
    return sum(key[1]) + (1 << 12)


def _clear():
    global _making, _weights
    _making, _weights = threading.Lock(), 0
    _plans.clear()


forget_after_fork(_clear)


def _planned(key):
    """Makes the plan of a key and keeps it. The oldest are dropped where there are too many."""
    global _weights
    spec, shape, precision, workers = key
    plan = _fourfold.Plan(text(spec, shape, precision), workers)
    with _making:
        _weights += 0 if key in _plans else _weight(key)
        _plans[key] = plan
        while _weights > _MOST_WEIGHT and len(_plans) > 1:
            oldest = next(iter(_plans))
            del _plans[oldest]
            _weights -= _weight(oldest)
    return plan


def text(spec, shape, precision, strides=None):
    """The problem in fourfold's notation; `shape` is that of the real side, and `strides` are those of
    input and output."""
    kinds, axes, norm, orthogonalize, scale, adjoint, _ = spec
    if len(shape) > _MOST_AXES:
        raise AxesError(len(shape))
    if max(shape, default=0) > sys.maxsize:
        raise ValueError(f"an axis of {max(shape)} elements is too long: no memory holds it")
    return _fourfold.problem(kinds, precision, shape, axes, norm, orthogonalize, scale, adjoint, strides)


def planned(spec, shape, precision, workers):
    """The plan for an input of a shape, from the cache if it is there."""
    key = (spec, spec.real_shape(shape), precision, workers)
    return _plans.get(key) or _planned(key)


def execute(plan, x, out=None, pads=False):
    """Runs a plan of the extension module. If it pads, elements that `x` lacks are zeros."""
    y = plan.execute(x, out, pads)
    if y is None:
        y = plan.execute(np.array(x, x.dtype.newbyteorder("="), order="C"), out, pads)
    return y


def run(x, spec, workers=1, overwrite=False, out=None, lengths=None):
    """Transforms a floating-point array to `out`, over itself if it may, or to a new array.

    `lengths` are those along the axes. Elements that the array lacks are zeros.
    """
    shape = replaced(x.shape, lengths, spec.axes)
    if not prod(x.shape):
        if not prod(shape):
            return _empty(shape, x, spec, out)
        x, overwrite = np.zeros(shape, x.dtype), True
    plan = planned(spec, shape, _PRECISIONS[x.dtype.char], workers)
    if shape != x.shape:
        return execute(plan, x, out, pads=True)
    if out is None and overwrite and x.flags.writeable and spec.gives_complex(is_complex(x)) == is_complex(x):
        return _over(plan, x)
    return execute(plan, x, out)


def _over(plan, x):
    """Transforms an array over itself, or a copy of it if its elements share memory."""
    try:
        y = plan.execute(x, x)
    except ValueError:
        y = None
    return execute(plan, x) if y is None else y


def _empty(shape, x, spec, out):
    """The output without elements, of an input that zeros fill up to a shape."""
    if out is None:
        return np.empty(spec.output_shape(shape), _output_type(x, spec))
    check_output(x, spec, out, shape)
    return out


def _output_type(x, spec):
    letter = "c" if spec.gives_complex(is_complex(x)) else "f"
    return np.dtype(f"{letter}{x.real.dtype.itemsize * (2 if letter == 'c' else 1)}")


def check_output(x, spec, out, shape):
    """Raises an exception if `out` cannot be the output for `x`, which zeros fill up to a shape."""
    _arguments.check_output(out, spec.output_shape(tuple(shape)), _output_type(x, spec))


def run_plan(plan, x, out, stream):
    """Plans take arrays: what only becomes one is refused, so that no conversion is hidden."""
    if isinstance(x, np.ndarray):
        plan._check_device(None, stream)
        return execute(plan._plan, x, out)
    raise TypeError(f"a plan takes an array, not {type(x).__name__}")


def on_host(x):
    """The array in the CPU's memory."""
    return x


def fft_module():
    """The library's own module of Fourier transforms, for shifts."""
    return np.fft
