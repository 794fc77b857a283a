"""What `fourfold._cuda` asks of a device: addresses, layouts and copies. No device is needed.

A NumPy array plays the part of CuPy's, and the CPU engine that of the device, which gets addresses and
the text of a problem, as on a GPU. `gpu/test_gpu.py` tests devices.
"""

import contextlib
import ctypes
import pickle
import types

import numpy as np
import pytest

import fourfold
import fourfold.fft as ff
from fourfold import _complex, _cuda, _fourfold, _libraries, _numpy, _plan, _real, electrostatics, jpeg
from fourfold._spec import Spec

SIZES = {"f32": 4, "f64": 8}


class Pointer:
    def __init__(self, x):
        self.ptr = x.__array_interface__["data"][0]


class Device(contextlib.nullcontext):
    id = 0


class Array(np.ndarray):
    """An array that looks like one of CuPy."""

    data = property(Pointer)
    device = property(lambda self: Device())
    __cuda_array_interface__ = property(lambda self: self.__array_interface__)


class Plan:
    """Runs the problem on memory at addresses, as laid out by the problem's strides."""

    scratch_bytes = 64

    made = 0

    def __init__(self, text, device, is_complex, *multiplied, shape):
        Plan.made += 1
        words = [word for word in text.split() if not word.startswith(("in=", "out="))]
        strides = dict(word.split("=") for word in text.split() if word.startswith(("in=", "out=")))
        self.is_half = "f16" in words
        words = ["f32" if word == "f16" else word for word in words]
        self.plan, self.padded = _fourfold.Plan(" ".join(words), 1, "estimate", *multiplied), shape
        sides = self.plan.is_complex
        self.sides = [is_complex or sides[0], (is_complex and not sides[0] and not sides[1]) or sides[1]]
        self.strides = [strides.get("in"), strides.get("out")]

    def view(self, side, address):
        assert address % 16 == 0
        shape = [self.padded or self.plan.input_shape, self.plan.output_shape][side]
        size = (2 if self.is_half else SIZES[self.plan.precision]) * (2 if self.sides[side] else 1)
        dtype = np.dtype(f"{'c' if self.sides[side] else 'f'}{size}")
        if self.strides[side] is None:
            strides = np.empty(shape, dtype).strides
        else:
            strides = [int(stride) * size for stride in self.strides[side].split(",")]
        behind = -sum((n - 1) * stride for n, stride in zip(shape, strides) if stride < 0)
        ahead = sum((n - 1) * stride for n, stride in zip(shape, strides) if stride > 0)
        memory = (ctypes.c_char * (behind + ahead + size)).from_address(address)
        return np.ndarray(shape, dtype, memory, behind, strides)

    def execute(self, input, output, stream, scratch):
        assert stream == 7 and scratch
        x, y = self.view(0, input), self.view(1, output)
        if self.is_half:
            y[...] = self.plan.execute(x.astype("f4"), None, self.padded is not None)
        else:
            assert self.plan.execute(x, y, self.padded is not None) is not None


@pytest.fixture(autouse=True)
def device(monkeypatch):
    def aligned(shape, dtype="f8"):
        count, dtype = int(np.prod(shape)), np.dtype(dtype)
        raw = np.zeros(count * dtype.itemsize + 16, "u1")
        start = -raw.__array_interface__["data"][0] % 16
        return raw[start : start + count * dtype.itemsize].view(dtype).reshape(shape).view(Array)

    def asarray(x):
        y = aligned(np.shape(x), np.asarray(x).dtype)
        y[...] = x
        return x if isinstance(x, Array) else y

    used = []
    cupy = types.SimpleNamespace(
        asarray=asarray,
        empty=aligned,
        conjugate=np.conjugate,
        fft=np.fft,
        asnumpy=lambda x: np.array(x).view(np.ndarray),
        cuda=types.SimpleNamespace(
            get_current_stream=lambda: types.SimpleNamespace(ptr=7),
            Device=lambda number: contextlib.nullcontext(used.append(number)),
        ),
        used=used,
    )
    monkeypatch.setattr(_cuda, "_cupy", lambda: cupy)
    monkeypatch.setattr(_cuda._CuPy, "copy", staticmethod(lambda x: asarray(np.array(x, order="C"))))
    monkeypatch.setattr(_fourfold, "CudaPlan", Plan)
    # An array of a class of NumPy would be taken for one of NumPy.
    library_of = lambda x: _cuda if isinstance(x, Array) else _libraries.library_of(x)
    monkeypatch.setattr(_real, "library_of", library_of)
    monkeypatch.setattr(_complex, "library_of", library_of)
    monkeypatch.setattr(_plan, "library_of", library_of)
    monkeypatch.setattr(electrostatics, "library_of", library_of)
    monkeypatch.setattr(jpeg, "library_of", library_of)
    _cuda._plans.clear()
    return cupy


def signal(*shape, dtype="f8"):
    x = np.random.default_rng(sum(shape)).standard_normal((2, *shape))
    return (x[0] + 1j * x[1] if np.dtype(dtype).kind == "c" else x[0]).astype(dtype)


