"""fourfold in PyTorch, on CPUs and on CUDA devices.

The functions of `fourfold.fft` and plans take tensors. Unless `out=` is given, the functions go
through the operator `torch.ops.fourfold.transform`, which has a fake kernel, gradients
of any order, and a rule for `vmap`. The gradient of a transform is its adjoint.
"""

from typing import List, Optional

import torch

from . import _numpy
from ._arguments import check_type_and_shape, replaced
from ._spec import Spec

__all__ = ["transform"]

_COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}
_REAL = {real: real for real in _COMPLEX} | {pair: real for real, pair in _COMPLEX.items()}


def as_floating(x):
    """The tensor in floating point, and whether that is a copy."""
    if x.dtype in _REAL:
        return x, False
    if x.dtype.is_complex:
        return x.to(torch.complex64), True
    return x.to(torch.float32 if x.dtype.is_floating_point else torch.float64), True


def is_complex(x):
    """Whether the elements are complex."""
    return x.is_complex()


def as_complex(x):
    """The tensor with complex elements of the same precision."""
    return x.to(_COMPLEX[x.dtype])


def conjugate(x):
    """The complex conjugates."""
    return torch.conj(x)


conjugate_in_place = conjugate


def on_host(x):
    """The tensor in the CPU's memory, as an array of NumPy."""
    return _array(x.cpu())


def fft_module():
    """The library's own module of Fourier transforms, for shifts."""
    return torch.fft


def _output(x, spec, shape=None):
    # Plans for float16 and bfloat16 have real outputs.
    dtype = _REAL.get(x.dtype, x.dtype)
    dtype = _COMPLEX[dtype] if spec.gives_complex(x.is_complex()) else dtype
    return torch.empty(spec.output_shape(shape or x.shape), dtype=dtype, device=x.device)


def _array(x):
    return x.detach().resolve_conj().resolve_neg().numpy()


def _fill(x, spec, workers, y, shape):
    """Transforms a tensor, which zeros fill up to a shape if there is one, to `y`."""
    if x.device.type == "cpu":
        lengths = None if shape is None else [shape[axis] for axis in spec.axes]
        _numpy.run(_array(x), spec, workers, out=y.numpy(), lengths=lengths)
    elif x.device.type == "cuda":
        from . import _cuda

        _cuda.fill(x.detach().resolve_conj().resolve_neg(), spec, y, whole=shape)
    else:
        raise ValueError(f"fourfold transforms tensors on cpu and cuda, not on {x.device}")


def _spec(kinds, axes, norm, orthogonalize, scale, adjoint, length):
    return Spec(tuple(kinds.split(",")), tuple(axes), norm, orthogonalize, scale, adjoint, length)


@torch.library.custom_op("fourfold::transform", mutates_args=())
def _transform(
    x: torch.Tensor,
    kinds: str,
    axes: List[int],
    norm: str,
    orthogonalize: Optional[bool],
    scale: float,
    adjoint: bool,
    length: Optional[int],
    workers: int,
    shape: Optional[List[int]],
) -> torch.Tensor:
    spec = _spec(kinds, axes, norm, orthogonalize, scale, adjoint, length)
    y = _output(x, spec, shape)
    _fill(x, spec, workers, y, shape)
    return y


@_transform.register_fake
def _(x, kinds, axes, norm, orthogonalize, scale, adjoint, length, workers, shape):
    return _output(x, _spec(kinds, axes, norm, orthogonalize, scale, adjoint, length), shape)


def transform(x, spec, workers=1, shape=None):
    """The operator, with its arguments as a specification. Zeros fill the tensor up to a shape."""
    return _transform(x, ",".join(spec.kinds), list(spec.axes), *spec[2:], workers, shape)


def _setup(ctx, inputs, output):
    x, *rest, workers, shape = inputs
    ctx.spec, ctx.workers = _spec(*rest).transposed(shape or x.shape), workers
    ctx.shape = None if shape is None else x.shape


def _backward(ctx, gradient):
    x = gradient if ctx.spec.takes(gradient.is_complex()) else gradient.real
    y = transform(x, ctx.spec, ctx.workers)
    if ctx.shape is not None:
        y = y[tuple(slice(n) for n in ctx.shape)]
    return (y, *[None] * 9)


_transform.register_autograd(_backward, setup_context=_setup)


@_transform.register_vmap
def _(info, in_dims, x, *rest):
    *rest, workers, shape = rest
    x = x.movedim(in_dims[0], 0)
    shape = None if shape is None else [x.shape[0], *shape]
    return transform(x, _spec(*rest).moved(1), workers, shape), 0


def check_output(x, spec, out, shape):
    """Raises an exception if `out` cannot be the output for `x`, which zeros fill up to a shape."""
    if not isinstance(out, torch.Tensor):
        raise TypeError(f"the output is a {type(out).__name__}, expected a tensor of PyTorch")
    expected = _output(x.to("meta"), spec, tuple(shape))
    check_type_and_shape(out, expected.shape, expected.dtype)
    if out.device != x.device:
        raise ValueError(f"x is on {x.device}, and out on {out.device}")


def run(x, spec, workers=1, overwrite=False, out=None, lengths=None):
    """Transforms a tensor to a new one, or to `out`, through which no gradient goes.

    `lengths` are those along the axes. Elements that the tensor lacks are zeros.
    """
    whole = replaced(x.shape, lengths, spec.axes)
    shape = None if whole == tuple(x.shape) else list(whole)
    if out is None:
        return transform(x, spec, workers, shape)
    check_output(x, spec, out, whole)
    if torch.is_grad_enabled() and (x.requires_grad or out.requires_grad):
        raise RuntimeError("out= has no gradient: leave it out, or use torch.no_grad()")
    _fill(x, spec, workers, out, shape)
    return out


def run_plan(plan, x, out, stream):
    """Runs a plan on a tensor. The result has no gradient."""
    if x.device.type != "cpu":
        from . import _cuda

        return _cuda.run_plan(plan, x, out, stream)
    plan._check_device(None, stream)
    if out is not None and not isinstance(out, torch.Tensor):
        raise TypeError(f"the output is a {type(out).__name__}, expected a tensor of PyTorch")
    y = _numpy.execute(plan._plan, _array(x), None if out is None else out.detach().numpy())
    return torch.from_numpy(y) if out is None else out
