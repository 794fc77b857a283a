"""SciPy's own tests of `scipy.fft`, with fourfold as its backend."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

#: Tests that fail, with the reason.
FAILURES = {
    "test_basic.py::test_multiprocess[irfft]": "It compares values that are 0 but for rounding errors of 1e-17, to 7 digits, "
    "with those of other processes, in which SciPy's own backend computes.",
}

#: SciPy 1.17 has 5811 tests of `scipy.fft` where neither PyTorch nor JAX is asked for.
LEAST = 5000


def test_scipys_own_tests():
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    options = ["-q", "-o", "addopts=", "-p", "scipy_backend", "-p", "no:cacheprovider", "-W", "ignore"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--pyargs", "scipy.fft"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd=HERE,
    )
    failed = {
        line.split(" - ")[0].rsplit("/", 1)[-1]
        for line in re.findall(r"^(?:FAILED|ERROR) (.*)$", done.stdout, re.M)
    }
    assert failed <= set(FAILURES), done.stdout[-5000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > LEAST, done.stdout[-5000:]
