"""Convolution, correlation and filters by frequency, with the names of `scipy.signal`."""

import functools

import numpy as np

from . import _fourfold
from ._arguments import PRECISIONS, array_shape, computed, promoted, real_array, real_type, worker_count
from ._process import PerProcess

__all__ = ["Convolution", "band_pass", "convolve", "correlate", "high_pass", "low_pass"]


class Convolution:
    """A kernel with its spectrum, which convolves arrays of one shape.

    Parameters
    ----------
    shape : sequence of int
        The shape of the arrays.
    kernel : array
        Real numbers. Its axes are the last ones of the arrays; the arrays' other axes are batches.
    mode : {"full", "same", "valid"}
        Along each axis of N elements and K of the kernel: all N + K - 1 elements, the N in their
        centre, or the N - K + 1 that need nothing beyond the ends.
    boundary : {"zero", "periodic", "reflect"}
        What lies beyond the ends: zeros, the array again, or its mirror image, which repeats the
        last element.
    method : {"auto", "direct", "fft"}
        Direct sums or transforms of tiles; "auto" takes what is estimated to be faster.
    correlate : bool
        Whether the kernel is reversed.
    dtype : {float64, float32}
        The type that is computed in.
    workers : int, optional
        The number of threads.

    Raises
    ------
    ValueError
        If a shape or a name is not possible, if the kernel has numbers that are not finite, or if
        with "valid" it is longer than the array.
    TypeError
        If the type is another one, or the kernel is complex.

    Examples
    --------
    >>> import numpy as np, fourfold.signal
    >>> smooth = fourfold.signal.Convolution((480, 640), np.full((5, 5), 0.04), boundary="reflect")
    >>> image = smooth(np.ones((480, 640)))
    """

    def __init__(
        self,
        shape,
        kernel,
        mode="same",
        boundary="zero",
        *,
        method="auto",
        correlate=False,
        dtype=np.float64,
        workers=None,
    ):
        self.shape = array_shape(shape)
        self.dtype = real_type(dtype)
        kernel = real_array(kernel, self.dtype)
        self._process = PerProcess(
            functools.partial(
                _fourfold.Convolution,
                self.shape,
                kernel.reshape(-1).copy(),
                kernel.shape,
                mode,
                boundary,
                correlate,
                method,
                PRECISIONS[self.dtype.name],
                worker_count(workers),
            )
        )

    @property
    def output_shape(self):
        """The shape of the results."""
        return tuple(self._process.get().output_shape)

    def __call__(self, x, out=None):
        """Convolves an array of real numbers. Returns `out`, or a new array."""
        x = real_array(x, self.dtype)
        if x.shape != self.shape:
            raise ValueError(f"the array has the shape {x.shape}, expected {self.shape}")
        apply = functools.partial(self._process.get().apply, x.reshape(-1))
        return computed(out, self.output_shape, self.dtype, [x], apply)


def convolve(in1, in2, mode="full", method="auto", *, boundary="zero", out=None, workers=None):
    """Convolves two real arrays, as `scipy.signal.convolve` does.

    Parameters
    ----------
    in1 : array
        It is computed in float32 if both arrays are of float32 or float16, else in float64.
    in2 : array
        The kernel. It may have fewer axes: then they are the last ones of `in1`.
    mode, method, boundary, workers
        Those of `Convolution`, which keeps the kernel's spectrum for more arrays.
    out : ndarray, optional
        The array for the result.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import fourfold.signal
    >>> fourfold.signal.convolve([1.0, 2.0, 3.0], [0.0, 1.0, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    return _convolved(in1, in2, mode, method, boundary, False, out, workers)


def correlate(in1, in2, mode="full", method="auto", *, boundary="zero", out=None, workers=None):
    """Correlates two real arrays, as `scipy.signal.correlate` does: a convolution with the reversed
    kernel. Parameters are those of `convolve`.
    """
    return _convolved(in1, in2, mode, method, boundary, True, out, workers)


def _convolved(in1, in2, mode, method, boundary, is_correlation, out, workers):
    in1, in2 = np.asarray(in1), np.asarray(in2)
    convolution = Convolution(
        in1.shape,
        in2,
        mode,
        boundary,
        method=method,
        correlate=is_correlation,
        dtype=promoted(in1, in2),
        workers=workers,
    )
    return convolution(in1, out)


def _filtered(x, low, high, rolloff, out, workers):
    x = np.asarray(x)
    dtype, shape = promoted(x), x.shape
    x = real_array(x, dtype)
    precision, workers = PRECISIONS[dtype.name], worker_count(workers)
    made = _fourfold.FrequencyFilter(x.shape, low, high, rolloff, precision, workers)
    return computed(out, shape, dtype, [x], functools.partial(made.apply, x.reshape(-1)))


def low_pass(x, cutoff, rolloff="ideal", *, out=None, workers=None):
    """Keeps low frequencies of a real array, which counts as periodic.

    Parameters
    ----------
    x : array
        It is computed in float32 if it is of float32 or float16, else in float64.
    cutoff : float
        In units of the Nyquist frequency, half a cycle an element. In d dimensions, frequencies are
        from 0 to sqrt(d).
    rolloff : str
        "ideal", "gaussian", or "butterworth:N" of order N. The last two have the magnitude
        1/sqrt(2) at the cut-off.
    out : ndarray, optional
        The array for the result.
    workers : int, optional
        The number of threads.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the cut-off is not within the band, or there is no such roll-off.
    TypeError
        If numbers are complex.
    """
    return _filtered(x, None, cutoff, rolloff, out, workers)


def high_pass(x, cutoff, rolloff="ideal", *, out=None, workers=None):
    """Keeps high frequencies of a real array. Parameters are those of `low_pass`."""
    return _filtered(x, cutoff, None, rolloff, out, workers)


def band_pass(x, low, high, rolloff="ideal", *, out=None, workers=None):
    """Keeps the frequencies between two cut-offs. Parameters are those of `low_pass`."""
    return _filtered(x, low, high, rolloff, out, workers)