def test_an_object_on_cuda_is_told_by_its_interfaces():
    on_device = types.SimpleNamespace(__dlpack_device__=lambda: (2, 0))
    assert _libraries.library_of(on_device) is _cuda
    assert _libraries.library_of(types.SimpleNamespace(__cuda_array_interface__={})) is _cuda
    assert _libraries.library_of(types.SimpleNamespace(__dlpack_device__=lambda: (1, 0))) is _numpy


VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::2, ::-1],
    "not aligned": lambda a: a[1:, 1:],
    "a column": lambda a: a[:, 3:4],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("name", [*ff._BACKEND])
def test_layouts(device, name, dtype, view):
    if dtype[0] == "c" and name.startswith(("rfft", "ihfft")):
        pytest.skip("it takes reals")
    x, function = (9 * signal(6, 8, dtype="f8" if dtype == "i4" else dtype)).astype(dtype), getattr(ff, name)
    keywords = {"axis": 0} if name[-1] not in "2n" else {"axes": (1, 0)}
    a = VIEWS[view](device.asarray(x))
    if view == "a column":
        keywords = {"axis": 0} if name[-1] not in "2n" else {"axes": (0,)}
    expected, y = function(VIEWS[view](x), **keywords), function(a, **keywords)
    assert type(y) is Array and y.dtype == expected.dtype
    np.testing.assert_allclose(
        y.view(np.ndarray), expected, atol=1e-4 if expected.dtype.char in "fF" else 1e-12
    )
    np.testing.assert_array_equal(device.asarray(x), x)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", [*ff._BACKEND])
def test_padding(device, name, view):
    x, function = signal(6, 8, dtype="f8" if name.startswith(("rfft", "ihfft")) else "c16"), getattr(ff, name)
    for n in (3, 11):
        keywords = {"n": n, "axis": 0} if name[-1] not in "2n" else {"s": (n,), "axes": (0,)}
        expected, y = function(VIEWS[view](x), **keywords), function(VIEWS[view](device.asarray(x)), **keywords)
        assert type(y) is Array and y.dtype == expected.dtype
        np.testing.assert_allclose(y.view(np.ndarray), expected, atol=1e-12)
    assert not ff.dct(device.empty((3, 0)), n=4).any()


def test_outputs(device):
    x = signal(6, 8)
    a = device.asarray(x)
    for out in (device.empty((8, 6)).T, device.empty((7, 9))[1:, 1:], device.empty((6, 16))[:, ::2]):
        assert ff.dctn(a, norm="ortho", out=out) is out
        np.testing.assert_allclose(out.view(np.ndarray), ff.dctn(x, norm="ortho"), atol=1e-13)
    assert ff.dctn(a, overwrite_x=True) is a
    np.testing.assert_allclose(a.view(np.ndarray), ff.dctn(x), atol=1e-12)
    big = device.asarray(signal(12, 8))
    expected = ff.dct(np.array(big[:6]))
    ff.dct(big[:6], out=big[3:9])  # which overlap in part
    np.testing.assert_allclose(big[3:9].view(np.ndarray), expected, atol=1e-13)
    with pytest.raises(ValueError):
        ff.dctn(a, out=device.empty((3, 3)))


@pytest.mark.parametrize("kinds", ["dct2", "rfft"])
def test_plans_multiply(device, kinds):
    x, plain = signal(6, 8), fourfold.plan(kinds, (6, 8))
    table = np.random.default_rng(3).random(plain.output_shape) + 0.5
    lists = [table[:, 0].copy(), table[0].copy()]
    for factors, multiply in ((table, table), (np.multiply.outer(*lists), lists)):
        plan = fourfold.plan(kinds, (6, 8), multiply=multiply)
        for view in (lambda a: a, lambda a: np.asfortranarray(a)):
            y = plan(device.asarray(view(x)))
            np.testing.assert_allclose(y.view(np.ndarray), factors * plain(x), atol=1e-12)
            back = plan.inverse()(y)
            np.testing.assert_allclose(back.view(np.ndarray), x, atol=1e-12)
    assert not _cuda._plans


def test_what_kernels_would_read_or_write_elsewhere_is_refused(device):
    fft, single = fourfold.plan("fft", 6), fourfold.plan("dct2", 6, "f4")
    x, x_single = device.asarray(signal(6)), device.asarray(signal(6, dtype="f4"))
    integers = device.asarray([1] * 6)
    for plan, given in ((fft, x), (single, x), (fourfold.plan("irfft", 10), x), (single, integers)):
        with pytest.raises(TypeError, match="elements of"):
            plan(given)
    assert single(device.asarray(signal(6, dtype="c8"))).dtype == "c8"
    for wrong in (device.empty(6), device.empty(6, "c8")):
        with pytest.raises(TypeError, match="the output has elements of"):
            single(x_single, out=wrong)
    with pytest.raises(ValueError, match="the output has the shape"):
        single(x_single, out=device.empty(5, "f4"))
    with pytest.raises(TypeError, match="the output is a ndarray"):
        ff.dct(x, out=np.empty(6))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_field_of_a_density(device, dtype):
    density = signal(8, 12, dtype=dtype)
    expected = electrostatics.poisson_field(density, ((0, 0), (16, 12)), potential=True)
    found = electrostatics.poisson_field(device.asarray(density), ((0, 0), (16, 12)), potential=True)
    for map, wanted in zip(found, expected, strict=True):
        assert type(map) is Array and map.dtype == dtype
        np.testing.assert_array_equal(map.view(np.ndarray), wanted)


