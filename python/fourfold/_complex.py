"""The Fourier transforms of `fourfold.fft`."""

from ._arguments import SWAPPED, cropped, norm_name, one_axis, one_length, shape_and_axes, worker_count
from ._libraries import library_of, untouched
from ._spec import Spec


def _no_plan(plan):
    if plan is not None:
        raise NotImplementedError("fourfold.fft makes its plans itself: call a `fourfold.plan` instead")


def _one_axis_and_length(x, n, axis):
    axis = one_axis(x, axis)
    n = x.shape[axis] if n is None else one_length(n)
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    return (n,), (axis,)


def _lengths_and_axes(x, n, axes, is_one):
    return _one_axis_and_length(x, n, axes) if is_one else shape_and_axes(x, n, axes)


def complex_to_complex(x, is_inverse, n, axes, norm, overwrite_x, workers, plan, out, is_one=False):
    """`fft`, `ifft`, and those along several axes."""
    _no_plan(plan)
    library, given = library_of(x), x
    x, copied = library.as_floating(x)
    lengths, axes = _lengths_and_axes(x, n, axes, is_one)
    norm, workers = norm_name(norm), worker_count(workers)
    if not axes:
        return untouched(given, x, out)
    x, overwrite = cropped(x, lengths, axes), overwrite_x or copied
    if not library.is_complex(x):
        x, overwrite = library.as_complex(x), True
    spec = Spec(("ifft" if is_inverse else "fft",) * len(axes), axes, norm)
    return library.run(x, spec, workers, overwrite, out, lengths)


def real_to_complex(x, is_inverse, n, axes, norm, workers, plan, out, is_one=False):
    """`rfft`, `ihfft`, and those along several axes."""
    _no_plan(plan)
    library = library_of(x)
    x, _ = library.as_floating(x)
    norm, workers = norm_name(norm), worker_count(workers)
    if library.is_complex(x):
        raise TypeError("x must be a real sequence")
    lengths, axes = _lengths_and_axes(x, n, axes, is_one)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    x = cropped(x, lengths, axes)
    spec = Spec(("rfft",) * len(axes), axes, SWAPPED[norm] if is_inverse else norm)
    y = library.run(x, spec, workers, False, out, lengths)
    return library.conjugate_in_place(y) if is_inverse else y


def _half_lengths(x, n, axes, is_one):
    """The lengths of the real side and the axes. By default, the last axis has an even length."""
    if is_one:
        axis = one_axis(x, axes)
        n = 2 * (x.shape[axis] - 1) if n is None else n
        if n < 1:
            raise ValueError(f"Invalid number of data points ({n}) specified")
        return (one_length(n),), (axis,)
    lengths, axes = shape_and_axes(x, n, axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if n is None:
        # One term is one real in SciPy, where `irfft` refuses it.
        lengths = (*lengths[:-1], max(1, 2 * (x.shape[axes[-1]] - 1)))
    return lengths, axes


def complex_to_real(x, is_forward, n, axes, norm, overwrite_x, workers, plan, out, is_one=False):
    """`irfft`, `hfft`, and those along several axes."""
    _no_plan(plan)
    library = library_of(x)
    x, _ = library.as_floating(x)
    norm, workers = norm_name(norm), worker_count(workers)
    lengths, axes = _half_lengths(x, n, axes, is_one)
    terms = (*lengths[:-1], lengths[-1] // 2 + 1)
    x = cropped(x, terms, axes)
    if not library.is_complex(x):
        x = library.as_complex(x)
    elif is_forward:
        x = library.conjugate(x)
    norm = SWAPPED[norm] if is_forward else norm
    spec = Spec(("irfft",) * len(axes), axes, norm, length=lengths[-1])
    return library.run(x, spec, workers, False, out, terms)
