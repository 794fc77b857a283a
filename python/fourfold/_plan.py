"""Plans: problems with their tables."""

import operator

import numpy as np

from . import _fourfold
from ._arguments import norm_name, real_array, shape_and_axes, worker_count
from ._libraries import library_of
from ._numpy import execute, text
from ._spec import Spec, parsed

_TYPES = {
    "float32": "f32",
    "complex64": "f32",
    "float64": "f64",
    "complex128": "f64",
    "f32": "f32",
    "f64": "f64",
    "float16": "f16",
    "f16": "f16",
    "bfloat16": "bf16",
    "bf16": "bf16",
}

#: The types of real elements by their names in problems.
_REALS = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


def _precision(dtype):
    name = dtype if isinstance(dtype, str) and dtype in _TYPES else np.dtype(dtype).name
    if name not in _TYPES:
        expected = "float32, float64, complex64, complex128, or on GPUs float16 or bfloat16"
        raise TypeError(f"plans have {expected}, not {name}")
    return _TYPES[name]


def _factors(multiply):
    """Copies of the factors: an array, or a tuple of lists, one for each axis. Nothing writes to them, since
    the plan has computed tables from them."""
    if multiply is None:
        return None
    if isinstance(multiply, (tuple, list)) and all(np.ndim(one) == 1 for one in multiply):
        return tuple(_factors(np.asarray(one)) for one in multiply)
    copy = real_array(multiply, np.float64).copy()
    copy.flags.writeable = False
    return copy


def device_number(device):
    """The number of a CUDA device: 0, "cuda:0", or an object of PyTorch or CuPy."""
    if isinstance(device, str):
        kind, _, number = device.partition(":")
        if kind != "cuda" or not (number.isdigit() or device == "cuda"):
            raise ValueError(f'unknown device {device!r}: expected a number or "cuda:0"')
        return int(number or 0)
    if getattr(device, "type", "cuda") != "cuda":
        raise ValueError(f"expected a CUDA device, not {device}")
    number = getattr(device, "index", None) if hasattr(device, "type") else getattr(device, "id", device)
    number = operator.index(number or 0)
    if number < 0:
        raise ValueError(f"unknown device {number}: expected 0 or more")
    return number


