"""Random problems, the same for the same seed: python random_problems.py SEED COUNT LEAST MOST

Kinds, one to three dimensions and both precisions are equally likely, and so are three sorts of
lengths for each axis: products of 2, 3, 5 and 7, primes, and any. LEAST and MOST are the powers of 2
between which the number of elements lies, all of whose logarithms are equally likely.
"""

import sys

import numpy as np

KINDS = ["dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "dht"]


def factors(n):
    """The prime factors of n."""
    p = 2
    while p * p <= n:
        while n % p == 0:
            yield p
            n //= p
        p += 1
    if n > 1:
        yield n


def smooth(n):
    return max(factors(n), default=1) <= 7


def prime(n):
    return list(factors(n)) == [n]


def nearest(n, fits):
    """The least length from n on that fits."""
    return next(m for m in range(n, 2 * n + 2) if fits(m))


def problem(rng, least, most):
    """The text of one problem."""
    dimensions = int(rng.integers(1, 4))
    elements = 2.0 ** rng.uniform(least, most)
    shares = rng.dirichlet(np.full(dimensions, 4.0))
    lengths = [max(2, round(elements**share)) for share in shares]
    sorts = rng.choice([smooth, prime, None], dimensions)
    lengths = [nearest(n, fits) if fits else n for n, fits in zip(lengths, sorts)]
    return f"{rng.choice(KINDS)} {rng.choice(['f32', 'f64'])} " + "x".join(map(str, lengths))


def problems(seed, count, least, most):
    rng = np.random.default_rng(seed)
    return [problem(rng, least, most) for _ in range(count)]


if __name__ == "__main__":
    print("\n".join(problems(*map(int, sys.argv[1:]))))
