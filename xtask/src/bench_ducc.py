"""Times ducc0 and fourfold in turns and prints medians as JSON; see bench_ducc.rs, which calls it."""

import json
import math
import sys
from statistics import median

import ducc0
import numpy as np
from turns import Example, timed

TURNS = 25
SECONDS = 0.05


class Ducc:
    """ducc0, in this process."""

    def __init__(self, problem):
        _, real, shape = problem.split()
        shape = tuple(map(int, shape.split("x")))
        dtype = {"f32": np.float32, "f64": np.float64}[real]
        self.input = np.random.default_rng(1).uniform(-1, 1, shape).astype(dtype)
        self.output = np.zeros_like(self.input)

    def turn(self, runs):
        transform = lambda: ducc0.fft.dct(self.input, type=2, out=self.output, nthreads=1)
        return timed(transform, runs), timed(lambda: np.copyto(self.output, self.input), runs)


def compare(problem):
    """Milliseconds of fourfold and of ducc0, each with those of a copy in the same process."""
    ours, theirs = Example("turns", problem), Ducc(problem)
    runs = max(1, math.ceil(1e3 * SECONDS / theirs.turn(1)[0]))
    turns = [(ours.turn(runs), theirs.turn(runs)) for _ in range(TURNS)]
    ours.close()
    return [[median(turn[contender][i] for turn in turns) for i in range(2)] for contender in range(2)]


json.dump([compare(problem) for problem in sys.argv[1:]], sys.stdout)