class Plan:
    """A problem with its tables, which runs any number of times, from any thread. See `plan`."""

    __slots__ = ("_plan", "_effort", "_spec", "_multiply", "_first", "_device", "_on_devices")

    def __init__(self, problem, workers=1, effort="estimate", multiply=None, first=False, device=None):
        """A plan of a problem as text. It multiplies the input if `first`, else the output."""
        self._multiply, self._first = _factors(multiply), first
        self._plan = _fourfold.Plan(problem, workers, effort, *self._multiplied())
        self._effort, self._spec = effort, parsed(self._plan.problem)
        shape = self.input_shape if first else self.output_shape
        if isinstance(self._multiply, np.ndarray) and self._multiply.shape != shape:
            raise ValueError(f"the factors have the shape {self._multiply.shape}, expected {shape}")
        self._on_devices = {}
        self._device = None if device is None else device_number(device)
        if device is not None:
            from . import _cuda

            _cuda.prepare(self)

    def _multiplied(self):
        """The factors as lists, whether there is one for each axis, and whether they come first."""
        is_separable = isinstance(self._multiply, tuple)
        is_table = isinstance(self._multiply, np.ndarray)
        return (np.ravel(self._multiply),) if is_table else self._multiply, is_separable, self._first

    def __call__(self, x, out=None, stream=None):
        """Transforms an array of the plan's shape and type.

        Parameters
        ----------
        x : array
            An array of `input_shape`, of NumPy, or on a CUDA device. Real kinds take complex arrays
            too.
        out : array, optional
            The array for the result. It may be `x`, where shapes and types agree.
        stream : optional
            The CUDA stream, as a number or an object of the array's library; the default is the
            library's current one. Arrays on the CPU have none.

        Returns
        -------
        array
            `out`, or a new array in C order.

        Raises
        ------
        ValueError
            If a shape is another one, `out` is read-only, a stream is given for an array on the CPU,
            or the array is not on the plan's device.
        TypeError
            If elements have another type, such as real ones where the plan has complex ones.
        """
        if x.__class__ is np.ndarray and self._device is None and stream is None:
            return execute(self._plan, x, out)
        library = library_of(x)
        return library.run_plan(self, x, out, stream)

    @property
    def problem(self):
        """The problem, in the notation of docs/notation.md."""
        return self._plan.problem

    @property
    def recipe(self):
        """The passes that compute it, as text."""
        return self._plan.recipe

    @property
    def device(self):
        """The CUDA device that it was made for, such as "cuda:0", or `None`."""
        return None if self._device is None else f"cuda:{self._device}"

    def _check_device(self, number, stream=None):
        """An error if the plan was made for a device, and not for this one; `None` is the CPU, which
        has no streams."""
        if self._device not in (None, number):
            place = "the CPU" if number is None else f"cuda:{number}"
            raise ValueError(f"the plan is for {self.device}, and the array is on {place}")
        if number is None and stream is not None:
            raise ValueError("the array is on the CPU, which has no streams: leave out stream")

    @property
    def workers(self):
        """The number of threads."""
        return self._plan.workers

    @property
    def isa(self):
        """The instruction set, such as "avx2"."""
        return self._plan.isa

    @property
    def input_shape(self):
        """The shape of the input."""
        return tuple(self._plan.input_shape)

    @property
    def output_shape(self):
        """The shape of the output."""
        return tuple(self._plan.output_shape)

    @property
    def input_dtype(self):
        """NumPy's type of the input; of "bfloat16", only where another package defines it."""
        return self._dtype(0)

    @property
    def output_dtype(self):
        """NumPy's type of the output."""
        return self._dtype(1)

    def _type_name(self, side):
        """The name of the elements of the input (0) or the output."""
        name = _REALS[self._plan.precision]
        if not self._plan.is_complex[side]:
            return name
        if name not in ("float32", "float64"):
            raise TypeError(f"`{self.problem}` has complex arrays, and there is no complex {name}")
        return {"float32": "complex64", "float64": "complex128"}[name]

    def _dtype(self, side):
        return np.dtype(self._type_name(side))

    @property
    def multiply(self):
        """The factors: an array, a tuple with a list for each axis, or `None`."""
        return self._multiply

    def inverse(self):
        """The plan that undoes this one.

        Raises
        ------
        ValueError
            If a kind is "idxst", which ignores x_0, or a factor is 0.
        """
        factors = self._multiply
        if factors is not None:
            if any(np.any(one == 0) for one in (factors if isinstance(factors, tuple) else (factors,))):
                raise ValueError("the plan has no inverse: it multiplies by 0")
            factors = tuple(1 / one for one in factors) if isinstance(factors, tuple) else 1 / factors
        return self._turned(self._plan.inverse(), factors)

    def adjoint(self):
        """The plan of the conjugate transpose, which gradients need."""
        return self._turned(self._plan.adjoint(), self._multiply)

    def _turned(self, problem, factors):
        """The plan of another problem, which multiplies at the other end."""
        first = factors is not None and not self._first
        return Plan(problem, self.workers, self._effort, factors, first, self._device)

    def __reduce__(self):
        return Plan, (self.problem, self.workers, self._effort, self._multiply, self._first, self._device)

    def _key(self):
        factors = self._multiply if isinstance(self._multiply, tuple) else (self._multiply,)
        return (
            self.problem,
            self.workers,
            self._first,
            self._device,
            [None if one is None else one.tolist() for one in factors],
        )

    def __eq__(self, other):
        return isinstance(other, Plan) and self._key() == other._key()

    def __hash__(self):
        return hash((self.problem, self.workers))

    def __repr__(self):
        factors = self._multiply
        if isinstance(factors, np.ndarray):
            multiply = f", multiply=<array of shape {factors.shape}>"
        elif factors is not None:
            multiply = f", multiply=<lists of {', '.join(str(len(one)) for one in factors)} factors>"
        else:
            multiply = ""
        first = ", first=True" if self._first else ""
        device = "" if self._device is None else f", device={self.device!r}"
        return f"fourfold.Plan({self.problem!r}, workers={self.workers}{multiply}{first}{device})"


