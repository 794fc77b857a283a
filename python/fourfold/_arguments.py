"""Checks of arguments, with the exceptions of SciPy."""

import contextlib
import operator
import os
import threading
from numbers import Number

import numpy as np

_NORMS = {None: "backward", "backward": "backward", "ortho": "ortho", "forward": "forward"}

#: What undoes the scale of a norm, for `hfft`, which is forward and computed by an inverse.
SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}

_CPUS = os.cpu_count() or 1

#: The most threads of a plan. More are accepted, as in SciPy, and are these.
_MOST_WORKERS = 1024

_config = threading.local()


def norm_name(norm):
    """The norm's name; `None` means "backward"."""
    try:
        return _NORMS[norm]
    except KeyError:
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"') from None


def worker_count(workers):
    """The number of threads of a plan."""
    workers = get_workers() if workers is None else _counted(workers)
    return min(workers, _MOST_WORKERS)


def _counted(workers):
    """The number of workers: negative ones count down from that of processors."""
    workers = operator.index(workers)
    if workers < -_CPUS:
        raise ValueError(f"workers value out of range; got {workers}, must not be less than {-_CPUS}")
    if workers == 0:
        raise ValueError("workers must not be zero")
    return workers if workers > 0 else workers + 1 + _CPUS


def get_workers():
    """The default number of workers of this thread.

    Returns
    -------
    int
    """
    return getattr(_config, "workers", 1)


@contextlib.contextmanager
def set_workers(workers):
    """Sets the default number of workers of this thread within a `with` block.

    Parameters
    ----------
    workers : int
        The number of threads of an execution. Negative numbers count down from the number of
        processors.

    Raises
    ------
    ValueError
        If `workers` is 0, or less than minus the number of processors.
    """
    old, new = get_workers(), _counted(workers)
    _config.workers = new
    try:
        yield
    finally:
        _config.workers = old


def _integers(values, name):
    values = (values,) if isinstance(values, Number) else values
    try:
        return [operator.index(value) for value in values]
    except TypeError as error:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from error


#: The engine's names of the types in which it computes.
PRECISIONS = {"float32": "f32", "float64": "f64"}


def real_type(dtype):
    """A type in which the engine computes, in this machine's byte order."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.name not in PRECISIONS:
        raise TypeError(f"computed are float32 and float64, not {dtype}")
    return dtype


def array_shape(shape):
    """The lengths of the axes of an array with elements; a number is one axis."""
    shape = tuple(_integers(shape, "shape"))
    if min(shape, default=1) < 1:
        raise ValueError(f"the shape is {shape}: expected one or more elements along each axis")
    return shape


def promoted(*arrays):
    """The type in which arrays are computed together: float32 for float16, float64 for integers."""
    dtype = np.result_type(*(array.dtype for array in arrays))
    return real_type(np.result_type(dtype, np.float32 if dtype.kind == "f" else np.float64))


def check_output(out, shape, dtype):
    """Raises an exception if an array of NumPy cannot be the output: `TypeError` if it is no array of
    this type, `ValueError` if it has another shape or is read-only."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"the output is a {type(out).__name__}, expected an array of NumPy")
    check_type_and_shape(out, shape, dtype)
    if not out.flags.writeable:
        raise ValueError("the output is read-only")


def check_type_and_shape(out, shape, dtype):
    """Raises `TypeError` if the output has elements of another type than the result, and `ValueError`
    if it has another shape."""
    if out.dtype != dtype:
        raise TypeError(f"the output has elements of {out.dtype}, expected {dtype}")
    if tuple(out.shape) != tuple(shape):
        raise ValueError(f"the output has the shape {tuple(out.shape)}, expected {tuple(shape)}")


def computed(out, shape, dtype, inputs, compute):
    """Calls `compute` with a list for its results. Returns them as an array of `shape`: `out`, if given.

    Results go straight to `out` if it is contiguous and shares no memory with `inputs`.
    """
    if out is not None:
        check_output(out, shape, dtype)
    is_direct = (
        out is not None
        and out.flags.c_contiguous
        and out.flags.aligned
        and not any(np.may_share_memory(out, array) for array in inputs)
    )
    result = out if is_direct else np.empty(shape, dtype)
    compute(np.asarray(result).reshape(-1))
    if out is None or is_direct:
        return result
    out[...] = result
    return out


def real_array(values, dtype):
    """The values as an array of a real type, contiguous and in this machine's byte order."""
    values = np.asarray(values)
    if values.dtype.kind == "c":
        raise TypeError("expected real numbers, not complex ones")
    return np.ascontiguousarray(values, np.dtype(dtype).newbyteorder("="))


def one_axis(x, axis):
    """The axis as an index from 0 on."""
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    return axis % x.ndim


def one_length(n):
    """The length of one axis."""
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    return n


def cropped(x, lengths, axes):
    """The view of an array that has at most the given lengths along axes."""
    if all(n >= x.shape[axis] for n, axis in zip(lengths, axes)):
        return x
    index = [slice(None)] * x.ndim
    for n, axis in zip(lengths, axes):
        index[axis] = slice(0, n)
    return x[tuple(index)]


def replaced(shape, lengths, axes):
    """The shape with the given lengths along axes; `None` leaves all as they are."""
    if lengths is None:
        return tuple(shape)
    whole = list(shape)
    for n, axis in zip(lengths, axes):
        whole[axis] = n
    return tuple(whole)


def shape_and_axes(x, s, axes):
    """The lengths and the indices of the axes to transform, as SciPy takes `s` and `axes`."""
    if axes is not None:
        axes = [axis + x.ndim if axis < 0 else axis for axis in _integers(axes, "axes")]
        if any(not 0 <= axis < x.ndim for axis in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
    if s is not None:
        s = _integers(s, "shape")
        if axes and len(axes) != len(s):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        if axes is None:
            if len(s) > x.ndim:
                raise ValueError("shape requires more axes than are present")
            axes = range(x.ndim - len(s), x.ndim)
        s = [x.shape[axis] if n == -1 else n for n, axis in zip(s, axes)]
    else:
        axes = range(x.ndim) if axes is None else axes
        s = [x.shape[axis] for axis in axes]
    if any(n < 1 for n in s):
        raise ValueError(f"invalid number of data points ({s}) specified")
    return tuple(s), tuple(axes)
