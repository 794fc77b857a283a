"""Arguments that SciPy takes too, and exceptions where they do not fit."""

import inspect
import itertools
import os
import pickle

import numpy as np
import pytest
import scipy.fft

import fourfold
import fourfold.electrostatics
import fourfold.fft as ff
import fourfold.jpeg
import fourfold.poisson
import fourfold.signal

SHARED = sorted(set(ff.__all__) & set(scipy.fft.__all__))


@pytest.mark.parametrize("name", SHARED)
def test_signatures_are_those_of_scipy(name):
    ours = list(inspect.signature(getattr(ff, name)).parameters.values())
    theirs = list(inspect.signature(getattr(scipy.fft, name)).parameters.values())
    told = [(p.name, p.kind, p.default) for p in ours]
    assert told[: len(theirs)] == [(p.name, p.kind, p.default) for p in theirs]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is None for p in ours[len(theirs) :])


@pytest.mark.parametrize("name", ["idctn", "dstn", "idstn"])
def test_orthogonalize_has_a_position(name):
    x = np.arange(12.0).reshape(3, 4)
    expected = getattr(ff, name)(x, 2, norm="ortho", orthogonalize=False)
    found = getattr(ff, name)(x, 2, None, None, "ortho", False, None, False)
    np.testing.assert_array_equal(found, expected)
    with scipy.fft.set_backend(ff):
        found = getattr(scipy.fft, name)(x, 2, None, None, "ortho", False, None, False)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [1 << 30, 1 << 50, 1 << 62, 1 << 63, 1 << 64, 1 << 70])
@pytest.mark.parametrize("name", ["dct", "dstn", "fft", "rfft", "irfft", "ihfftn", "dht"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3), (3, 0)])
def test_lengths_that_no_plan_has(name, n, shape):
    x = np.ones(shape)
    length = {"s": (n,), "axes": (-1,)} if name.endswith("n") else {"n": n}
    if 0 in shape and n <= 1 << 50:
        pytest.skip("such an array of zeros, or without elements, may exist")
    with pytest.raises((ValueError, MemoryError)) as caught:
        getattr(ff, name)(x, **length)
    assert str(caught.value)


def test_lengths_of_plans_that_are_too_long():
    for n in (1 << 30, 1 << 62, 1 << 64):
        with pytest.raises(ValueError):
            fourfold.plan("dct2", n)


@pytest.mark.parametrize("find", ["next_fast_len", "prev_fast_len"])
@pytest.mark.parametrize("target", [0, 1, True, np.int64(17), -1, 7.0, 7.5, "7", None, [7], 1 << 63], ids=str)
@pytest.mark.parametrize("real", [False, True])
def test_fast_lengths_take_what_scipy_takes(find, target, real):
    ours, theirs = getattr(ff, find), getattr(scipy.fft, find)
    try:
        expected = theirs(target, real)
    except (TypeError, ValueError, OverflowError) as error:
        # SciPy's exception for 2^63 is an OverflowError; ours is the one for less that is too large.
        with pytest.raises(ValueError if isinstance(error, OverflowError) else type(error)):
            ours(target, real)
    else:
        assert ours(target, real) == expected
        assert type(ours(target, real)) is int


@pytest.mark.parametrize("kind", ["dct", "DCT2", "dctn", "hfft", "", 2])
def test_an_unknown_kind_is_told_the_known_ones(kind):
    for call in (lambda: ff.next_fast_len(7, kind=kind), lambda: ff.prev_fast_len(7, kind=kind)):
        with pytest.raises(ValueError, match="dct1, dct2, .*, rfft, irfft"):
            call()
    with pytest.raises(ValueError, match="dct1, dct2, .*, idxst"):
        ff.transform(np.ones(4), (kind,))


