"""fourfold in JAX, on CPUs: a target of `jax.ffi`, with rules for `jit`, `grad`, `jvp` and `vmap`.

The functions of `fourfold.fft` take arrays of JAX. The cotangent of a transform is its transpose.
Batches that are sharded over devices are transformed in `jax.shard_map`.
"""

import ctypes

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _fourfold, _numpy
from ._arguments import replaced

__all__ = ["transform"]

_TARGET = "fourfold_transform"
_PRECISIONS = {"float32": "f32", "float64": "f64", "complex64": "f32", "complex128": "f64"}
_COMPLEX = {"f32": "complex64", "f64": "complex128"}
_REAL = {"f32": "float32", "f64": "float64"}

jax.ffi.register_ffi_target(
    _TARGET,
    jax.ffi.pycapsule(ctypes.CDLL(_fourfold.__file__).fourfold_xla_transform),
    platform="cpu",
)


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


def fft_module():
    """The library's own module of Fourier transforms, for shifts."""
    return jnp.fft


def _output(x, spec):
    """Shape and type of the output."""
    precision = _PRECISIONS[x.dtype.name]
    dtype = (_COMPLEX if spec.gives_complex(is_complex(x)) else _REAL)[precision]
    return spec.output_shape(x.shape), np.dtype(dtype)


def _call(x, *, spec):
    shape, dtype = _output(x, spec)
    if 0 in x.shape:
        return jnp.zeros(shape, dtype)
    problem = _numpy.text(spec, spec.real_shape(x.shape), _PRECISIONS[x.dtype.name])
    return jax.ffi.ffi_call(_TARGET, jax.ShapeDtypeStruct(shape, dtype))(x, problem=problem)


_transform = Primitive("fourfold_transform")
_transform.def_impl(jax.jit(_call, static_argnames="spec"))
_transform.def_abstract_eval(lambda x, *, spec: jax.core.ShapedArray(*_output(x, spec)))
mlir.register_lowering(_transform, mlir.lower_fun(_call, multiple_results=False))


def _transpose(cotangent, x, *, spec):
    """JAX's product of cotangents and tangents does not conjugate, and the adjoint's does."""
    adjoint = spec.transposed(x.aval.shape)
    return [jnp.conj(transform(jnp.conj(cotangent), adjoint))]


ad.deflinear2(_transform, _transpose)


def _batch(arguments, axes, *, spec):
    x = jnp.moveaxis(arguments[0], axes[0], 0)
    return transform(x, spec.moved(1)), 0


batching.primitive_batchers[_transform] = _batch


def transform(x, spec):
    """The primitive: a `Spec` of an array in floating point."""
    return _transform.bind(x, spec=spec)


def run(x, spec, workers=1, overwrite=False, out=None, lengths=None):
    """Transforms an array to a new one: JAX has no `out=`.

    `lengths` are those along the axes, to which the array is padded with zeros.
    """
    if out is not None:
        raise TypeError("arrays of JAX cannot be written: leave out out=")
    whole = replaced(x.shape, lengths, spec.axes)
    if whole != x.shape:
        x = jnp.pad(x, [(0, n - m) for n, m in zip(whole, x.shape)])
    return transform(x, spec)


def run_plan(plan, x, out, stream):
    """Runs a plan on an array, outside of `jit`."""
    if out is not None:
        raise TypeError("arrays of JAX cannot be written: leave out out=")
    plan._check_device(None)
    return jnp.asarray(_numpy.execute(plan._plan, np.asarray(x)))
