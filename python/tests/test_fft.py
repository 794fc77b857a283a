"""What fourfold.fft has beyond SciPy, and its exceptions."""

import ast
import inspect
import itertools
import tracemalloc

import numpy as np
import pytest
import scipy.fft
import scipy.linalg

import fourfold
import fourfold.fft as ff


def signal(*shape, dtype="f8"):
    x = np.random.default_rng(sum(shape)).standard_normal((2, *shape))
    return (x[0] + 1j * x[1] if np.dtype(dtype).kind == "c" else x[0]).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_out_is_written_and_returned(dtype):
    x = signal(5, 6, dtype=dtype)
    for out in (np.empty_like(x), np.empty((5, 12), dtype)[:, ::2], np.empty((6, 5), dtype).T[:, ::-1]):
        assert ff.dctn(x, out=out) is out
        np.testing.assert_array_equal(out, ff.dctn(x))
    assert ff.dstn(y := x.copy(), out=y) is y
    np.testing.assert_array_equal(y, ff.dstn(x))


def test_out_of_other_memory_and_types():
    x = signal(4, 8)
    out = np.empty((4, 5), "c16")
    assert ff.rfft(x, out=out) is out
    np.testing.assert_array_equal(out, ff.rfft(x))
    back = np.empty((4, 8))
    assert ff.irfft(out, out=back) is back
    np.testing.assert_allclose(back, x, atol=1e-14)
    big = np.concatenate([x, x])
    expected = ff.dct(big[1:5])
    ff.dct(big[1:5], out=big[2:6])  # which overlaps in part
    np.testing.assert_array_equal(big[2:6], expected)


@pytest.mark.parametrize(
    "out",
    [
        np.empty(5),
        np.empty((8,), "f4"),
        np.empty((8,), "c16"),
        np.empty(8, ">f8"),
        np.empty(9, "b")[1:],
        [0.0] * 8,
    ],
)
def test_out_that_does_not_fit(out):
    with pytest.raises((ValueError, TypeError)):
        ff.dct(signal(8), out=out)


def test_a_read_only_output_is_an_error_and_a_read_only_input_stays():
    x = signal(8)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ff.dct(signal(8), out=x)
    np.testing.assert_allclose(ff.dct(x, overwrite_x=True), scipy.fft.dct(x), atol=1e-13)
    np.testing.assert_array_equal(x, signal(8))


def test_overwrite_x_writes_the_input_and_nothing_else_does():
    x = signal(4, 4)
    y = ff.dctn(x, overwrite_x=True)
    assert y is x
    x = signal(4, 4)
    for function in (
        ff.dctn,
        ff.fftn,
        ff.rfftn,
        ff.dct,
        lambda a: ff.dct(a, n=3),
        lambda a: ff.irfft(a[:, :3]),
    ):
        function(x)
        np.testing.assert_array_equal(x, signal(4, 4))
    windows = np.lib.stride_tricks.sliding_window_view(signal(6), 4, writeable=True)
    np.testing.assert_allclose(ff.dct(windows, overwrite_x=True), scipy.fft.dct(windows), atol=1e-13)
    broadcast = np.broadcast_to(signal(4), (3, 4))
    np.testing.assert_allclose(ff.dct(broadcast, overwrite_x=True), scipy.fft.dct(broadcast), atol=1e-14)


@pytest.mark.parametrize("name", ["dctn", "fftn", "rfftn", "irfftn"])
def test_no_padded_array_is_made(name):
    x = signal(300, 400, dtype="c16" if name in ("fftn", "irfftn") else "f8")
    function, s = getattr(ff, name), (600, 700)
    terms = (600, 351) if name == "irfftn" else s
    padded = np.zeros(terms, x.dtype)
    padded[:300, :351] = x[:, :351]
    if name != "irfftn":
        padded[:300, :400] = x
    expected = function(padded, s=s)
    tracemalloc.start()
    try:
        y = function(x, s=s)
        assert tracemalloc.get_traced_memory()[1] < y.nbytes + 100_000
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(y, expected)
    out = np.full_like(y, np.nan)
    assert function(x[::-1, ::-1], s=s, out=out, workers=2) is out
    np.testing.assert_array_equal(out, function(x[::-1, ::-1].copy(), s=s))