def test_arrays_of_many_axes():
    x = np.arange(4.0).reshape((1,) * 28 + (4,) + (1,) * 3)
    np.testing.assert_allclose(ff.dctn(x, axes=28), scipy.fft.dctn(x, axes=28))
    for axes in (33, 64):
        x = np.ones((1,) * (axes - 1) + (4,))
        calls = [lambda: ff.dct(x), lambda: ff.dctn(x), lambda: ff.rfft(x), lambda: ff.ifftn(x)]
        for call in [*calls, lambda: fourfold.plan("dct2", x.shape), lambda: ff.dct(x, out=x)]:
            with pytest.raises(ValueError, match=f"{axes} axes: at most 32"):
                call()
        with scipy.fft.set_backend(ff):  # SciPy transforms them
            np.testing.assert_array_equal(scipy.fft.dct(x), scipy.fft.dct(np.ones(4)).reshape(x.shape))


def read_only(array):
    array.flags.writeable = False
    return array


#: Functions of `out`, beside the output that they would make.
OUTPUTS = {
    "dct": lambda x: lambda out: ff.dct(x, out=out),
    "idstn": lambda x: lambda out: ff.idstn(x, out=out),
    "dht": lambda x: lambda out: ff.dht(x, out=out),
    "transform": lambda x: lambda out: ff.transform(x, "idct3", out=out),
    "fft": lambda x: lambda out: ff.fft(x, out=out),
    "rfft2": lambda x: lambda out: ff.rfft2(x, out=out),
    "irfftn": lambda x: lambda out: ff.irfftn(x, out=out),
    "ihfft": lambda x: lambda out: ff.ihfft(x, out=out),
    "padded": lambda x: lambda out: ff.dctn(x, s=(9, 9), out=out),
    "complex": lambda x: lambda out: ff.dct(x + 1j, out=out),
    "no axes": lambda x: lambda out: ff.dctn(x, axes=(), out=out),
    "no elements": lambda x: lambda out: ff.dctn(x[:0], axes=(1,), out=out),
    "no elements, complex": lambda x: lambda out: ff.rfft(x[:0], out=out),
    "padded from nothing": lambda x: lambda out: ff.dct(x[:, :0], n=3, out=out),
    "plan": lambda x: lambda out: fourfold.plan("dct2", (4, 6))(x, out=out),
    "plan of rfft": lambda x: lambda out: fourfold.plan("rfft", (4, 6))(x, out=out),
    "poisson": lambda x: lambda out: fourfold.poisson.Solver((4, 6), "dirichlet")(x, out=out),
    "convolution": lambda x: lambda out: fourfold.signal.Convolution((4, 6), np.ones((2, 2)))(x, out=out),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_that_do_not_fit(name):
    x = np.random.default_rng(0).standard_normal((4, 6))
    function = OUTPUTS[name](x)
    expected = function(None)
    shape, dtype = expected.shape, expected.dtype
    other = np.dtype("c16" if dtype.kind == "f" else "f8")
    for wrong in ([1.0], 5, False, "out", memoryview(np.empty(3))):
        with pytest.raises(TypeError, match="the output is a (list|int|bool|str|memoryview), expected"):
            function(wrong)
    for wrong in ("f4", "c8", "i8", "f2", "g", "O", other, dtype.newbyteorder()):
        with pytest.raises(TypeError, match="the output has elements of .*, expected"):
            function(np.empty(shape, wrong))
    for wrong in (shape[:-1], (*shape, 1), (shape[0] + 1, shape[1]), (shape[0], shape[1] - 1), ()):
        with pytest.raises(ValueError, match=r"the output has the shape \(.*\), expected \(.*\)"):
            function(np.empty(wrong, dtype))
    with pytest.raises(ValueError, match="the output is read-only"):
        function(read_only(np.zeros(shape, dtype)))
    out = np.empty(shape, dtype)
    assert function(out) is out
    np.testing.assert_array_equal(out, expected)


def test_outputs_that_share_memory():
    base = np.random.default_rng(0).standard_normal(30)
    for offset, step in itertools.product(range(-3, 4), (1, -1)):
        memory = base.copy()
        x, out = memory[8:16], memory[8 + offset : 16 + offset][::step]
        expected = ff.dct(x)
        assert ff.dct(x, out=out) is out
        np.testing.assert_array_equal(out, expected)
    windows = np.lib.stride_tricks.sliding_window_view(np.zeros(9), 6, writeable=True)
    with pytest.raises(ValueError, match="several elements of the output in one place"):
        ff.dct(np.ones((4, 6)), out=windows)


def messages():
    """The messages of exceptions of wrong types."""
    x = np.ones((4, 6))
    kinds, types = ["dct2", "fft", "rfft", "irfft"], ["f4", "f8", "c8", "c16"]
    for kind, given, wanted in itertools.product(kinds, types, types):
        plan = fourfold.plan(kind, (4, 6), wanted)
        for call in (lambda: plan(np.ones(plan.input_shape, given)), lambda: ff.dct(x, out=x.astype(given))):
            try:
                call()
            except TypeError as error:
                yield str(error)
    for call in (lambda plan: plan(x.astype("f2")), lambda plan: plan.isa):
        with pytest.raises(RuntimeError) as caught:
            call(fourfold.plan("dct2", (4, 6), "float16"))
        yield str(caught.value)


def test_messages_have_the_names_of_numpy():
    found = list(messages())
    assert len(found) > 30
    for message in found:
        assert not any(word in message for word in ("f32", "f64", "f16", "Complex<", "[")), message


def test_streams_are_for_devices():
    plan = fourfold.plan("dct2", 4)
    with pytest.raises(ValueError, match="on the CPU, which has no streams"):
        plan(np.ones(4), stream=5)
    np.testing.assert_array_equal(plan(np.ones(4), stream=None), plan(np.ones(4)))


def test_the_text_of_a_plan_tells_what_it_multiplies_by():
    plan = fourfold.plan("dct2", (2, 3), multiply=np.ones((2, 3)))
    assert repr(plan) == "fourfold.Plan('dct2 f64 2x3', workers=1, multiply=<array of shape (2, 3)>)"
    assert repr(plan.inverse()).endswith("multiply=<array of shape (2, 3)>, first=True)")
    plan = fourfold.plan("dct2", (2, 3), multiply=(np.ones(2), np.ones(3)))
    assert repr(plan).endswith("multiply=<lists of 2, 3 factors>)")
    assert repr(fourfold.plan("dct2", 3)) == "fourfold.Plan('dct2 f64 3', workers=1)"


def test_beside_a_problem_as_text_no_type_is_given():
    assert fourfold.plan("dct2", 4).input_dtype == np.float64
    assert fourfold.plan("dct2", 4, None) == fourfold.plan("dct2", 4, np.float64)
    assert fourfold.plan("dct2 f32 4").input_dtype == np.float32
    for dtype in ("float64", np.float64, "float32", np.dtype("f4")):
        with pytest.raises(ValueError, match="dtype must stand in the text"):
            fourfold.plan("dct2 f32 4", dtype=dtype)


IMAGE = np.random.default_rng(0).integers(0, 256, (20, 31, 3), dtype="u1")


@pytest.mark.parametrize("shape", [(), (4,), (3, 20, 31), (20, 31, 2), (4, 4, 0), (1, 4, 4, 3), (1,) * 40])
def test_shapes_that_are_no_image(shape):
    with pytest.raises(ValueError, match=r"the image has the shape \(.*\), expected \(height, width\)"):
        fourfold.jpeg.encode(np.zeros(shape, "u1"))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0, 3), (1, 65536)])
