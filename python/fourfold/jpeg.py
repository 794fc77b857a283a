"""JPEG files to arrays of NumPy, and back."""

import operator
import warnings

import numpy as np

from . import _fourfold
from ._arguments import worker_count

__all__ = ["decode", "encode"]


def decode(file, *, mode="fast", upright=False, workers=None, max_pixels=1 << 28):
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

    Returns
    -------
    ndarray of uint8
        Of shape (height, width) if the image is grey, else (height, width, 3): red, green, blue.

    Raises
    ------
    ValueError
        If it is no JPEG file, or of a sort that is not read. Damage that can be repaired is a
        warning.
    TypeError
        If `file` is not bytes-like.
    """
    max_pixels = operator.index(max_pixels)
    if not 0 <= max_pixels < 1 << 64:
        raise ValueError(f"max_pixels is {max_pixels}: expected 0 to 2^64 - 1")
    samples, shape, notes = _fourfold.decode(
        bytes(memoryview(file)), mode, bool(upright), worker_count(workers), max_pixels
    )
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return samples.reshape(shape[:2] if shape[2] == 1 else shape)


def encode(image, quality=75, *, sampling="4:2:0", mode="fast", workers=None):
    """Encodes an image as a baseline JPEG file, with libjpeg's tables.

    Parameters
    ----------
    image : array_like of uint8
        Of shape (height, width) or (height, width, 3).
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
    image, quality = np.ascontiguousarray(image), operator.index(quality)
    if image.dtype != np.uint8:
        raise TypeError(f"samples are uint8, not {image.dtype}")
    if not 1 <= quality <= 100:
        raise ValueError(f"the quality is {quality}: expected 1 to 100")
    return _fourfold.encode(image, quality, sampling, mode, worker_count(workers))
