"""Times SciPy, ducc0 and fourfold in turns and prints medians as JSON; see bench_solvers.rs."""

import json
import math
import sys
from statistics import median

import ducc0
import numpy as np
from scipy import fft, signal
from turns import Example, timed

SECONDS = 0.2


def waves(shape):
    i = np.arange(math.prod(shape), dtype=np.float64)
    return np.sin(i * i).reshape(shape)


def neumann(shape):
    """Solves with NumPy arrays: the transforms and a division between them."""
    f = waves(shape)
    lines = [(2 * np.sin(np.pi * np.arange(n) / (2 * n))) ** 2 for n in shape]
    eigenvalues = sum(np.meshgrid(*lines, indexing="ij"))
    eigenvalues[(0,) * len(shape)] = np.inf

    def scipy():
        return fft.idctn(fft.dctn(f, workers=1) / eigenvalues, workers=1)

    def ducc():
        a = ducc0.fft.dct(f, type=2, inorm=0, nthreads=1)
        a /= eigenvalues
        return ducc0.fft.dct(a, type=3, inorm=2, nthreads=1)

    return {"SciPy": scipy, "ducc0": ducc}


def convolve(shape, kernel):
    x, h = waves(shape), waves(kernel)
    return {
        "fftconvolve": lambda: signal.fftconvolve(x, h, "same"),
        "oaconvolve": lambda: signal.oaconvolve(x, h, "same"),
    }


PEERS = {"neumann": neumann, "convolve": convolve, "multiplied": lambda shape: {}}


def compare(task, count):
    """Milliseconds by name; `fourfold`, and `beside` for the second time of the example."""
    name, *shapes = task.split()
    peers = PEERS[name](*(tuple(map(int, shape.split("x"))) for shape in shapes))
    ours = Example("solver_turns", task)
    runs = max(1, math.ceil(1e3 * SECONDS / max(1e-3, ours.turn(1)[0])))
    turns = []
    for _ in range(count):
        turn = dict(zip(["fourfold", "beside"], ours.turn(runs)))
        for peer, work in peers.items():
            turn[peer] = timed(work, max(1, runs // 2))
        turns.append(turn)
    ours.close()
    return {name: median(turn[name] for turn in turns) for name in turns[0]}


json.dump([compare(task, int(sys.argv[1])) for task in sys.argv[2:]], sys.stdout)