def test_sizes_that_no_file_has(shape):
    with pytest.raises(ValueError, match="each side must have 1 to 65500"):
        fourfold.jpeg.encode(np.zeros(shape, "u1"))


@pytest.mark.parametrize("image", [[[1, 2], [3, 4]], IMAGE / 255, IMAGE > 3, IMAGE.astype("i1"), None, "a", 1j])
def test_elements_that_are_no_samples(image):
    with pytest.raises(TypeError, match="the image has elements of .*, expected uint8"):
        fourfold.jpeg.encode(image)


def test_images_of_all_strides():
    expected = fourfold.jpeg.encode(IMAGE)
    wide = np.zeros((40, 31, 6), "u1")
    wide[::2, :, ::2] = IMAGE
    images = [np.asfortranarray(IMAGE), IMAGE[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1], wide[::2, :, ::2]]
    for image in [*images, read_only(IMAGE.copy())]:
        assert fourfold.jpeg.encode(image) == expected
    grey = IMAGE[:, :, :1]
    assert fourfold.jpeg.encode(grey) == fourfold.jpeg.encode(grey[:, :, 0])


def test_contents_that_are_no_file():
    file = fourfold.jpeg.encode(IMAGE)
    pixels = fourfold.jpeg.decode(file)
    strided = np.repeat(np.frombuffer(file, "u1"), 2)[::2]
    for content in (bytearray(file), memoryview(file), np.frombuffer(file, "i1"), strided):
        np.testing.assert_array_equal(fourfold.jpeg.decode(content), pixels)
    for content in (None, "x.jpg", 7, [1, 2], IMAGE.astype("O"), np.arange(5), np.ones(3), np.ones(3, "?")):
        with pytest.raises(TypeError, match="the file (is a|has items of)"):
            fourfold.jpeg.decode(content)
    for content in (b"", b"\0", file[:2], file[:30], b"\x89PNG\r\n\x1a\n" + bytes(50), np.zeros((2, 0), "u1")):
        with pytest.raises(ValueError) as caught:
            fourfold.jpeg.decode(content)
        assert str(caught.value)


