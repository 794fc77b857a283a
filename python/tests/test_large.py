"""An array of more than 2^31 elements, where FOURFOLD_SWEEPS=whole is set and 12 GiB are free."""

import os

import numpy as np
import pytest

import fourfold.fft as ff


def available():
    """Bytes of memory that are free, where the system tells."""
    try:
        with open("/proc/meminfo") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))
    except OSError:
        return 0


@pytest.mark.skipif(os.environ.get("FOURFOLD_SWEEPS") != "whole", reason="FOURFOLD_SWEEPS=whole asks for it")
@pytest.mark.skipif(available() < 12 << 30, reason="it needs 12 GiB of memory")
@pytest.mark.parametrize("axis", [0, 1])
def test_more_than_two_billion_elements_in_place(axis):
    x = np.zeros((65537, 32768), "f4")
    assert x.size > 1 << 31
    x[-1, :], x[:, -1] = 1, 1
    y = ff.dct(x, axis=axis, overwrite_x=True)
    assert y is x
    lines = np.moveaxis(y, axis, 0)
    np.testing.assert_allclose(lines[0, -1], 2 * x.shape[axis], rtol=1e-6)
    np.testing.assert_allclose(lines[0, :-1], 2, rtol=1e-3)
    np.testing.assert_allclose(lines[5:200, -1], 0, atol=0.05)
