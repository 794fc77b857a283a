"""The transforms of DREAMPlace, at its scale, on arrays of NumPy and tensors of PyTorch.

With M x N the last two axes, and the kinds of fourfold:

- `dct2` is DCT-II along both axes, times 1/(M N);
- `idct2` is DCT-III along both axes;
- `idct_idxst` is DCT-III along M and IDXST along N, times 2;
- `idxst_idct` is IDXST along M and DCT-III along N, times 2;
- `dct`, `idct` and `idxst` act along the last axis: DCT-II times 1/N, DCT-III, and IDXST.

The scales of pairs are those of its `dct2_fft2`, and those along one axis are those of its `dct`.

The modules `DCT2`, `IDCT2`, `IDCT_IDXST`, `IDXST_IDCT` stand for DREAMPlace's of these names. They take
`expkM` and `expkN`, which fourfold does not need.
"""

from . import electrostatics
from ._arguments import worker_count
from ._libraries import library_of
from ._spec import Spec

__all__ = ["dct", "dct2", "idct", "idct2", "idct_idxst", "idxst", "idxst_idct", "poisson_field"]
_MODULES = {"DCT2": "dct2", "IDCT2": "idct2", "IDCT_IDXST": "idct_idxst", "IDXST_IDCT": "idxst_idct"}
__all__ += _MODULES


def _run(x, kinds, scale, workers):
    library = library_of(x)
    x, copied = library.as_floating(x)
    if x.ndim < len(kinds):
        raise ValueError(f"expected an array of {len(kinds)} or more axes, not {x.ndim}")
    axes = tuple(range(x.ndim - len(kinds), x.ndim))
    spec = Spec(kinds, axes, scale=scale)
    return library.run(x, spec, worker_count(workers), copied)


def _points(x, axes):
    points = 1
    for n in library_of(x).as_floating(x)[0].shape[-axes:]:
        points *= n
    return points or 1


def dct(x, expk=None, *, workers=None):
    """DCT-II along the last axis, divided by its length N: 2/N sum_n x_n cos(pi k (2n+1)/(2N))."""
    return _run(x, ("dct2",), 1 / _points(x, 1), workers)


def idct(x, expk=None, *, workers=None):
    """DCT-III along the last axis. (1/2) `idct` undoes `dct`."""
    return _run(x, ("dct3",), 1.0, workers)


def idxst(x, expk=None, *, workers=None):
    """sum_{n>=1} x_n sin(pi n (2k+1)/(2N)) along the last axis."""
    return _run(x, ("idxst",), 1.0, workers)


def dct2(x, expkM=None, expkN=None, *, workers=None):
    """4/(M N) sum_ij x_ij cos(pi u (2i+1)/(2M)) cos(pi v (2j+1)/(2N)) along the last two axes."""
    return _run(x, ("dct2", "dct2"), 1 / _points(x, 2), workers)


def idct2(x, expkM=None, expkN=None, *, workers=None):
    """DCT-III along the last two axes. (1/4) `idct2` undoes `dct2`."""
    return _run(x, ("dct3", "dct3"), 1.0, workers)


def idct_idxst(x, expkM=None, expkN=None, *, workers=None):
    """2 times DCT-III along the last axis but one, and IDXST along the last one."""
    return _run(x, ("dct3", "idxst"), 2.0, workers)


def idxst_idct(x, expkM=None, expkN=None, *, workers=None):
    """2 times IDXST along the last axis but one, and DCT-III along the last one."""
    return _run(x, ("idxst", "dct3"), 2.0, workers)


def poisson_field(density, region=None, *, potential=False, workers=None):
    """The field of a density of shape (M, N), in one step: `fx, fy`, and `phi` if asked for.

    This is DREAMPlace's `electric_potential` from the density map on: `dct2`, the scalings, and one
    inverse for each map. The scalings are part of the transforms' passes.

    Parameters
    ----------
    density : array or tensor
        On the CPU or on a CUDA device. The maps are of the same library, in the same place. They
        have no gradient.
    region : ((float, float), (float, float)), optional
        The lower left and the upper right corner; the default has bins of 1 x 1.
    potential : bool
        Whether the potential is computed.
    """
    return electrostatics.poisson_field(density, region, potential=potential, workers=workers)


def _module(name, function):
    """A module of PyTorch that calls a function."""
    import torch

    class Module(torch.nn.Module):
        def __init__(self, expkM=None, expkN=None):
            super().__init__()

        def forward(self, x):
            return function(x)

    Module.__name__ = Module.__qualname__ = name
    Module.__doc__ = f"`fourfold.dreamplace.{function.__name__}` as a module. expkM and expkN are ignored."
    return Module


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = globals()[name] = _module(name, globals()[_MODULES[name]])
    return module
