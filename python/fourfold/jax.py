"""fourfold in JAX, on CPUs and CUDA devices: targets of `jax.ffi`, with rules for `jit`, `grad`, `jvp`
and `vmap`.

The functions of `fourfold.fft` take arrays of JAX. The cotangent of a transform is its transpose.
Batches that are sharded over devices are transformed in `jax.shard_map`.
"""

import ctypes
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _cuda, _fourfold, _numpy
from ._arguments import replaced

__all__ = ["transform"]

_TARGET = "fourfold_transform"
_PRECISIONS = {"float32": "f32", "float64": "f64", "complex64": "f32", "complex128": "f64"}
_COMPLEX = {"f32": "complex64", "f64": "complex128"}
_REAL = {"f32": "float32", "f64": "float64"}

_module = ctypes.CDLL(_fourfold.__file__)
jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(_module.fourfold_xla_transform), platform="cpu")
_on_cuda = jax.ffi.pycapsule(_module.fourfold_xla_transform_cuda)
jax.ffi.register_ffi_target(_TARGET, {"initialize": _on_cuda, "execute": _on_cuda}, platform="CUDA")


def as_floating(x):
    """The array in floating point, and whether that is a copy. Integers become the default type."""
    if x.dtype.name in _PRECISIONS:
        return x, False
    is_half = jnp.issubdtype(x.dtype, jnp.floating)
    return x.astype(np.float32 if is_half else jnp.result_type(float)), True


def is_complex(x):
    """Whether the elements are complex."""
    return x.dtype.kind == "c"


def as_complex(x):
    """The array with complex elements of the same precision."""
    return x.astype(_COMPLEX[_PRECISIONS[x.dtype.name]])


def conjugate(x):
    """The complex conjugates."""
    return jnp.conj(x)


conjugate_in_place = conjugate


def on_host(x):
    """The array in the CPU's memory, as one of NumPy."""
    return np.asarray(x)


def fft_module():
    """The library's own module of Fourier transforms, for shifts."""
    return jnp.fft


def _output(x, spec, shape):
    """Shape and type of the output, for an input that zeros fill up to a shape."""
    precision = _PRECISIONS[x.dtype.name]
    dtype = (_COMPLEX if spec.gives_complex(is_complex(x)) else _REAL)[precision]
    return spec.output_shape(shape), np.dtype(dtype)


def _problem(x, spec, shape, strides=None):
    return _numpy.text(spec, spec.real_shape(shape), _PRECISIONS[x.dtype.name], strides)


def _c_order(shape):
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _call(x, *, spec, shape):
    """The target on CPUs, which reads zeros after the end of the input."""
    output = jax.ShapeDtypeStruct(*_output(x, spec, shape))
    if 0 in x.shape:
        return jnp.zeros(output.shape, output.dtype)
    return jax.ffi.ffi_call(_TARGET, output)(x, problem=_problem(x, spec, shape))


def _call_cuda(x, *, spec, shape, problem, scratch_bytes):
    """The target on CUDA devices. Scratch is another output."""
    outputs = [jax.ShapeDtypeStruct(*_output(x, spec, shape))]
    if scratch_bytes:
        outputs.append(jax.ShapeDtypeStruct((scratch_bytes,), np.dtype("uint8")))
    return jax.ffi.ffi_call(_TARGET, outputs)(x, problem=problem)[0]


def _device():
    """The number of a CUDA device. Executables run on devices that are alike."""
    return jax.local_devices(backend="cuda")[0].local_hardware_id


def _lower_cuda(ctx, x, *, spec, shape):
    """Makes the plan that the executable will run, and keeps it as long."""
    aval = ctx.avals_in[0]
    if 0 in aval.shape:
        return mlir.lower_fun(partial(_call, spec=spec, shape=shape), multiple_results=False)(ctx, x)
    _cuda._find_nvrtc()
    # Of a padded input, the strides are not those of the shape.
    strides = None if shape == aval.shape else [_c_order(aval.shape), _c_order(spec.output_shape(shape))]
    problem = _problem(aval, spec, shape, strides)
    plans = _fourfold.XlaPlans(problem, is_complex(aval), aval.shape, _device())
    ctx.module_context.add_keepalive(plans)
    call = partial(_call_cuda, spec=spec, shape=shape, problem=problem, scratch_bytes=plans.scratch_bytes)
    return mlir.lower_fun(call, multiple_results=False)(ctx, x)


_transform = Primitive("fourfold_transform")
_transform.def_impl(partial(jax.jit, static_argnames=("spec", "shape"))(_transform.bind))
_transform.def_abstract_eval(lambda x, *, spec, shape: jax.core.ShapedArray(*_output(x, spec, shape)))
mlir.register_lowering(_transform, mlir.lower_fun(_call, multiple_results=False))
mlir.register_lowering(_transform, _lower_cuda, platform="cuda")


def _transpose(cotangent, x, *, spec, shape):
    """JAX's product of cotangents and tangents does not conjugate, and the adjoint's does."""
    whole = transform(jnp.conj(cotangent), spec.transposed(shape))
    return [jnp.conj(jax.lax.slice(whole, (0,) * whole.ndim, x.aval.shape))]


ad.deflinear2(_transform, _transpose)


def _batch(arguments, axes, *, spec, shape):
    x = jnp.moveaxis(arguments[0], axes[0], 0)
    return transform(x, spec.moved(1), (x.shape[0], *shape)), 0


batching.primitive_batchers[_transform] = _batch


def transform(x, spec, shape=None):
    """The primitive: a `Spec` of an array in floating point, which zeros fill up to a shape."""
    return _transform.bind(x, spec=spec, shape=tuple(x.shape) if shape is None else shape)


def check_output(x, spec, out, shape):
    """Raises `TypeError`: JAX has no `out=`."""
    raise TypeError("arrays of JAX cannot be written: leave out out=")


def run(x, spec, workers=1, overwrite=False, out=None, lengths=None):
    """Transforms an array to a new one: JAX has no `out=`.

    `lengths` are those along the axes. Elements that the array lacks are zeros.
    """
    if out is not None:
        check_output(x, spec, out, x.shape)
    return transform(x, spec, replaced(x.shape, lengths, spec.axes))


def _number(x):
    """The number of the CUDA device that an array is on; `None` if that is the CPU."""
    device = next(iter(x.devices()))
    return None if device.platform == "cpu" else device.local_hardware_id


def _times(x, factors):
    """The product with the factors of a plan."""
    if factors is None:
        return x
    lists = [factors] if isinstance(factors, np.ndarray) else np.ix_(*factors)
    for one in lists:
        x = x * jnp.asarray(one, _REAL[_PRECISIONS[x.dtype.name]])
    return x


def run_plan(plan, x, out, stream):
    """Runs a plan on an array, outside of `jit`."""
    if out is not None:
        check_output(x, plan._spec, out, x.shape)
    number = _number(x)
    plan._check_device(number, stream)
    if number is None:
        return jnp.asarray(_numpy.execute(plan._plan, np.asarray(x)))
    _cuda.check_input(plan, x.dtype.name, x.shape)
    factors, first = plan._multiply, plan._first
    y = transform(_times(x, factors if first else None), plan._spec)
    return _times(y, None if first else factors)
