"""What to compute, apart from the array: the same for all libraries of arrays."""

from typing import NamedTuple


class Spec(NamedTuple):
    """A transform along some axes. It can be hashed."""

    #: One kind for each axis, such as `("dct2", "dst2")`.
    kinds: tuple
    #: Indices from 0 on, all different.
    axes: tuple
    #: "backward", "ortho" or "forward".
    norm: str = "backward"
    #: SciPy's `orthogonalize`.
    orthogonalize: bool | None = None
    #: A factor on everything.
    scale: float = 1.0
    #: Whether this is the conjugate transpose of the rest.
    adjoint: bool = False
    #: The length of the real side along the axis with a half spectrum, where only the complex side
    #: is known.
    length: int | None = None

    def half_axis(self):
        """The axis along which one side is a half spectrum: the last one with such a kind."""
        halves = [axis for kind, axis in zip(self.kinds, self.axes) if kind in ("rfft", "irfft")]
        return halves[-1] if halves else None

    def complex_sides(self):
        """Whether the input and the output are complex. Real kinds also take complex arrays."""
        kinds = set(self.kinds)
        if "rfft" in kinds:
            sides = (False, True)
        elif "irfft" in kinds:
            sides = (True, False)
        else:
            sides = (bool(kinds & {"fft", "ifft"}),) * 2
        return sides[::-1] if self.adjoint else sides

    def takes(self, is_complex):
        """Whether arrays of such elements can be transformed without a conversion."""
        sides = self.complex_sides()
        return sides[0] == is_complex or sides == (False, False)

    def gives_complex(self, is_complex):
        """Whether the output is complex, if the input is or is not."""
        sides = self.complex_sides()
        return is_complex if sides == (False, False) else sides[1]

    def real_shape(self, shape):
        """The problem's shape, for an input of the given shape."""
        half = self.half_axis()
        if half is None or not self.complex_sides()[0]:
            return tuple(shape)
        return (*shape[:half], self.length, *shape[half + 1 :])

    def output_shape(self, shape):
        """The shape of the output, for an input of the given shape."""
        half, sides = self.half_axis(), self.complex_sides()
        if half is None:
            return tuple(shape)
        length = self.length if sides[0] else shape[half] // 2 + 1
        return (*shape[:half], length, *shape[half + 1 :])

    def transposed(self, shape):
        """The adjoint, which takes outputs of this transform of inputs of the given shape."""
        half = self.half_axis()
        length = self.real_shape(shape)[half] if half is not None else None
        return self._replace(adjoint=not self.adjoint, length=length)

    def moved(self, by):
        """The same transform of arrays with `by` more axes in front."""
        return self._replace(axes=tuple(axis + by for axis in self.axes))


def parsed(problem):
    """The specification of a problem in fourfold's notation, as plans print it."""
    kinds, _, shape, *options = problem.split()
    shape = tuple(int(n) for n in shape.split("x"))
    values = dict(option.partition("=")[::2] for option in options)
    axes = (
        tuple(int(axis) for axis in values["axes"].split(","))
        if "axes" in values
        else tuple(range(len(shape)))
    )
    kinds = tuple(kinds.split(","))
    kinds = kinds * len(axes) if len(kinds) == 1 else kinds
    norm = next((name for name in ("ortho", "forward") if name in values), "backward")
    orthogonalize = {"yes": True, "no": False}.get(values.get("orthogonalize"))
    spec = Spec(kinds, axes, norm, orthogonalize, float(values.get("scale", 1)), "adjoint" in values)
    half = spec.half_axis()
    return spec._replace(length=None if half is None else shape[half])
