"""Transforms of arrays on CUDA devices, of CuPy, PyTorch, and whatever CuPy takes over.

Kernels run on the current stream of the array's library, and scratch comes from its allocator. Arrays
that are neither CuPy's nor PyTorch's come back as arrays of CuPy.
"""

import ctypes
import importlib
import importlib.util
import sys
import threading
from functools import lru_cache
from pathlib import Path

import numpy as np

from . import _fourfold, _numpy
from ._arguments import replaced

_PRECISIONS = {"float32": "f32", "float64": "f64", "complex64": "f32", "complex128": "f64"}
_COMPLEX = {"f32": "complex64", "f64": "complex128"}
_REAL = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}

#: What plans take as it is. Functions compute float16 in float32, as SciPy's do.
_PLANNED = {**_PRECISIONS, "float16": "f16", "bfloat16": "bf16"}


class _CuPy:
    """What is asked of CuPy."""

    @staticmethod
    def pointer(x):
        return x.data.ptr

    @staticmethod
    def strides(x):
        return tuple(stride // x.itemsize for stride in x.strides)

    @staticmethod
    def device(x):
        return x.device.id

    @staticmethod
    def guard(x):
        return x.device

    @staticmethod
    def stream(x):
        return _cupy().cuda.get_current_stream().ptr

    @staticmethod
    def handle(stream):
        return getattr(stream, "ptr", stream)

    @staticmethod
    def scratch(count, x):
        buffer = _cupy().empty(count, "u1")
        return buffer.data.ptr, buffer

    @staticmethod
    def copy(x):
        return x.copy(order="C")

    @staticmethod
    def assign(y, x):
        y[...] = x

    @staticmethod
    def name(x):
        return x.dtype.name

    @staticmethod
    def is_writable(x):
        return hasattr(x, "__cuda_array_interface__")


class _Torch:
    """What is asked of PyTorch."""

    @staticmethod
    def pointer(x):
        return x.data_ptr()

    @staticmethod
    def strides(x):
        return x.stride()

    @staticmethod
    def device(x):
        return x.device.index

    @staticmethod
    def guard(x):
        return sys.modules["torch"].cuda.device(x.device)

    @staticmethod
    def stream(x):
        return sys.modules["torch"].cuda.current_stream(x.device).cuda_stream

    @staticmethod
    def handle(stream):
        return getattr(stream, "cuda_stream", stream)

    @staticmethod
    def scratch(count, x):
        torch = sys.modules["torch"]
        buffer = torch.empty(count, dtype=torch.uint8, device=x.device)
        return buffer.data_ptr(), buffer

    @staticmethod
    def copy(x):
        return x.clone(memory_format=sys.modules["torch"].contiguous_format)

    @staticmethod
    def assign(y, x):
        y[...] = x

    @staticmethod
    def name(x):
        return str(x.dtype).removeprefix("torch.")

    @staticmethod
    def is_writable(x):
        return x.is_cuda and not (x.is_conj() or x.is_neg())


def _cupy():
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise ImportError(
            "arrays on CUDA devices that are not PyTorch's need CuPy, which is not installed"
        ) from error


def _access(x):
    torch = sys.modules.get("torch")
    return _Torch if torch is not None and isinstance(x, torch.Tensor) else _CuPy


def as_array(x):
    """The array as one of CuPy, in the same memory."""
    return _cupy().asarray(x) if hasattr(x, "__cuda_array_interface__") else _cupy().from_dlpack(x)


def as_floating(x):
    """The array as one of CuPy in floating point, and whether that is a copy."""
    array = as_array(x)
    if array.dtype.name in _PRECISIONS:
        return array, False
    return array.astype(np.float32 if array.dtype.char == "e" else np.float64), True


is_complex = _numpy.is_complex
as_complex = _numpy.as_complex


def conjugate(x):
    """The complex conjugates, in a new array."""
    return x.conj()


def conjugate_in_place(x):
    """The complex conjugates, in the same array, which is new."""
    return _cupy().conjugate(x, out=x)


def on_host(x):
    """The array in the CPU's memory, as one of NumPy."""
    return _cupy().asnumpy(as_array(x))


def on_device(x, number, device):
    """A copy of an array of NumPy on a device: of PyTorch if `device` is one of its, else of CuPy."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(device, torch.device):
        return torch.from_numpy(x).to(device)
    with _cupy().cuda.Device(number):
        return _cupy().asarray(x)


def fft_module():
    """The library's own module of Fourier transforms, for shifts."""
    return _cupy().fft


#: Plans by what `_planned` gets.
_plans = {}
_making = threading.Lock()
_MOST_PLANS = 256


@lru_cache
def _find_nvrtc():
    """Loads the NVRTC that packages of NVIDIA brought, such as PyTorch's, if the system has none.

    The extension module then finds it by its name, since it is loaded already.
    """
    for name in ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    spec = importlib.util.find_spec("nvidia")
    places = [Path(place) for place in (spec.submodule_search_locations if spec else [])]
    for name in ("libnvrtc-builtins.so.1[23]*", "libnvrtc.so.1[23]"):
        for path in [path for place in places for path in place.glob(f"*/lib/{name}")]:
            try:
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            except OSError:
                continue


def _planned(key, plan=None):
    """The kernels for a specification, a real shape, a type, both sides' strides, a device, and the
    shape of an input that zeros fill up, or `None`.

    A plan that multiplies keeps them itself: others have other factors.
    """
    kept = _plans if plan is None else plan._on_devices
    made = kept.get(key)
    if made is None:
        _find_nvrtc()
        spec, shape, name, inner, outer, device, padded = key
        strides = [list(inner), list(outer)]
        problem = _numpy.text(spec, shape, _PLANNED[name], strides)
        multiplied = () if plan is None else plan._multiplied()
        made = _fourfold.CudaPlan(problem, device, name.startswith("complex"), *multiplied, shape=padded)
        with _making:
            while len(kept) >= _MOST_PLANS:
                del kept[next(iter(kept))]
            kept[key] = made
    return made


def _owner(plan):
    """The plan, if it keeps its kernels itself."""
    return None if plan.multiply is None else plan


def prepare(plan):
    """Makes what a plan needs on its device, for arrays of its own strides."""
    shape, strides = plan._spec.real_shape(plan.input_shape), map(tuple, plan._plan.strides)
    plan._type_name(1)
    _planned((plan._spec, shape, plan._type_name(0), *strides, plan._device, None), _owner(plan))


def _span(x, strides, address):
    """The lowest address of an array's elements, and the one behind the highest."""
    extents = [(n - 1) * stride for n, stride in zip(x.shape, strides)]
    low = sum(extent for extent in extents if extent < 0)
    high = sum(extent for extent in extents if extent > 0)
    return address + low * x.itemsize, address + (high + 1) * x.itemsize


#: Kernels read groups of so many bytes.
_ALIGNMENT = 16


def _overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


def fill(x, spec, y, stream=None, plan=None, whole=None):
    """Transforms an array to `y`, on the current stream of its library or on a given one.

    `plan` is given where it multiplies, and `whole` is the shape to which zeros fill up the array.
    """
    whole = tuple(x.shape if whole is None else whole)
    if 0 in y.shape:
        return
    access = _access(x)
    if 0 in x.shape:
        return access.assign(y, 0)
    inner, outer, name = access.strides(x), access.strides(y), access.name(x)
    spans = [_span(x, inner, access.pointer(x)), _span(y, outer, access.pointer(y))]
    in_place = spans[0] == spans[1] and inner == outer and name == access.name(y)
    if spans[0][0] % _ALIGNMENT or (_overlap(*spans) and not in_place):
        return fill(access.copy(x), spec, y, stream, plan, whole)
    if spans[1][0] % _ALIGNMENT:
        z = access.copy(y)
        fill(x, spec, z, stream, plan, whole)
        return access.assign(y, z)
    with access.guard(x):
        padded = None if whole == tuple(x.shape) else tuple(x.shape)
        key = (spec, spec.real_shape(whole), name, tuple(inner), tuple(outer), access.device(x), padded)
        kernels = _planned(key, plan)
        bytes_ = kernels.scratch_bytes
        # The allocator's memory may be used again as soon as the stream has come so far.
        address, buffer = access.scratch(bytes_, x) if bytes_ else (0, None)
        handle = access.stream(x) if stream is None else access.handle(stream)
        kernels.execute(spans[0][0], spans[1][0], handle, address)
        del buffer


def _output_name(x, spec):
    """The type of the elements of the output."""
    name = _access(x).name(x)
    return (_COMPLEX if spec.gives_complex(name.startswith("c")) else _REAL)[_PLANNED[name]]


def check_output(x, spec, out, shape):
    """Raises an exception if `out` cannot be the output for `x`, which zeros fill up to a shape."""
    access = _access(x)
    if _access(out) is not access or not access.is_writable(out):
        expected = "expected an array of the input's library on its device"
        raise TypeError(f"the output is a {type(out).__name__}, {expected}")
    if access.device(x) != access.device(out):
        raise ValueError(f"x is on cuda:{access.device(x)}, and out on cuda:{access.device(out)}")
    shape, name = spec.output_shape(tuple(shape)), _output_name(x, spec)
    if access.name(out) != name:
        raise TypeError(f"the output has elements of {access.name(out)}, expected {name}")
    if tuple(out.shape) != shape:
        raise ValueError(f"the output has the shape {tuple(out.shape)}, expected {shape}")


def check_input(plan, name, shape):
    """Raises an exception if a plan does not take an array of a type and a shape: kernels would read
    beyond its memory."""
    wanted = plan._type_name(0)
    plan._type_name(1)
    is_real = plan._spec.complex_sides() == (False, False)
    both_parts = _COMPLEX.get(_PLANNED[wanted]) if is_real else wanted
    if name not in (wanted, both_parts):
        raise TypeError(f"the input has elements of {name}, expected {wanted}")
    if tuple(shape) != plan.input_shape:
        raise ValueError(f"the input has the shape {tuple(shape)}, expected {plan.input_shape}")


def run(x, spec, workers=1, overwrite=False, out=None, lengths=None, stream=None, plan=None):
    """Transforms an array of CuPy to `out`, over itself if it may, or to a new array.

    `lengths` are those along the axes. Elements that the array lacks are zeros.
    """
    whole = replaced(x.shape, lengths, spec.axes)
    if out is None:
        shape, dtype = spec.output_shape(whole), np.dtype(_output_name(x, spec))
        with x.device:
            out = x if overwrite and dtype == x.dtype and shape == x.shape else _cupy().empty(shape, dtype)
    else:
        check_output(x, spec, out, whole)
    fill(x, spec, out, stream, plan, whole)
    return out


def run_plan(plan, x, out, stream):
    """Runs a plan on an array or a tensor on a CUDA device."""
    spec, owner = plan._spec, _owner(plan)
    if _access(x) is _Torch:
        plan._check_device(_Torch.device(x))
        check_input(plan, _Torch.name(x), x.shape)
        from . import torch

        if out is None:
            out = torch._output(x, spec)
        else:
            check_output(x, spec, out, x.shape)
        fill(x.detach().resolve_conj().resolve_neg(), spec, out, stream, owner)
        return out
    x = as_array(x)
    plan._check_device(_CuPy.device(x))
    check_input(plan, x.dtype.name, x.shape)
    return run(x, spec, out=out, stream=stream, plan=owner)
