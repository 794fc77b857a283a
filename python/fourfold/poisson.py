"""Poisson's equation on a box: -div grad u + c u = f, and implicit steps of the heat equation.

Boundary conditions, positions and eigenvalues are those of docs/poisson.md, which has the table of
the transforms that they mean.
"""

import functools

import numpy as np

from . import _fourfold
from ._arguments import PRECISIONS, array_shape, computed, promoted, real_array, real_type, worker_count
from ._process import PerProcess

__all__ = ["Solver", "solve"]


def _entries(name, values, axes, is_one):
    """One entry for each axis, of a list or of one entry for all."""
    try:
        entries = [values] * axes if is_one(values) else list(values)
    except TypeError:
        raise TypeError(f"{name} is {values!r}: expected one, or a sequence with one for each axis") from None
    if len(entries) != axes:
        expected = "expected one, or one for each axis"
        raise ValueError(f"{name} has {len(entries)} entries for {axes} axes: {expected}")
    return entries


def _ends(boundary):
    """The conditions at both ends of an axis, as the engine reads them."""
    try:
        return boundary if isinstance(boundary, str) else ":".join(boundary)
    except TypeError:
        expected = 'expected a condition, or a pair of them such as ("dirichlet", "neumann")'
        raise TypeError(f"the boundary of an axis is {boundary!r}: {expected}") from None


class Solver:
    """The equation -div grad u + c u = f on a box, solved by fused transforms.

    Parameters
    ----------
    shape : sequence of int
        The number of unknowns along each axis, of which there are 1 to 4.
    boundary : str, or sequence
        "periodic", "dirichlet" or "neumann" for all axes, or an entry for each axis. An entry is a
        condition for both ends, or a pair of conditions: ("dirichlet", "neumann").
    at : {"cells", "nodes"}, or sequence
        Whether unknowns are in the centres of cells or at nodes, for all axes or for each.
    spacing : float, or sequence of float
        The distance of neighbours, for all axes or for each.
    c : float
        The factor of u. Negative ones make a Helmholtz equation.
    eigenvalues : {"stencil", "spectral"}
        The operator: the stencil of second order, or the derivative of the series.
    heat_step : float, optional
        Instead, one implicit step of the heat equation of this time: u + t (-div grad u + c u) = f,
        where f is the u before.
    tolerance : float, optional
        The largest abs(sum(f)) of an equation that constants solve, as a part of sum(abs(f)), both
        with the terms of values at the ends. The default is 1e-8, or 1e-4 in float32.
    dtype : {float64, float32}
        The type that is computed in.
    workers : int, optional
        The number of threads.

    Raises
    ------
    ValueError
        If there is no such equation, or if c cancels an eigenvalue.
    TypeError
        If the type is another one.

    Examples
    --------
    >>> import numpy as np, fourfold.poisson
    >>> solver = fourfold.poisson.Solver((64, 32), ["neumann", ("dirichlet", "neumann")], spacing=0.1)
    >>> u = solver(np.ones((64, 32)), {(1, "low"): 2.5})
    """

    def __init__(
        self,
        shape,
        boundary="neumann",
        *,
        at="cells",
        spacing=1.0,
        c=0.0,
        eigenvalues="stencil",
        heat_step=None,
        tolerance=None,
        dtype=np.float64,
        workers=None,
    ):
        self.shape = array_shape(shape)
        self.dtype = real_type(dtype)
        axes, is_text = len(self.shape), lambda value: isinstance(value, str)
        self._process = PerProcess(
            functools.partial(
                _fourfold.PoissonSolver,
                self.shape,
                [_ends(entry) for entry in _entries("boundary", boundary, axes, is_text)],
                _entries("at", at, axes, is_text),
                _entries("spacing", spacing, axes, lambda value: value is not None and np.ndim(value) == 0),
                c,
                eigenvalues,
                heat_step,
                tolerance,
                PRECISIONS[self.dtype.name],
                worker_count(workers),
            )
        )

    @property
    def kinds(self):
        """The kind of the forward transform along each axis."""
        return tuple(self._process.get().kinds)

    def __call__(self, f, values=None, out=None):
        """Solves the equation.

        Parameters
        ----------
        f : array
            The right-hand side. For a heat step, the u before it.
        values : dict, optional
            What is given at the ends, zeros elsewhere. Keys are pairs of an axis and "low" or
            "high". Values are numbers, or arrays of the shape without that axis: u for Dirichlet's
            condition, the derivative along the outward normal for Neumann's.
        out : ndarray, optional
            The array for u. It may be `f`.

        Returns
        -------
        ndarray
            u. If constants solve the equation with f = 0, its mean is 0.

        Raises
        ------
        ValueError
            If a shape is wrong, if there is no such end, if an end is given twice or has a value that
            is not finite, or if the equation has no solution.
        TypeError
            If numbers are complex.
        """
        f = real_array(f, self.dtype)
        if f.shape != self.shape:
            raise ValueError(f"the right-hand side has the shape {f.shape}, expected {self.shape}")
        ends = [self._end(key, value) for key, value in (values or {}).items()]
        solve = functools.partial(self._process.get().solve, f.reshape(-1), ends)
        inputs = [f, *(given for _, _, given in ends)]
        return computed(out, self.shape, self.dtype, inputs, solve)

    def _end(self, key, value):
        """The axis, whether it is the high end, and what is given there."""
        ends = {(axis, end) for axis in range(-len(self.shape), len(self.shape)) for end in ("low", "high")}
        if not isinstance(key, tuple) or key not in ends:
            expected = f'expected an axis of {len(self.shape)}, and "low" or "high"'
            raise ValueError(f"there is no end {key}: {expected}")
        axis, end = int(key[0]) % len(self.shape), key[1]
        value = real_array(value, self.dtype)
        others = self.shape[:axis] + self.shape[axis + 1 :]
        if value.size != 1 and value.shape != others:
            expected = f"expected {others} or one number"
            raise ValueError(f"the values at {key} have the shape {value.shape}, {expected}")
        return axis, end == "high", value.reshape(-1)


def solve(f, boundary="neumann", values=None, *, out=None, **settings):
    """Solves -div grad u + c u = f once. `Solver` keeps the tables for more right-hand sides.

    Parameters
    ----------
    f : array
        The right-hand side. It is computed in float64, or in float32 if it is of that type.
    boundary, **settings
        Those of `Solver`.
    values, out
        Those of a call of a `Solver`.

    Returns
    -------
    ndarray
        u.

    Examples
    --------
    >>> import numpy as np, fourfold.poisson
    >>> u = fourfold.poisson.solve(np.ones((8, 8)), "dirichlet")
    """
    f = np.asarray(f)
    settings.setdefault("dtype", promoted(f))
    return Solver(f.shape, boundary, **settings)(f, values, out)