def test_padding_of_what_must_be_copied_and_of_nothing():
    raw = np.zeros(8 * 9 + 1, "u1")
    x = raw[1:73].view("f8")
    x[:] = signal(9)
    expected = ff.dct(np.concatenate([signal(9), np.zeros(7)]))
    for given in (x, signal(9).astype(">f8"), list(signal(9))):
        np.testing.assert_array_equal(ff.dct(given, n=16), expected)
    out = np.zeros(16)
    out[:9] = signal(9)
    np.testing.assert_array_equal(ff.dct(out[:9], n=16, out=out), expected)  # out contains the input
    np.testing.assert_array_equal(ff.dct(np.zeros((2, 0)), n=4), np.zeros((2, 4)))
    assert ff.dctn(np.zeros((0, 3)), s=(5,), axes=(1,)).shape == (0, 5)
    np.testing.assert_array_equal(ff.fft([1, 2], n=4, overwrite_x=True), ff.fft([1, 2, 0, 0]))


def test_unaligned_and_strange_strides():
    raw = np.zeros(8 * 9 + 1, "u1")
    x = raw[1:73].view("f8")
    x[:] = signal(9)
    np.testing.assert_array_equal(ff.dct(x), ff.dct(signal(9)))
    records = np.zeros(7, [("a", "f8"), ("z", "c16")])
    records["z"] = signal(7, dtype="c16")
    assert records["z"].strides == (24,)
    np.testing.assert_array_equal(ff.fft(records["z"]), ff.fft(signal(7, dtype="c16")))


def test_a_tuple_of_types_and_a_kind_for_each_axis():
    x = signal(6, 7)
    expected = scipy.fft.dct(scipy.fft.dct(x, 3, axis=0), 2, axis=1)
    np.testing.assert_allclose(ff.dctn(x, type=(3, 2)), expected, atol=1e-12)
    expected = scipy.fft.dst(scipy.fft.dct(x, 3, axis=0), 1, axis=1)
    np.testing.assert_allclose(ff.transform(x, ("dct3", "dst1")), expected, atol=1e-12)
    expected = scipy.fft.idst(x, 1, axis=1, norm="ortho")
    np.testing.assert_allclose(ff.transform(x, "idst1", axes=1, norm="ortho"), expected, atol=1e-12)
    for wrong in (("dct2",), "dct5", "fft", ("dct2", "dct2", "dct2")):
        with pytest.raises(ValueError):
            ff.transform(x, wrong)


def test_hartley_and_idxst_are_their_sums():
    x, n = signal(9), np.arange(9)
    angle = 2 * np.pi * np.outer(n, n) / 9
    np.testing.assert_allclose(ff.dht(x), (np.cos(angle) + np.sin(angle)) @ x, atol=1e-13)
    np.testing.assert_allclose(ff.idht(ff.dht(x)), x, atol=1e-14)
    sine = np.sin(np.pi * np.outer(2 * n + 1, n) / 18)
    np.testing.assert_allclose(ff.idxst(x), sine @ x, atol=1e-13)


@pytest.mark.parametrize("name, kind", list(itertools.product(["dct", "dst"], [1, 2, 3, 4])))
def test_complex_input_obeys_orthogonalize(name, kind):
    z = signal(8, dtype="c16")
    function = getattr(ff, name)
    y = function(z, kind, norm="ortho")
    expected = function(z.real, kind, norm="ortho") + 1j * function(z.imag, kind, norm="ortho")
    np.testing.assert_allclose(y, expected, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(y), np.linalg.norm(z))


