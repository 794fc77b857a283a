"""JPEG files to arrays of NumPy, CuPy and PyTorch, and back. The CPU decodes and encodes."""

import operator
import warnings

import numpy as np

from . import _cuda, _fourfold
from ._arguments import worker_count
from ._libraries import library_of
from ._plan import device_number

__all__ = ["decode", "encode"]


def decode(file, *, mode="fast", upright=False, workers=None, max_pixels=1 << 28, device=None):
    """Decodes a JPEG file.

    Parameters
    ----------
    file : bytes-like
        The file's content.
    mode : {"fast", "exact"}
        "exact" gives the pixels of libjpeg-turbo.
    upright : bool
        Whether the image is turned as its metadata say.
    workers : int, optional
        The number of threads.
    max_pixels : int
        Larger images are refused.
    device : int, str or object of PyTorch or CuPy, optional
        A CUDA device, to which the pixels are copied. A `torch.device` gives a tensor of PyTorch;
        a number, a name such as "cuda:0" and a device of CuPy give an array of CuPy.

    Returns
    -------
    array of uint8
        Of NumPy, or on `device`. Of shape (height, width) if the image is grey, else (height, width, 3): red, green, blue.

    Raises
    ------
    ValueError
        If it is no JPEG file, or of a sort that is not read, or `device` is no CUDA device. Damage
        that can be repaired is a warning.
    TypeError
        If `file` is not bytes-like, or its items are not bytes.
    ImportError
        If the array would be CuPy's, which is not installed.
    """
    number = None if device is None else device_number(device)
    max_pixels = operator.index(max_pixels)
    if not 0 <= max_pixels < 1 << 64:
        raise ValueError(f"max_pixels is {max_pixels}: expected 0 to 2^64 - 1")
    samples, shape, notes = _fourfold.decode(
        _content(file), mode, bool(upright), worker_count(workers), max_pixels
    )
    for note in notes:
        warnings.warn(note, stacklevel=2)
    image = samples.reshape(shape[:2] if shape[2] == 1 else shape)
    return image if number is None else _cuda.on_device(image, number, device)


def _content(file):
    """The bytes of what is bytes-like."""
    try:
        view = memoryview(file)
    except TypeError:
        message = f"the file is a {type(file).__name__}, expected its content as bytes"
        raise TypeError(message) from None
    if view.format not in ("B", "b", "c"):
        raise TypeError(f"the file has items of the format {view.format!r}, expected bytes")
    return bytes(view)


def encode(image, quality=75, *, sampling="4:2:0", mode="fast", workers=None):
    """Encodes an image as a baseline JPEG file, with libjpeg's tables.

    Parameters
    ----------
    image : array_like of uint8
        Of shape (height, width), (height, width, 1) or (height, width, 3). An array on a CUDA device is copied to the
        CPU.
    quality : int
        1 to 100.
    sampling : {"4:4:4", "4:2:2", "4:2:0"}
        How many pixels share a sample of colour.
    mode : {"fast", "exact"}
        "exact" gives the coefficients of libjpeg-turbo.
    workers : int, optional
        The number of threads.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If the shape or the quality is not possible.
    TypeError
        If samples are not uint8.
    """
    image = np.asarray(library_of(image).on_host(image))
    quality = operator.index(quality)
    if image.dtype != np.uint8:
        raise TypeError(f"the image has elements of {image.dtype}, expected uint8")
    if image.ndim not in (2, 3) or image.shape[2:] not in ((), (1,), (3,)):
        expected = "expected (height, width), (height, width, 1) or (height, width, 3)"
        raise ValueError(f"the image has the shape {image.shape}, {expected}")
    if not 1 <= quality <= 100:
        raise ValueError(f"the quality is {quality}: expected 1 to 100")
    return _fourfold.encode(np.ascontiguousarray(image), quality, sampling, mode, worker_count(workers))