def test_plans_keep_copies_of_their_factors():
    x, factors = np.random.default_rng(1).random((8, 6)), np.full((8, 6), 2.0)
    for given in (factors, [np.full(8, 2.0), np.ones(6)]):
        plan = fourfold.plan("dct2", (8, 6), multiply=given)
        y = plan(x)
        for one in [given] if given is factors else given:
            one[:] = 5
        np.testing.assert_allclose(plan.inverse()(y), x, atol=1e-12)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(plan))(x), y)
        np.testing.assert_allclose(np.vdot(plan.adjoint()(x), x), np.vdot(y, x), rtol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        fourfold.plan("dct2", 8, multiply=np.ones(8)).multiply[:] = 3


def test_a_subclass_that_hides_its_type_is_not_overwritten():
    class Hiding(np.ndarray):
        dtype = property(lambda self: "metres")

    x = np.arange(8.0)
    ff.dct(x.view(Hiding))
    np.testing.assert_array_equal(x, np.arange(8.0))


def test_results_go_to_a_matrix_too():
    image, kernel = np.random.default_rng(2).random((8, 6)), np.ones((3, 3))
    out = np.matrix(np.empty((8, 6)))
    assert fourfold.signal.convolve(image, kernel, "same", out=out) is out
    np.testing.assert_array_equal(np.asarray(out), fourfold.signal.convolve(image, kernel, "same"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_system_keeps_a_copy_of_the_fixed_density():
    density = np.ones((8, 8))
    system = fourfold.electrostatics.Electrostatics((8, 8), fixed_density=density)
    expected = system.solve([2.0], [2.0], [1.0], [1.0]).density
    density[:] = 100
    child = os.fork()
    if child == 0:
        os._exit(int(not np.array_equal(system.solve([2.0], [2.0], [1.0], [1.0]).density, expected)))
    assert os.waitpid(child, 0)[1] == 0


def test_types_are_integers_of_any_sort():
    x = np.arange(4.0)
    np.testing.assert_array_equal(ff.dct(x, np.array(3)), ff.dct(x, 3))
    with pytest.raises(TypeError):
        ff.dct(x, 2.0)