def plan(
    kinds,
    shape=None,
    dtype=None,
    *,
    axes=None,
    norm=None,
    orthogonalize=None,
    scale=1.0,
    strides=None,
    multiply=None,
    device=None,
    workers=None,
    effort="estimate",
):
    """Makes a plan, which is then called as often as wanted.

    Parameters
    ----------
    kinds : str or sequence of str
        One kind for all axes, or one for each: "dct1" to "dct4", "dst1" to "dst4", "dht", "idxst",
        "fft", "rfft", and their inverses, such as "idct2". If `shape` is left out, this is a problem
        in the notation of docs/notation.md, such as `"dct2 f64 480x640 ortho"`, and `dtype`, `axes`,
        `norm`, `orthogonalize`, `scale` and `strides` stand in it.
    shape : int or sequence of ints
        The shape of the real array, or of the complex one for "fft".
    dtype : dtype, optional
        float32, float64, or a complex type of the same precision; the default is float64. For arrays on CUDA devices also
        float16, or "bfloat16" for PyTorch: elements have 16 bits, and are computed in float32.
    axes : int or sequence of ints, optional
        The axes to transform; the default is all.
    norm, orthogonalize, workers
        As in `fourfold.fft.dctn`.
    scale : float, optional
        A factor on everything.
    strides : pair of sequences of ints, optional
        The strides of input and output, in elements. The default is C order. The recipe is chosen
        for them; the plan takes arrays of other strides too.
    multiply : array or sequence of lists, optional
        Real factors on the output, which the last pass multiplies by: an array of the output's
        shape, or one list for each axis.
    device : int, str or object of PyTorch or CuPy, optional
        The CUDA device, such as 0 or "cuda:0". Kernels are compiled and tables are copied now, for
        arrays of these strides and of the types `input_dtype` and `output_dtype`, so that the first
        call does neither. The plan then takes arrays on this device only. By default, a plan takes
        arrays of the CPU and of every device.
    effort : {"estimate", "measure"}
        Whether the recipe is estimated, or the fastest of several that are measured.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If the problem is not defined, such as a "dct1" of one point, or the device cannot be used.
    TypeError
        If the type of elements is another one, or a factor is complex.

    Examples
    --------
    >>> import numpy as np, fourfold
    >>> p = fourfold.plan("dct2", (2, 3))
    >>> y = p(np.ones((2, 3)))
    >>> float(y[0, 0])
    24.0
    >>> np.allclose(p.inverse()(y), 1)
    True
    """
    workers = worker_count(workers)
    if shape is None:
        if strides is not None:
            raise ValueError('with a problem as text, its strides are the options "in=" and "out="')
        given = [
            name
            for name, is_usual in {
                "dtype": dtype is None,
                "axes": axes is None,
                "norm": norm is None,
                "orthogonalize": orthogonalize is None,
                "scale": isinstance(scale, (int, float)) and scale == 1,
            }.items()
            if not is_usual
        ]
        if given:
            raise ValueError(f"with a problem as text, {', '.join(given)} must stand in the text, not beside it")
        return Plan(kinds, workers, effort, multiply, device=device)
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    axes = shape_and_axes(np.broadcast_to(0, shape), None, axes)[1]
    kinds = (kinds,) * len(axes) if isinstance(kinds, str) else tuple(kinds)
    spec = Spec(kinds, axes, norm_name(norm), orthogonalize, scale)
    problem = text(spec, shape, _precision(dtype), strides)
    return Plan(problem, workers, effort, multiply, device=device)
