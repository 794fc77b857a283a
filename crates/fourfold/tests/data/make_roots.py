"""Writes roots.txt: roots of unity to 32 digits, for the tests of the trigonometric tables.

Run: pip install mpmath && python make_roots.py > roots.txt
"""

import random

import mpmath

mpmath.mp.dps = 60
ORDERS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 24, 31, 48, 60, 97, 100, 128, 360, 1000, 1009, 1024, 4096, 4100, 6561]
ORDERS += [65536, 65537, 10**6, 2**20, 2**20 + 7, 2**23, 3**15, 10**9 + 7, 2**31, 2**34 + 25]


def pair(x):
    """x as hi + lo, two doubles; zeros are exact and positive."""
    hi = float(x)
    return f"{hi!r} {float(x - hi)!r}".replace("-0.0 ", "0.0 ")


def root(n, k):
    """exp(-2 pi i k/n), exact where a part is 0."""
    angle = mpmath.mpf(2) * k / n
    return mpmath.cospi(angle), -mpmath.sinpi(angle)


def main():
    rng = random.Random(1)
    print("# n k cos.hi cos.lo -sin.hi -sin.lo of 2 pi k/n, by make_roots.py, mpmath", mpmath.__version__)
    for n in ORDERS:
        near = {0, 1, 2, n // 8, n // 8 + 1, n // 4, n // 4 + 1, n - 1}
        for k in sorted(k for k in near | {rng.randrange(n) for _ in range(3)} if k < n):
            re, im = root(n, k)
            print(n, k, pair(re), pair(im))


main()
