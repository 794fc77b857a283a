"""fourfold.poisson and fourfold.signal, compared with matrices, sums and SciPy."""

import itertools

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal

import fourfold.signal as fs
from fourfold.poisson import Solver, solve

ENDS = ["periodic", *itertools.product(["dirichlet", "neumann"], repeat=2)]


def random(*shape):
    return np.random.default_rng(5).standard_normal(shape)


def second_difference(count, ends, at, h):
    """The matrix of -u'' by finite differences, written from the definition of each end."""
    matrix = (2 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1)) / h**2
    if ends == "periodic":
        matrix[0, -1] -= 1 / h**2
        matrix[-1, 0] -= 1 / h**2
        return matrix
    for end, row, neighbour in ((ends[0], 0, 1), (ends[1], -1, -2)):
        if at == "cells":  # the value beyond the end is u for neumann, -u for dirichlet
            matrix[row, row] += (-1 if end == "neumann" else 1) / h**2
        elif end == "neumann":  # the value beyond the end is that of the neighbour
            matrix[row, neighbour] -= 1 / h**2
    return matrix


def operator(shape, ends, at, spacing):
    """The sum of the differences along all axes, as a matrix of flattened arrays."""
    total = np.zeros((np.prod(shape),) * 2)
    for axis, count in enumerate(shape):
        factors = [np.eye(n) for n in shape]
        factors[axis] = second_difference(count, ends[axis], at[axis], spacing[axis])
        product = factors[0]
        for factor in factors[1:]:
            product = np.kron(product, factor)
        total += product
    return total


@pytest.mark.parametrize("at", ["cells", "nodes"])
@pytest.mark.parametrize("ends", ENDS)
def test_every_pair_of_ends_solves_the_differences(ends, at):
    f = random(9)
    u = Solver(9, [ends], at=at, spacing=0.3, c=0.7)(f)
    np.testing.assert_allclose((operator((9,), [ends], [at], [0.3]) + 0.7 * np.eye(9)) @ u, f, atol=1e-11)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_three_axes_and_a_heat_step(dtype):
    shape, spacing, at = (4, 6, 5), (0.5, 1.0, 2.0), ("cells", "nodes", "cells")
    ends = ("periodic", ("neumann", "dirichlet"), ("dirichlet", "dirichlet"))
    solver = Solver(shape, ends, at=at, spacing=spacing, c=0.5, heat_step=0.1, dtype=dtype, workers=2)
    assert solver.kinds == ("dht", "dct3", "dst2")
    f = random(*shape).astype(dtype)
    u = solver(f)
    assert u.dtype == f.dtype and u.shape == shape
    matrix = operator(shape, ends, at, spacing) + 0.5 * np.eye(f.size)
    found = u.ravel() + 0.1 * (matrix @ u.ravel())
    np.testing.assert_allclose(found, f.ravel(), atol=300 * np.finfo(dtype).eps)


def test_values_at_the_ends():
    # u = 3 + 2x - y has no second derivative, and stencils are exact for it.
    x, y = 0.1 * (np.arange(8) + 0.5)[:, None], 0.2 * np.arange(1, 7)[None]
    wanted = 3 + 2 * x - y
    solver = Solver((8, 6), ["neumann", "dirichlet"], at=["cells", "nodes"], spacing=[0.1, 0.2])
    low, high = 3 + 2 * x[:, 0], 3 + 2 * x[:, 0] - 1.4
    u = solver(np.zeros((8, 6)), {(0, "low"): -2.0, (0, "high"): 2.0, (1, "low"): low, (-1, "high"): high})
    np.testing.assert_allclose(u, wanted, atol=1e-12)


def test_constants_are_dropped_and_missing_solutions_said():
    f = random(16, 16)
    u = solve(f - f.mean(), "neumann")
    assert abs(u.mean()) < 1e-13
    with pytest.raises(ValueError, match="no solution"):
        solve(f + 1, "neumann")
    assert abs(solve(f + 1, "neumann", tolerance=10.0).mean()) < 1e-13


def test_results_go_to_out():
    f, solver = random(6, 8), Solver((6, 8), "dirichlet")
    wanted = solver(f)
    wide = np.zeros((6, 16))
    for out in (np.zeros((6, 8)), wide[:, ::2], np.zeros((8, 6)).T, f):
        assert solver(f.copy() if out is not f else f, out=out) is out
        np.testing.assert_array_equal(out, wanted)
    locked = np.zeros((6, 8))
    locked.flags.writeable = False
    for out in (locked, np.zeros((6, 7))):
        with pytest.raises(ValueError):
            solver(wanted, out=out)
    for out in ([], np.zeros((6, 8), "f4"), np.zeros((6, 8), ">f8")):
        with pytest.raises(TypeError):
            solver(wanted, out=out)


@pytest.mark.parametrize(
    ("shape", "settings", "error"),
    [
        ((0, 4), {}, ValueError),
        ((4,) * 5, {}, ValueError),
        ((4, 4), {"boundary": ["neumann"]}, ValueError),
        ((4, 4), {"boundary": "robin"}, ValueError),
        ((4,), {"boundary": [("periodic", "neumann")]}, ValueError),
        ((4,), {"spacing": 0.0}, ValueError),
        ((4,), {"spacing": np.nan}, ValueError),
        ((4,), {"at": "corners"}, ValueError),
        ((4,), {"eigenvalues": "exact"}, ValueError),
        ((4,), {"dtype": "f2"}, TypeError),
        ((4,), {"workers": 0}, ValueError),
    ],
)
def test_equations_that_do_not_exist(shape, settings, error):
    with pytest.raises(error):
        Solver(shape, **settings)


