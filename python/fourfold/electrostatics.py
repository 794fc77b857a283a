"""Charged cells on a grid: density, potential, field, energy and forces, as placers compute them.

Let a be the cosine coefficients of the density on M x N bins. The potential is the sum of
a_uv / k^2 cos cos over u and v, and the field is its negative gradient, with Neumann's boundary
condition. docs/python.md has the scalings.
"""

import functools
import operator
from typing import NamedTuple, Optional

import numpy as np

from . import _fourfold
from ._arguments import PRECISIONS, real_array, real_type, worker_count
from ._libraries import library_of
from ._plan import Plan
from ._process import PerProcess

__all__ = ["Electrostatics", "Maps", "poisson_field"]


class Maps(NamedTuple):
    """Maps of shape (M, N), where axis 0 lies along x."""

    #: The part of each bin that cells cover.
    density: np.ndarray
    #: The field along x and along y.
    field_x: np.ndarray
    field_y: np.ndarray
    #: The potential, and the energy; `None` where they are not asked for.
    potential: Optional[np.ndarray] = None
    energy: Optional[float] = None


def _bins(bins):
    """The numbers of bins along both axes."""
    bins = tuple(operator.index(count) for count in bins)
    if len(bins) != 2 or min(bins) < 2:
        raise ValueError(f"the bins are {bins}: expected two numbers, each at least 2")
    return bins


class Electrostatics:
    """The electrostatic system of a grid.

    Parameters
    ----------
    bins : (int, int)
        The numbers M and N of bins along x and y, each at least 2.
    region : ((float, float), (float, float)), optional
        The lower left and the upper right corner; the default has bins of 1 x 1.
    dtype : {float32, float64}
        The type of positions, sizes and maps.
    scaling : {"dreamplace", "physical"}
        The units. "dreamplace" has a bin's width as the unit of length.
    smoothing : float
        Cells that are smaller than this many bins are widened, with the same charge.
    fixed_density : array of shape (M, N), optional
        A density that is added to that of cells.
    potential : bool
        Whether potential and energy are computed.
    workers : int, optional
        The number of threads.

    Raises
    ------
    ValueError
        If the region has no area, or an argument is not possible.
    TypeError
        If the type is another one, or numbers are complex.
    """

    def __init__(
        self,
        bins,
        region=None,
        dtype=np.float64,
        *,
        scaling="dreamplace",
        smoothing=0.0,
        fixed_density=None,
        potential=True,
        workers=None,
    ):
        self.bins = _bins(bins)
        self.dtype = real_type(dtype)
        low, high = region if region is not None else ((0.0, 0.0), self.bins)
        fixed = None
        if fixed_density is not None:
            # A copy: a process after `fork` makes the system anew.
            fixed = np.array(self._map(fixed_density), np.float64, order="C").ravel()
        self._process = PerProcess(
            functools.partial(
                _fourfold.System,
                self.bins,
                tuple(low),
                tuple(high),
                PRECISIONS[self.dtype.name],
                scaling,
                smoothing,
                fixed,
                potential,
                worker_count(workers),
            )
        )

    @property
    def _system(self):
        return self._process.get()

    def _map(self, values):
        values = real_array(values, self.dtype)
        if values.shape != self.bins:
            raise ValueError(f"a map has the shape {values.shape}, expected {self.bins}")
        return values

    def _lists(self, *lists):
        return [real_array(values, self.dtype).reshape(-1) for values in lists]

    def _maps(self, solved):
        maps, rest = solved
        shaped = [values.reshape(self.bins) for values in maps]
        return Maps(*shaped) if rest is None else Maps(*shaped, rest[0].reshape(self.bins), rest[1])

    def transform(self, density):
        """The maps of a density of shape (M, N)."""
        return self._maps(self._system.transform(self._map(density).reshape(-1)))

    def solve(self, x, y, width, height):
        """The maps of cells with these lower left corners and sizes.

        Raises
        ------
        ValueError
            If a cell lies outside of the region, or lists have different lengths.
        """
        return self._maps(self._system.solve(self._lists(x, y, width, height)))

    def forces(self, x, y, width, height, maps):
        """The force of the field in `maps` on every cell, along x and along y."""
        fields = [self._map(maps.field_x), self._map(maps.field_y)]
        return tuple(self._system.forces(self._lists(x, y, width, height, *fields)))

    def overflow(self, maps, target):
        """The part of the charge that lies above the target density."""
        return self._system.overflow(self._map(maps.density).reshape(-1), target)


@functools.lru_cache(maxsize=8)
def _field_plans(bins, region, precision, scaling, potential, workers):
    """The plans of the coefficients and of each map, in whose passes the scalings are."""
    low, high = region
    steps = _fourfold.poisson_steps(bins, low, high, precision, scaling, potential)
    return [Plan(problem, workers, "estimate", factors, first) for problem, factors, first in steps]


def poisson_field(density, region=None, *, potential=False, scaling="dreamplace", workers=None):
    """The field of a density of shape (M, N): `field_x, field_y`, and the potential if asked for.

    The scalings of the coefficients are part of the transforms' passes, so there are eight passes
    over the array with the potential and six without. Plans are kept for the next call.

    Parameters
    ----------
    density : array or tensor
        On the CPU or on a CUDA device. The maps are of the same library, in the same place. They
        have no gradient.
    region : ((float, float), (float, float)), optional
        The lower left and the upper right corner; the default has bins of 1 x 1.
    potential : bool
        Whether the potential is computed.
    scaling : {"dreamplace", "physical"}
        The units.
    workers : int, optional
        The number of threads.

    Raises
    ------
    ValueError
        If the density has not two axes of at least two bins, or the region has no area.
    TypeError
        If the density is complex.
    """
    library = library_of(density)
    density, _ = library.as_floating(density)
    if library.is_complex(density):
        raise TypeError("expected real numbers, not complex ones")
    bins = _bins(density.shape)
    low, high = region if region is not None else ((0.0, 0.0), bins)
    corners = tuple(map(float, low)), tuple(map(float, high))
    name = getattr(density.dtype, "name", str(density.dtype).removeprefix("torch."))
    precision = PRECISIONS[name]
    forward, *inverses = _field_plans(
        bins, corners, precision, scaling, bool(potential), worker_count(workers)
    )
    coefficients = forward(density)
    return tuple(inverse(coefficients) for inverse in inverses)
