"""Times of fourfold beside SciPy and ducc0, in one process, one worker each, taken in turn.

    pip install scipy ducc0
    python python/bench/cpu.py

Rows are in microseconds: the least of several rounds. `plan, out=` is a plan with an output that is
there already; the others make a new array each time.
"""

import time

import ducc0.fft
import numpy as np
import scipy
import scipy.fft

import fourfold
import fourfold.fft as ff


def problems():
    """Arrays, and what is done with each."""
    rng = np.random.default_rng(0)
    for shape in [(64,), (4096,), (1024, 1024), (4096, 4096)]:
        for dtype in ("f8", "f4"):
            yield rng.standard_normal(shape).astype(dtype)


def contenders(x):
    axes, plan, out = tuple(range(x.ndim)), fourfold.plan("dct2", x.shape, x.dtype), np.empty_like(x)
    one = x.ndim == 1
    return {
        "fourfold": (lambda: ff.dct(x)) if one else (lambda: ff.dctn(x)),
        "plan, out=": lambda: plan(x, out),
        "scipy": (lambda: scipy.fft.dct(x)) if one else (lambda: scipy.fft.dctn(x)),
        "ducc0": lambda: ducc0.fft.dct(x, 2, axes),
    }


def seconds(function, calls):
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - begin) / calls


def measured(functions, budget=4.0):
    """The least time of each, over rounds in which every one is called in turn."""
    calls = {name: max(1, int(0.02 / seconds(function, 1))) for name, function in functions.items()}
    best, end = dict.fromkeys(functions, np.inf), time.perf_counter() + budget
    rounds = 0
    while time.perf_counter() < end or rounds < 5:
        for name, function in functions.items():
            best[name] = min(best[name], seconds(function, calls[name]))
        rounds += 1
    return best


def main():
    plan = fourfold.plan("dct2", 8)
    print(
        f"fourfold {fourfold.__version__} ({plan.isa}), SciPy {scipy.__version__}, ducc0 {ducc0.__version__}\n"
    )
    names = ["fourfold", "plan, out=", "scipy", "ducc0"]
    print(f"{'problem':<22}" + "".join(f"{name:>12}" for name in names) + "   / scipy  / ducc0")
    for x in problems():
        best = measured(contenders(x))
        title = f"dct2 {x.dtype} " + "x".join(map(str, x.shape))
        times = "".join(f"{1e6 * best[name]:12.1f}" for name in names)
        print(
            f"{title:<22}{times}{best['fourfold'] / best['scipy']:10.2f}{best['fourfold'] / best['ducc0']:9.2f}"
        )


if __name__ == "__main__":
    main()
