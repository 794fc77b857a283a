"""Lengths that fourfold transforms fast."""

import operator
from functools import lru_cache

from ._real import REAL_KINDS

#: The primes with butterflies, without 2.
_ODD_PRIMES = (3, 5, 7, 11, 13)

#: What is added to a length to get the one of the DFT inside.
_SHIFT = {"dct1": -1, "idct1": -1, "dst1": 1, "idst1": 1}

#: Kinds that are faster at even lengths.
_EVEN = frozenset(["dct4", "dst4", "idct4", "idst4"])

_KINDS = (*REAL_KINDS, "fft", "ifft", "rfft", "irfft")

_LARGEST = 1 << 62


def _odd_smooth(most, primes=_ODD_PRIMES):
    """All products of the primes up to `most`."""
    products = [1]
    for prime in primes:
        for product in list(products):
            while (product := product * prime) <= most:
                products.append(product)
    return products


def _smooth_above(target):
    """The least product of 2, 3, 5, 7, 11 and 13 that is at least `target`."""
    best = 1 << (target - 1).bit_length()
    for odd in _odd_smooth(best):
        best = min(best, odd << max(0, (-(-target // odd) - 1).bit_length()))
    return best


def _smooth_below(target):
    """The largest such product that is at most `target`."""
    return max(odd << ((target // odd).bit_length() - 1) for odd in _odd_smooth(target))


def _checked(target, kind):
    target = operator.index(target)
    if kind is not None and kind not in _KINDS:
        raise ValueError(f"there is no kind {kind!r}: expected one of {', '.join(_KINDS)}")
    if not 0 <= target <= _LARGEST:
        raise ValueError(f"target is {target}: expected an integer from 0 to 2^62")
    return target, _SHIFT.get(kind, 0), 2 if kind in _EVEN else 1


@lru_cache
def next_fast_len(target, real=False, *, kind=None):
    """The least length of at least `target` that is fast: a product of 2, 3, 5, 7, 11 and 13.

    Parameters
    ----------
    target : int
        The least length. The result for 0 is 0, as in SciPy.
    real : bool, optional
        Accepted for SciPy; the same lengths are fast for real data.
    kind : str, optional
        The kind, such as "dct1", for which N - 1 must be such a product, "dst1", for which N + 1
        must be, or "dct4", for which N is also even.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If `target` is negative or more than 2^62, or there is no such kind.
    """
    target, shift, even = _checked(target, kind)
    if target == 0:
        return 0
    return even * _smooth_above(max(1, -(-(target + shift) // even))) - shift


@lru_cache
def prev_fast_len(target, real=False, *, kind=None):
    """The largest length of at most `target` that is fast: see `next_fast_len`.

    Raises
    ------
    ValueError
        If `target` is negative or more than 2^62, or there is no such length or kind.
    """
    target, shift, even = _checked(target, kind)
    if target == 0:
        return 0
    if (target + shift) // even < 1:
        raise ValueError(f"there is no fast length of {kind} up to {target}")
    return even * _smooth_below((target + shift) // even) - shift