@pytest.mark.parametrize("multiply", [None, np.full((8, 6), 2.0)])
@pytest.mark.parametrize("strides", [None, ((6, 1), (1, 8))])
def test_a_plan_for_a_device_is_made_at_once(device, multiply, strides):
    plan = fourfold.plan("dct2", (8, 6), "f4", multiply=multiply, strides=strides, device="cuda:0")
    before, x = Plan.made, signal(8, 6, dtype="f4")
    out = device.empty((8, 6), "f4") if strides is None else device.empty((6, 8), "f4").T
    assert plan(device.asarray(x), out=out) is out and Plan.made == before
    expected = ff.dctn(x) * (1 if multiply is None else 2)
    np.testing.assert_allclose(out.view(np.ndarray), expected, rtol=1e-5, atol=1e-4)
    assert plan.device == "cuda:0" and plan.inverse().device == "cuda:0"
    with pytest.raises(ValueError, match="for cuda:0, and the array is on the CPU"):
        plan(x)
    elsewhere = fourfold.plan("dct2", (8, 6), "f4", device=1)
    with pytest.raises(ValueError, match="for cuda:1, and the array is on cuda:0"):
        elsewhere(device.asarray(x))
    assert elsewhere != plan and fourfold.plan("dct2", (8, 6)).device is None


def test_half_precision_is_planned_by_name(device):
    plan = fourfold.plan("dct2", (8, 6), "float16", norm="ortho", device="cuda:0")
    assert plan.problem == "dct2 f16 8x6 ortho" and plan.input_dtype == plan.output_dtype == np.float16
    assert "axis 1: dct2 6" in plan.recipe and pickle.loads(pickle.dumps(plan)) == plan
    x = device.asarray(signal(8, 6, dtype="f2"))
    y = plan(x)
    assert y.dtype == np.float16
    np.testing.assert_allclose(y.view(np.ndarray), ff.dctn(np.float32(x), norm="ortho"), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(plan.inverse()(y).view(np.ndarray), x.view(np.ndarray), rtol=5e-3, atol=5e-3)
    # Functions compute such arrays in float32.
    assert ff.dctn(x).dtype == np.float32
    with pytest.raises(TypeError, match="elements of float32, expected float16"):
        plan(x.astype("f4"))
    for anywhere in (fourfold.plan("dct2", (8, 6), "f16"), fourfold.plan("dct2 bf16 8x6")):
        with pytest.raises(RuntimeError, match="float16 are for CUDA devices: the CPU computes float32 and float64"):
            anywhere(np.ones((8, 6), "f2"))
    with pytest.raises(TypeError, match="there is no complex bfloat16"):
        fourfold.plan("rfft", 8, "bfloat16", device=0)


@pytest.mark.parametrize("given", ["cpu", "cuda:", "cuda:x", "cuda:-1", -1, 1.5])
def test_devices_that_there_are_not(given):
    with pytest.raises((ValueError, TypeError)):
        fourfold.plan("dct2", (8, 6), device=given)


def test_jpeg_files_from_and_to_a_device(device):
    image = (signal(9, 14) * 40 + 128).clip(0, 255).astype("u1")
    file = jpeg.encode(image, 95)
    assert jpeg.encode(device.asarray(image), 95) == file
    for place, number in (("cuda:1", 1), (0, 0)):
        found = jpeg.decode(file, device=place)
        assert type(found) is Array and device.used.pop() == number
        np.testing.assert_array_equal(found.view(np.ndarray), jpeg.decode(file))
    with pytest.raises(ValueError, match="unknown device"):
        jpeg.decode(file, device="cpu")


def test_tensors(device, monkeypatch):
    torch = pytest.importorskip("torch")
    for name, value in (("device", lambda x: 0), ("guard", lambda x: Device()), ("stream", lambda x: 7)):
        monkeypatch.setattr(_cuda._Torch, name, staticmethod(value))
    for dtype in (torch.float32, torch.complex128):
        for view in (lambda a: a, lambda a: a.T, lambda a: a[1:, 1:], lambda a: a[::2]):
            x = view(torch.randn(6, 8, dtype=dtype))
            y = torch.empty(x.shape, dtype=dtype)
            _cuda.fill(x, Spec(("dct2", "dst1"), (0, 1)), y)
            expected = ff.transform(x.contiguous().numpy(), ("dct2", "dst1"))
            np.testing.assert_allclose(y.numpy(), expected, rtol=1e-4, atol=1e-4)
