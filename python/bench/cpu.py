"""Times of fourfold beside SciPy and ducc0, with one worker each, taken in turn.

    cargo xtask bench-python

builds what this needs. With the package installed, and without the column of the engine:

    pip install scipy ducc0
    python python/bench/cpu.py

Rows are in microseconds: the least of several rounds. With `out=`, the output is there already; the
others make a new array each time. `engine` is the engine in Rust, with an output that is there
already: the example `turns` of the core crate, whose path is the argument.
"""

import subprocess
import sys
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


NAMES = ["engine", "plan, out=", "fft, out=", "fft", "scipy", "ducc0"]


def called(function):
    """Seconds of a call of the function, of so many."""

    def seconds(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        return (time.perf_counter() - begin) / calls

    return seconds


class Engine:
    """The engine in Rust, in its process, which waits for its turn."""

    def __init__(self, program, x):
        problem = f"dct2 f{8 * x.itemsize} " + "x".join(map(str, x.shape))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([program, problem], **pipes)

    def __call__(self, calls):
        print(calls, file=self.process.stdin, flush=True)
        return 1e-3 * float(self.process.stdout.readline().split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def contenders(x):
    """What each takes for so many calls, by name."""
    axes, plan, out = tuple(range(x.ndim)), fourfold.plan("dct2", x.shape, x.dtype), np.empty_like(x)
    ours, theirs = (ff.dct, scipy.fft.dct) if x.ndim == 1 else (ff.dctn, scipy.fft.dctn)
    return {
        "plan, out=": called(lambda: plan(x, out)),
        "fft, out=": called(lambda: ours(x, out=out)),
        "fft": called(lambda: ours(x)),
        "scipy": called(lambda: theirs(x)),
        "ducc0": called(lambda: ducc0.fft.dct(x, 2, axes)),
    }


def measured(timers, budget=6.0):
    """The least time of each, over rounds in which every one is called in turn."""
    calls = {name: max(1, int(0.02 / timer(1))) for name, timer in timers.items()}
    best, end = dict.fromkeys(timers, np.inf), time.perf_counter() + budget
    rounds = 0
    while time.perf_counter() < end or rounds < 5:
        for name, timer in timers.items():
            best[name] = min(best[name], timer(calls[name]))
        rounds += 1
    return best


def row(x, best):
    """The times, and those of fourfold divided by others."""
    shape = "x".join(map(str, x.shape))
    times = "".join(f"{1e6 * best.get(name, np.nan):12.1f}" for name in NAMES)
    over = [best["plan, out="] / best.get("engine", np.nan), best["fft, out="] / best.get("engine", np.nan)]
    over += [best["fft"] / best[name] for name in ("scipy", "ducc0")]
    return f"dct2 {x.dtype} {shape}".ljust(22) + times + "".join(f"{ratio:12.3f}" for ratio in over)


def main():
    plan = fourfold.plan("dct2", 8)
    print(
        f"fourfold {fourfold.__version__} ({plan.isa}), SciPy {scipy.__version__}, ducc0 {ducc0.__version__}\n"
    )
    ratios = ["plan/engine", "out=/engine", "fft/scipy", "fft/ducc0"]
    print("problem".ljust(22) + "".join(f"{name:>12}" for name in NAMES + ratios))
    for x in problems():
        timers, engine = contenders(x), None
        if len(sys.argv) > 1:
            engine = timers["engine"] = Engine(sys.argv[1], x)
        print(row(x, measured(timers)))
        if engine is not None:
            engine.close()


if __name__ == "__main__":
    main()