def test_errors_name_the_argument():
    for settings, name in (
        ({"boundary": None}, "boundary is None"),
        ({"spacing": None}, "spacing is None"),
        ({"boundary": [1, "dirichlet"]}, "the boundary of an axis is 1"),
    ):
        with pytest.raises(TypeError, match=name):
            Solver((4, 6), **settings)
    solver = Solver((4, 6), "dirichlet", spacing=np.array(0.5))
    for key in (0, (0.5, "low"), ("a", "low")):
        with pytest.raises(ValueError, match="there is no end"):
            solver(np.ones((4, 6)), {key: 1.0})


def test_right_hand_sides_that_do_not_fit():
    solver = Solver((4, 6), "dirichlet")
    for f, values, error in (
        (np.ones((4, 5)), None, ValueError),
        (np.ones((4, 6)) * 1j, None, TypeError),
        (np.ones((4, 6)), {(2, "low"): 1.0}, ValueError),
        (np.ones((4, 6)), {(0, "left"): 1.0}, ValueError),
        (np.ones((4, 6)), {(0, "low"): np.ones(4)}, ValueError),
    ):
        with pytest.raises(error):
            solver(f, values)


@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shapes", [((37,), (6,)), ((12, 15), (4, 5)), ((6, 7, 8), (3, 2, 4))])
def test_convolutions_are_those_of_scipy(shapes, mode, method):
    x, kernel = (random(*shape) for shape in shapes)
    for ours, theirs in ((fs.convolve, scipy.signal.convolve), (fs.correlate, scipy.signal.correlate)):
        wanted = theirs(x, kernel, mode, method="direct")
        np.testing.assert_allclose(ours(x, kernel, mode, method), wanted, atol=1e-12)
        found = ours(x.astype("f4"), kernel.astype("f4"), mode, method, workers=2)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, atol=1e-4)


@pytest.mark.parametrize(
    ("boundary", "theirs"), [("zero", "constant"), ("periodic", "wrap"), ("reflect", "reflect")]
)
def test_boundaries_are_those_of_ndimage(boundary, theirs):
    x, kernel = random(3, 20, 17), random(5, 3)
    wanted = [scipy.ndimage.convolve(image, kernel, mode=theirs) for image in x]
    smooth = fs.Convolution(x.shape, kernel, boundary=boundary)
    np.testing.assert_allclose(smooth(x), wanted, atol=1e-12)
    assert smooth.output_shape == x.shape


def test_integers_and_lists_are_convolved_in_float64():
    found = fs.convolve([1, 2, 3], [0, 1, 2])
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [0, 1, 4, 7, 6], atol=1e-14)


@pytest.mark.parametrize(
    ("in1", "in2", "settings", "error"),
    [
        (np.ones(3), np.ones(4), {"mode": "valid"}, ValueError),
        (np.ones(3), np.ones((3, 3)), {}, ValueError),
        (np.ones(3), np.ones(2), {"mode": "half"}, ValueError),
        (np.ones(3), np.ones(2), {"method": "fast"}, ValueError),
        (np.ones(3), np.ones(2), {"boundary": "mirror"}, ValueError),
        (np.ones(3), [np.inf, 1.0], {}, ValueError),
        (np.ones(0), np.ones(2), {}, ValueError),
        (np.float64(1), np.float64(1), {}, ValueError),
        (np.ones(3) * 1j, np.ones(2), {}, TypeError),
        (np.ones(3), np.ones(2) * 1j, {}, TypeError),
    ],
)
def test_convolutions_that_do_not_exist(in1, in2, settings, error):
    with pytest.raises(error):
        fs.convolve(in1, in2, **settings)


def test_filters_keep_their_frequencies():
    t = np.arange(64)
    slow, fast = np.cos(2 * np.pi * 4 * t / 64), np.sin(2 * np.pi * 24 * t / 64)
    x = 1 + slow + fast
    np.testing.assert_allclose(fs.low_pass(x, 0.5), 1 + slow, atol=1e-13)
    assert fs.low_pass(np.float64(2.0), 0.5).shape == ()
    np.testing.assert_allclose(fs.high_pass(x, 0.5), fast, atol=1e-13)
    np.testing.assert_allclose(fs.band_pass(x, 0.1, 0.5), slow, atol=1e-13)
    # The frequency of the slow wave is 1/8 of Nyquist's, and of the fast one 3/4.
    found = fs.low_pass(x.astype("f4"), 0.25, "butterworth:2")
    assert found.dtype == np.float32
    gains = [1 / np.sqrt(1 + (rho / 0.25) ** 4) for rho in (1 / 8, 3 / 4)]
    np.testing.assert_allclose(found, 1 + gains[0] * slow + gains[1] * fast, atol=1e-5)
    found = fs.low_pass(np.stack([x, x]), 1 / 8, "gaussian")
    wanted = 1 + slow / np.sqrt(2) + fast * np.exp(-0.5 * np.log(2) * 36)
    np.testing.assert_allclose(found[0], wanted, atol=1e-13)
    for call in (
        lambda: fs.low_pass(x, 2.0),
        lambda: fs.low_pass(x, -1.0),
        lambda: fs.band_pass(x, 0.5, 0.1),
        lambda: fs.low_pass(x, 0.1, "chebyshev"),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        fs.low_pass(x * 1j, 0.5)
