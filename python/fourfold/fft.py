"""The functions of `scipy.fft`, on arrays of NumPy, PyTorch, CuPy and JAX.

Names, order of arguments, defaults, types of results and exceptions are SciPy's. Beyond it there are
`out=`, the transforms `dht`, `idht` and `idxst`, a tuple of types in `dctn`, and `transform`, which
takes a kind for each axis.

The module is a backend for SciPy: `with scipy.fft.set_backend(fourfold.fft): ...`. Functions and
types that fourfold does not have fall through to the next backend.
"""

import sys

from . import _complex, _real
from ._arguments import get_workers, set_workers
from ._fast_len import next_fast_len, prev_fast_len
from ._frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from ._numpy import AxesError, LongDoubleError
from ._real import dht, idht, idxst, transform

dct = _real.FUNCTIONS["dct"]
idct = _real.FUNCTIONS["idct"]
dst = _real.FUNCTIONS["dst"]
idst = _real.FUNCTIONS["idst"]
dctn = _real.FUNCTIONS["dctn"]
idctn = _real.FUNCTIONS["idctn"]
dstn = _real.FUNCTIONS["dstn"]
idstn = _real.FUNCTIONS["idstn"]


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The discrete Fourier transform along one axis: y_k = sum_n x_n exp(-2 pi i n k/N).

    Parameters
    ----------
    x : array_like
        An array of any strides. float16 is computed in complex64, integers in complex128.
    n : int, optional
        The number of points: `x` is cropped, or padded with zeros. The default is all.
    axis : int, optional
        The axis to transform; the default is the last one.
    norm : {"backward", "ortho", "forward"}, optional
        Divides by 1, sqrt(N) or N; inverse transforms divide by N, sqrt(N) or 1. The default is
        "backward".
    overwrite_x : bool, optional
        Whether `x` may be overwritten.
    workers : int, optional
        The number of threads. Negative ones count down from the number of processors.
    plan : None
        Must be `None`, as in SciPy.
    out : array, optional
        The complex array for the result.

    Returns
    -------
    array
        A complex array of the library of `x`.

    Raises
    ------
    ValueError
        If the norm, the axis or the length is not possible, or `out` has another shape or is
        read-only.
    TypeError
        If elements are no numbers, or of long double, which is not supported, or `out` is no array of
        the result's type.
    """
    return _complex.complex_to_complex(x, False, n, axis, norm, overwrite_x, workers, plan, out, True)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of `fft`: x_n = 1/N sum_k y_k exp(+2 pi i n k/N). The parameters: see `fft`."""
    return _complex.complex_to_complex(x, True, n, axis, norm, overwrite_x, workers, plan, out, True)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The terms 0 to N//2 of `fft` of a real array. The parameters are those of `fft`.

    Raises
    ------
    TypeError
        If `x` is complex; and as `fft`.
    """
    return _complex.real_to_complex(x, False, n, axis, norm, workers, plan, out, True)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of `rfft`: a real array of `n` points, by default 2 (m - 1) for m terms.

    The imaginary parts of the terms 0 and n/2 are ignored. The parameters are those of `fft`.
    """
    return _complex.complex_to_real(x, False, n, axis, norm, overwrite_x, workers, plan, out, True)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`fft` of a signal with Hermitian symmetry, given by its first n//2 + 1 points: a real array.

    The parameters are those of `irfft`.
    """
    return _complex.complex_to_real(x, True, n, axis, norm, overwrite_x, workers, plan, out, True)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of `hfft`: the first N//2 + 1 points. The parameters are those of `rfft`."""
    return _complex.real_to_complex(x, True, n, axis, norm, workers, plan, out, True)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`fft` along several axes.

    Parameters
    ----------
    s : int or sequence of ints, optional
        The number of points along each axis: `x` is cropped, or padded with zeros.
    axes : int or sequence of ints, optional
        The axes to transform; the default is all, or the last ones if `s` is given.

    The other parameters are those of `fft`.
    """
    return _complex.complex_to_complex(x, False, s, axes, norm, overwrite_x, workers, plan, out)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`ifft` along several axes. The parameters are those of `fftn`."""
    return _complex.complex_to_complex(x, True, s, axes, norm, overwrite_x, workers, plan, out)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`rfft` along the last of several axes, `fft` along the others. The parameters: see `fftn`."""
    return _complex.real_to_complex(x, False, s, axes, norm, workers, plan, out)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of `rfftn`: `irfft` along the last axis of several. See `fftn`."""
    return _complex.complex_to_real(x, False, s, axes, norm, overwrite_x, workers, plan, out)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`hfft` along the last of several axes, `fft` along the others. The parameters: see `fftn`."""
    return _complex.complex_to_real(x, True, s, axes, norm, overwrite_x, workers, plan, out)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """The inverse of `hfftn`. The parameters are those of `fftn`."""
    return _complex.real_to_complex(x, True, s, axes, norm, workers, plan, out)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`fftn` along two axes, by default the last ones. The parameters: see `fftn`."""
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`ifftn` along two axes, by default the last ones. The parameters: see `fftn`."""
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`rfftn` along two axes, by default the last ones. The parameters: see `fftn`."""
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`irfftn` along two axes, by default the last ones. The parameters: see `fftn`."""
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`hfftn` along two axes, by default the last ones. The parameters: see `fftn`."""
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None):
    """`ihfftn` along two axes, by default the last ones. The parameters: see `fftn`."""
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


_HALF = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
_FOURIER = [name + end for name in _HALF for end in ("", "2", "n")]

__all__ = [
    *_real.FUNCTIONS,
    *_FOURIER,
    *["dht", "idht", "idxst", "transform"],
    *["fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len"],
    *["get_workers", "set_workers"],
]

#: SciPy's name for the functions that a backend may implement.
__ua_domain__ = "numpy.scipy.fft"

_BACKEND = {name: globals()[name] for name in [*_real.FUNCTIONS, *_FOURIER]}


def __ua_function__(method, arguments, keywords):
    """Called by SciPy for a function, with the number of workers that SciPy has for this thread.

    Long doubles, arrays of more than 32 axes, and plans of others are left to the next backend.
    """
    function = _BACKEND.get(method.__name__)
    if function is None or keywords.get("plan") is not None:
        return NotImplemented
    try:
        with set_workers(sys.modules["scipy.fft"].get_workers()):
            return function(*arguments, **keywords)
    except (AxesError, LongDoubleError):
        return NotImplemented
