"""Comparison with the SciPy that is installed, over random arrays and arguments."""

import numpy as np
import pytest
import scipy.fft
from hypothesis import given
from hypothesis import strategies as st

import fourfold.fft as ff

REAL = ["dct", "idct", "dst", "idst"]
FOURIER = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = ["f2", "f4", "f8", ">f8", "c8", "c16", "i2", "u8", "?"]


@st.composite
def arrays(draw, dtypes=DTYPES, most_axes=3):
    """Arrays of all strides: transposed, reversed, with gaps, read-only."""
    shape = draw(st.lists(st.integers(1, 12), min_size=1, max_size=most_axes))
    dtype, seed = np.dtype(draw(st.sampled_from(dtypes))), draw(st.integers(0, 1 << 16))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    rng = np.random.default_rng(seed)
    x = 10 * rng.standard_normal([n * abs(step) for n, step in zip(shape, steps)])
    x = (x + 10j * rng.standard_normal(x.shape) if dtype.kind == "c" else x).astype(dtype)
    x = x[tuple(slice(None, None, step) for step in steps)]
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    x.flags.writeable = draw(st.booleans())
    return x


def close(found, expected):
    """The same type and shape, and values to the precision of the type."""
    assert type(found) is type(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    scale = np.max(np.abs(expected), initial=1e-30)
    eps = np.finfo(found.dtype if found.dtype.kind in "fc" else float).eps
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=100 * eps)


def both(name, x, *arguments, **keywords):
    """Calls both libraries: the same result, or an exception of the same sort, and x unchanged."""
    copy = x.copy()
    try:
        expected = getattr(scipy.fft, name)(x, *arguments, **keywords)
    except Exception as error:
        sort = TypeError if isinstance(error, TypeError) else (ValueError, IndexError, RuntimeError)
        with pytest.raises(sort):
            getattr(ff, name)(x, *arguments, **keywords)
    else:
        close(getattr(ff, name)(x, *arguments, **keywords), expected)
    np.testing.assert_array_equal(x, copy)


def orthogonalizes(x):
    """SciPy 1.17 ignores `orthogonalize` where elements are complex."""
    return st.just(None) if x.dtype.kind == "c" else st.sampled_from([None, True, False])


def norms(x):
    """SciPy 1.17 also ignores what "ortho" means for complex elements."""
    return st.sampled_from([None, "backward", "forward"] if x.dtype.kind == "c" else NORMS)


@given(st.sampled_from(REAL), arrays(), st.data())
def test_real_transforms_along_one_axis(name, x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = data.draw(st.one_of(st.none(), st.integers(1, 20)))
    keywords = dict(norm=data.draw(norms(x)), orthogonalize=data.draw(orthogonalizes(x)))
    both(name, x, data.draw(st.sampled_from([1, 2, 3, 4])), n, axis, **keywords)


@given(st.sampled_from(REAL), arrays(), st.data())
def test_real_transforms_along_several_axes(name, x, data):
    axes = data.draw(st.one_of(st.none(), st.permutations(range(x.ndim)).map(lambda p: p[: len(p) // 2 + 1])))
    count = x.ndim if axes is None else len(axes)
    s = data.draw(st.one_of(st.none(), st.lists(st.integers(1, 15), min_size=count, max_size=count)))
    keywords = dict(norm=data.draw(norms(x)), orthogonalize=data.draw(orthogonalizes(x)))
    both(name + "n", x, data.draw(st.sampled_from([1, 2, 3, 4])), s, axes, **keywords)


@given(st.sampled_from(FOURIER), arrays(), st.data())
def test_fourier_transforms_along_one_axis(name, x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = data.draw(st.one_of(st.none(), st.integers(1, 20)))
    both(name, x, n, axis, data.draw(st.sampled_from(NORMS)))


@given(st.sampled_from(FOURIER), st.sampled_from(["2", "n"]), arrays(), st.data())
def test_fourier_transforms_along_several_axes(name, end, x, data):
    axes = data.draw(st.permutations(range(x.ndim)).map(lambda p: p[: len(p) // 2 + 1]))
    s = data.draw(st.one_of(st.none(), st.lists(st.integers(1, 15), min_size=len(axes), max_size=len(axes))))
    both(name + end, x, s, axes, data.draw(st.sampled_from(NORMS)))


@given(st.sampled_from(REAL), arrays(["f4", "f8", "c16"]), st.sampled_from([1, 2, 3, 4]))
def test_the_default_axes_are_all(name, x, kind):
    both(name + "n", x, kind)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("n", [2, 16, 31, 97, 360, 1021, 4096])
def test_longer_signals(name, kind, n):
    x = np.random.default_rng(n).standard_normal((3, n))
    for array in (x, x.astype("f4"), np.asfortranarray(x), x[:, ::-1]):
        both(name, array, kind, norm="ortho")


@pytest.mark.parametrize("name", [*ff._BACKEND])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4), ()])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_empty_and_zero_dimensional(name, shape, dtype):
    x = np.ones(shape, dtype)
    both(name, x)
    if len(shape) > 1:
        keywords = {"axes": 0} if name[-1] in "2n" else {"axis": 0}
        both(name, x, **keywords)


@pytest.mark.parametrize("x", [[1, 2, 3, 4], (1.5, 2.5), range(5), [[1, 2], [3, 4]], memoryview(b"abcd")])
@pytest.mark.parametrize("name", ["dct", "dstn", "fft", "rfft2", "irfft"])
def test_what_is_no_array(name, x):
    try:
        expected = getattr(scipy.fft, name)(x)
    except (ValueError, IndexError):
        with pytest.raises((ValueError, IndexError)):
            getattr(ff, name)(x)
    else:
        close(getattr(ff, name)(x), expected)


def test_frequencies_and_shifts():
    for n in range(1, 12):
        np.testing.assert_array_equal(ff.fftfreq(n, 0.5), scipy.fft.fftfreq(n, 0.5))
        np.testing.assert_array_equal(ff.rfftfreq(n, 0.5), scipy.fft.rfftfreq(n, 0.5))
        x = np.arange(n)
        np.testing.assert_array_equal(ff.fftshift(x), scipy.fft.fftshift(x))
        np.testing.assert_array_equal(ff.ifftshift(ff.fftshift(x)), x)


def smooth(n):
    for prime in (2, 3, 5, 7, 11, 13):
        while n % prime == 0:
            n //= prime
    return n == 1


def test_fast_lengths_are_the_nearest():
    for target in [*range(1, 300), 12345, 93059]:
        found = ff.next_fast_len(target)
        assert smooth(found) and not any(smooth(n) for n in range(target, found))
        found = ff.prev_fast_len(target)
        assert smooth(found) and not any(smooth(n) for n in range(found + 1, target + 1))
        assert smooth(ff.next_fast_len(target, kind="dct1") - 1)
        assert smooth(ff.next_fast_len(target, kind="dst1") + 1)
        four = ff.next_fast_len(target, kind="dct4")
        assert four % 2 == 0 and smooth(four) and four >= target
    assert ff.next_fast_len(target=(1 << 40) + 1) <= 1 << 41
    for wrong in (-1, -3):
        with pytest.raises(ValueError):
            ff.next_fast_len(wrong)
    with pytest.raises(TypeError):
        ff.next_fast_len(7.5)