@pytest.mark.parametrize(
    "error, call",
    [
        (ValueError, lambda: ff.dct(np.ones(4), type=5)),
        (TypeError, lambda: ff.dct(np.ones(4), type="2")),
        (TypeError, lambda: ff.dct(np.ones(4), type=(2,))),
        (TypeError, lambda: ff.dct(np.ones(4), type=1.5)),
        (ValueError, lambda: ff.dct(np.ones(4), norm="orto")),
        (ValueError, lambda: ff.dct(np.ones(4), n=0)),
        (ValueError, lambda: ff.dct(np.ones(4), n=-2)),
        (TypeError, lambda: ff.dct(np.ones(4), n=2.5)),
        (IndexError, lambda: ff.dct(np.ones(4), axis=1)),
        (TypeError, lambda: ff.dct(np.ones(4), axis=0.5)),
        (ValueError, lambda: ff.dct(np.ones(1), type=1)),
        (ValueError, lambda: ff.dctn(np.ones((4, 4)), axes=(0, 0))),
        (ValueError, lambda: ff.dctn(np.ones((4, 4)), axes=(0, 2))),
        (ValueError, lambda: ff.dctn(np.ones((4, 4)), s=(2,), axes=(0, 1))),
        (ValueError, lambda: ff.dctn(np.ones((4, 4)), s=(2, 2, 2))),
        (ValueError, lambda: ff.dctn(np.ones((4, 4)), axes="x")),
        (ValueError, lambda: ff.dct(np.ones(4), workers=0)),
        (ValueError, lambda: ff.dct(np.ones(4), workers=-100000)),
        (TypeError, lambda: ff.dct(np.ones(4), workers=1.5)),
        (TypeError, lambda: ff.rfft(np.ones(4, "c16"))),
        (TypeError, lambda: ff.dct(np.ones(4, "g"))),
        (TypeError, lambda: ff.fft(np.ones(4, "G"))),
        (ValueError, lambda: ff.irfft(np.ones(1))),
        (ValueError, lambda: ff.rfftn(np.ones((4, 4)), axes=())),
        (ValueError, lambda: ff.dct(["a", "b"])),
        ((TypeError, ValueError), lambda: ff.dct(None)),
        ((TypeError, ValueError), lambda: ff.dct({})),
        (TypeError, lambda: ff.dct(np.ones(4, "M8[s]").astype(object))),
        (ValueError, lambda: ff.dct([[1, 2], [3]])),
        (NotImplementedError, lambda: ff.fft(np.ones(4), plan=1)),
        (ValueError, lambda: fourfold.plan("dct2", (2, -1))),
        (ValueError, lambda: fourfold.plan("dct2", ())),
        (ValueError, lambda: fourfold.plan("dct9", 4)),
        (ValueError, lambda: fourfold.plan("dct2 f64 4x")),
        (TypeError, lambda: fourfold.plan("dct2", 4, "int16")),
        (RuntimeError, lambda: fourfold.plan("dct2", 4, "float16")(np.ones(4, "f2"))),
        (ValueError, lambda: fourfold.plan("dct2", 1 << 62)),
        (ValueError, lambda: fourfold.plan("idxst", 4).inverse()),
        (ValueError, lambda: fourfold.plan("dct2", 4)(np.ones(5))),
        (TypeError, lambda: fourfold.plan("dct2", 4)([1, 2, 3, 4])),
        (TypeError, lambda: fourfold.plan("dct2", 4, "f4")(np.ones(4))),
        (TypeError, lambda: fourfold.plan("dct2", 4)(np.ones(4), out=np.ones(4, "f4"))),
        (TypeError, lambda: fourfold.plan("dct2", 4, multiply=np.ones(4, "c16"))),
        (MemoryError, lambda: ff.dct(np.broadcast_to(1.0, (1 << 45, 8)))),
        (TypeError, lambda: ff.dctn(np.ones((4, 4)), axes=(), out=np.ones((4, 4), "f4"))),
        (ValueError, lambda: ff.next_fast_len(5, kind="dct9")),
        (ValueError, lambda: ff.fftfreq(2.5)),
        (ValueError, lambda: ff.fftfreq(4, device="cuda")),
        (TypeError, lambda: fourfold.plan("rfft", 4)(np.ones(4, "c16"))),
    ],
)
def test_exceptions(error, call):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value)


