"""Frequencies of the terms of a Fourier transform, and their order."""

import operator

import numpy as np

from ._libraries import library_of


def _made(frequencies, n, d, xp, device, dtype):
    if not hasattr(n, "__index__") or operator.index(n) < 1:
        raise ValueError(f"n is {n}: expected a positive integer")
    if xp is None or xp is np:
        if device not in (None, "cpu"):
            raise ValueError(f"arrays of NumPy are not on the device {device!r}: name their library as xp")
        values = frequencies(n, d)
        return values if dtype is None else values.astype(dtype)
    return xp.asarray(frequencies(n, d), dtype=dtype, device=device)


def fftfreq(n, d=1.0, *, xp=None, device=None, dtype=None):
    """The frequencies of the terms of `fft` of `n` points at distance `d`: 0, 1, ..., -1 over n d.

    Parameters
    ----------
    n : int
        The number of points.
    d : float, optional
        The distance of points.
    xp : module, optional
        The library of the array; the default is NumPy.
    device, dtype : optional
        Those of the array.

    Raises
    ------
    ValueError
        If `n` is no positive integer, or NumPy's arrays should be on another device than "cpu".
    """
    return _made(np.fft.fftfreq, n, d, xp, device, dtype)


def rfftfreq(n, d=1.0, *, xp=None, device=None, dtype=None):
    """The frequencies of the terms of `rfft`: 0, 1, ..., n//2 over n d. See `fftfreq`."""
    return _made(np.fft.rfftfreq, n, d, xp, device, dtype)


def fftshift(x, axes=None):
    """Moves the term 0 to the middle, along all axes or those given."""
    return library_of(x).fft_module().fftshift(x, axes)


def ifftshift(x, axes=None):
    """Undoes `fftshift`, also for odd lengths: along all axes, or those given."""
    return library_of(x).fft_module().ifftshift(x, axes)
