"""Times ducc0 and fourfold in turns and prints medians as JSON; see bench_ducc.rs, which calls it."""

import json
import math
import sys
from statistics import median

import ducc0
import numpy as np
from turns import Example, timed

SECONDS = 0.05


class Ducc:
    """ducc0, in this process."""

    def __init__(self, problem):
        kind, real, shape = problem.split()
        shape = tuple(map(int, shape.split("x")))
        dtype = {"f32": np.float32, "f64": np.float64}[real]
        self.input = np.random.default_rng(1).uniform(-1, 1, shape).astype(dtype)
        self.output = np.zeros_like(self.input)
        common = {"out": self.output, "nthreads": 1}
        if kind == "dht":
            self.transform = lambda: ducc0.fft.separable_hartley(self.input, **common)
        else:
            function = ducc0.fft.dct if kind.startswith("dct") else ducc0.fft.dst
            self.transform = lambda: function(self.input, type=int(kind[3]), **common)

    def turn(self, runs):
        return timed(self.transform, runs), timed(lambda: np.copyto(self.output, self.input), runs)


def compare(problem, count):
    """Milliseconds of fourfold and of ducc0, each with those of a copy in the same process."""
    ours, theirs = Example("turns", problem), Ducc(problem)
    runs = max(1, math.ceil(1e3 * SECONDS / theirs.turn(1)[0]))
    turns = [(ours.turn(runs), theirs.turn(runs)) for _ in range(count)]
    ours.close()
    return [[median(turn[contender][i] for turn in turns) for i in range(2)] for contender in range(2)]


json.dump([compare(problem, int(sys.argv[1])) for problem in sys.argv[2:]], sys.stdout)