@pytest.mark.parametrize("name", ["dctn", "idstn", "fftn", "ifftn"])
@pytest.mark.parametrize("x", [1.5, [1, 2, 3], signal(4)], ids=str)
def test_no_axes(name, x):
    axes = () if np.ndim(x) else None
    y, expected = getattr(ff, name)(x, axes=axes), getattr(scipy.fft, name)(x, axes=axes)
    assert isinstance(y, np.ndarray) and y.dtype == expected.dtype
    np.testing.assert_array_equal(y, expected)
    out = np.empty(np.shape(x))
    assert getattr(ff, name)(x, axes=axes, out=out) is out
    np.testing.assert_array_equal(out, x)


def test_kinds_may_come_from_an_iterator():
    x = signal(4, 5)
    kinds = ("dct2", "dst3")
    np.testing.assert_array_equal(ff.transform(x, iter(kinds)), ff.transform(x, kinds))


def test_more_workers_than_threads_can_be():
    x = signal(3, 4)
    np.testing.assert_array_equal(ff.dctn(x, workers=1 << 40), ff.dctn(x))
    with ff.set_workers(5000):
        assert ff.get_workers() == 5000
        np.testing.assert_array_equal(ff.dctn(x), ff.dctn(x, workers=1))


def test_special_values_stay_in_their_line():
    x = signal(5, 8)
    x[2, 3] = np.nan
    y = ff.dct(x)
    assert np.isnan(y[2]).all() and np.isfinite(y[[0, 1, 3, 4]]).all()


def test_a_circulant_matrix_is_diagonal():
    c, x = signal(12), signal(12)[::-1].copy()
    product = ff.ifft(ff.fft(c) * ff.fft(x)).real
    np.testing.assert_allclose(product, scipy.linalg.circulant(c) @ x, atol=1e-12)


def test_workers_give_the_same_bits():
    x = signal(64, 48)
    expected = ff.dctn(x)
    for workers in (2, 3, -1):
        np.testing.assert_array_equal(ff.dctn(x, workers=workers), expected)
    assert ff.get_workers() == 1
    with ff.set_workers(2):
        assert ff.get_workers() == 2
        np.testing.assert_array_equal(ff.dctn(x), expected)
    assert ff.get_workers() == 1
    for wrong in (0, 1.5, -100000):
        with pytest.raises((ValueError, TypeError)), ff.set_workers(wrong):
            pass


def test_the_backend_falls_through():
    scipy.fft.register_backend("scipy")
    x = np.arange(8, dtype="g")
    with scipy.fft.set_backend(ff):
        assert scipy.fft.fft(x).dtype.char == "G"
        assert scipy.fft.dct(list(x)).dtype.char == "g"
        np.testing.assert_array_equal(scipy.fft.dct(np.arange(8.0)), ff.dct(np.arange(8.0)))
        assert scipy.fft.fht(np.ones(8), 0.1, 0.5).shape == (8,)
        with scipy.fft.set_workers(2):
            np.testing.assert_array_equal(scipy.fft.fft(np.arange(8.0)), ff.fft(np.arange(8.0)))


def test_functions_say_what_they_do():
    for name in ff.__all__:
        assert len(getattr(ff, name).__doc__) > 40, name


def test_stubs_have_the_signatures_of_functions():
    with open(ff.__file__.replace(".py", ".pyi")) as file:
        tree = ast.parse(file.read())
    stubs = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert set(stubs) == set(ff.__all__)
    for name, stub in stubs.items():
        parameters = inspect.signature(inspect.unwrap(getattr(ff, name))).parameters.values()
        assert [p.name for p in parameters] == [argument.arg for argument in stub.args + stub.kwonlyargs], (
            name
        )
        defaults = [p.default for p in parameters if p.default is not p.empty]
        given = [default for default in stub.defaults + stub.kw_defaults if default is not None]
        assert [ast.literal_eval(default) for default in given] == defaults, name
        assert len([p for p in parameters if p.kind is p.KEYWORD_ONLY]) == len(stub.kwonlyargs), name
