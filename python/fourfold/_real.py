"""The cosine, sine and Hartley transforms of `fourfold.fft`."""

import operator

from ._arguments import cropped, norm_name, one_axis, one_length, shape_and_axes, worker_count
from ._libraries import library_of, untouched
from ._spec import Spec

_KINDS = {name: {t: f"{name}{t}" for t in (1, 2, 3, 4)} for name in ("dct", "dst", "idct", "idst")}


def _kind(name, type):
    kinds = _KINDS[name]
    type = operator.index(type)
    if type not in kinds:
        raise ValueError(f"invalid type {type}: expected 1, 2, 3 or 4")
    return kinds[type]


def _flag(orthogonalize):
    return None if orthogonalize is None else bool(orthogonalize)


def along_one(x, kind, n, axis, norm, overwrite_x, workers, orthogonalize, out):
    """Transforms along one axis."""
    library = library_of(x)
    x, copied = library.as_floating(x)
    norm, workers, axis = norm_name(norm), worker_count(workers), one_axis(x, axis)
    lengths = None if n is None else (one_length(n),)
    if n is not None:
        x = cropped(x, lengths, (axis,))
    elif x.shape[axis] < 1:
        raise ValueError(f"invalid number of data points ({x.shape[axis]}) specified")
    spec = Spec((kind,), (axis,), norm, _flag(orthogonalize))
    return library.run(x, spec, workers, overwrite_x or copied, out, lengths)


def along_several(x, kinds, s, axes, norm, overwrite_x, workers, orthogonalize, out):
    """Transforms along several axes: `kinds` is one kind for all, or one for each."""
    library, given = library_of(x), x
    x, copied = library.as_floating(x)
    lengths, axes = shape_and_axes(x, s, axes)
    norm, workers = norm_name(norm), worker_count(workers)
    kinds = (kinds,) * len(axes) if isinstance(kinds, str) else tuple(kinds)
    if len(kinds) != len(axes):
        raise ValueError(f"{len(kinds)} kinds for {len(axes)} axes: expected one for each")
    if not axes:
        return untouched(given, x, out)
    x = cropped(x, lengths, axes)
    spec = Spec(kinds, axes, norm, _flag(orthogonalize))
    return library.run(x, spec, workers, overwrite_x or copied, out, lengths)


def _one(name):
    def function(
        x,
        type=2,
        n=None,
        axis=-1,
        norm=None,
        overwrite_x=False,
        workers=None,
        orthogonalize=None,
        *,
        out=None,
    ):
        return along_one(x, _kind(name, type), n, axis, norm, overwrite_x, workers, orthogonalize, out)

    return function


def _several(name):
    def function(
        x,
        type=2,
        s=None,
        axes=None,
        norm=None,
        overwrite_x=False,
        workers=None,
        orthogonalize=None,
        *,
        out=None,
    ):
        is_one = not isinstance(type, (tuple, list))
        kinds = _kind(name, type) if is_one else tuple(_kind(name, one) for one in type)
        return along_several(x, kinds, s, axes, norm, overwrite_x, workers, orthogonalize, out)

    def dctn(
        x,
        type=2,
        s=None,
        axes=None,
        norm=None,
        overwrite_x=False,
        workers=None,
        *,
        orthogonalize=None,
        out=None,
    ):
        return function(x, type, s, axes, norm, overwrite_x, workers, orthogonalize, out=out)

    # In SciPy, `orthogonalize` is for keywords only in `dctn`, and has a position in the others.
    return dctn if name == "dct" else function


_PARAMETERS = """\
    x : array_like
        An array of any strides. float16 is computed in float32, integers in float64. The two parts
        of complex elements are transformed separately.
    {types}
    {lengths}
    norm : {{"backward", "ortho", "forward"}}, optional
        With L the product of the axes' logical lengths: `{one}` divides by {scales}.
        The default is "backward".
    overwrite_x : bool, optional
        Whether `x` may be overwritten.
    workers : int, optional
        The number of threads. Negative ones count down from the number of processors.
    orthogonalize : bool, optional
        Whether single terms are rescaled, so that the matrix is orthogonal under "ortho". The
        default is to do so exactly with `norm="ortho"`.
    out : array, optional
        The array for the result, of its shape and type. It may be `x`."""

_DOC = """{summary}

    {formula}

    Parameters
    ----------
{parameters}

    Returns
    -------
    array
        An array of the library of `x`, in its precision.

    Raises
    ------
    ValueError
        If the type, the norm, an axis or a length is not possible, such as 1 point for type 1, or
        `out` has another shape or is read-only.
    TypeError
        If elements are no numbers, or of long double, which is not supported, or `out` is no array of
        the result's type.
    """

_FORMULAS = {
    "dct": """\
1: y_k = x_0 + (-1)^k x_{N-1} + 2 sum_{n=1}^{N-2} x_n cos(pi k n/(N-1)),        L = 2(N-1)
    2: y_k = 2 sum_n x_n cos(pi k (2n+1)/(2N)),                                    L = 2N
    3: y_k = x_0 + 2 sum_{n>=1} x_n cos(pi (2k+1) n/(2N)),                         L = 2N
    4: y_k = 2 sum_n x_n cos(pi (2k+1) (2n+1)/(4N)),                               L = 2N""",
    "dst": """\
1: y_k = 2 sum_n x_n sin(pi (k+1) (n+1)/(N+1)),                                L = 2(N+1)
    2: y_k = 2 sum_n x_n sin(pi (k+1) (2n+1)/(2N)),                                L = 2N
    3: y_k = (-1)^k x_{N-1} + 2 sum_{n<=N-2} x_n sin(pi (2k+1) (n+1)/(2N)),        L = 2N
    4: y_k = 2 sum_n x_n sin(pi (2k+1) (2n+1)/(4N)),                               L = 2N""",
}
_TYPES = """\
type : {1, 2, 3, 4}, optional
        The type; the default is 2."""
_TYPES_ND = """\
type : {1, 2, 3, 4} or tuple, optional
        The type, or one for each axis; the default is 2."""
_LENGTHS = """\
n : int, optional
        The number of points: `x` is cropped, or padded with zeros. The default is all.
    axis : int, optional
        The axis to transform; the default is the last one."""
_LENGTHS_ND = """\
s : int or sequence of ints, optional
        The number of points along each axis: `x` is cropped, or padded with zeros.
    axes : int or sequence of ints, optional
        The axes to transform; the default is all, or the last ones if `s` is given."""
_SCALES = {False: "1, sqrt(L), L", True: "L, sqrt(L), 1"}


def _documented(function, name, base, summary, is_inverse, is_several):
    types, lengths = (_TYPES_ND, _LENGTHS_ND) if is_several else (_TYPES, _LENGTHS)
    parameters = _PARAMETERS.format(types=types, lengths=lengths, one=name, scales=_SCALES[is_inverse])
    formula = _FORMULAS[base]
    if is_inverse:
        formula = f"It undoes `{name[1:]}` of the same type, norm and orthogonalize."
    function.__doc__ = _DOC.format(summary=summary, formula=formula, parameters=parameters)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "fourfold.fft"
    return function


def _family(base, what):
    for is_inverse in (False, True):
        for is_several in (False, True):
            name = ("i" if is_inverse else "") + base + ("n" if is_several else "")
            make = _several if is_several else _one
            where = "along several axes" if is_several else "along one axis"
            summary = f"The {'inverse ' if is_inverse else ''}discrete {what} transform {where}."
            kind = ("i" if is_inverse else "") + base
            yield name, _documented(make(kind), name, base, summary, is_inverse, is_several)


#: `dct`, `idct`, `dctn`, `idctn` and the same of sines, by name.
FUNCTIONS = dict([*_family("dct", "cosine"), *_family("dst", "sine")])


def dht(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, out=None):
    """The discrete Hartley transform along one axis: y_k = sum_n x_n (cos + sin)(2 pi n k/N).

    The parameters are those of `dct`. The logical length L is N.
    """
    return along_one(x, "dht", n, axis, norm, overwrite_x, workers, None, out)


def idht(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, out=None):
    """The inverse of `dht` along one axis. The parameters are those of `dct`."""
    return along_one(x, "idht", n, axis, norm, overwrite_x, workers, None, out)


def idxst(x, n=None, axis=-1, overwrite_x=False, workers=None, *, out=None):
    """The sine sum y_k = sum_{n>=1} x_n sin(pi n (2k+1)/(2N)) along one axis; x_0 is ignored.

    With DCT-III along the other axes, it evaluates the gradient of a cosine series. It has no
    inverse, and so no norm. The other parameters are those of `dct`.
    """
    return along_one(x, "idxst", n, axis, None, overwrite_x, workers, None, out)


def transform(
    x, kinds, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None, out=None
):
    """Transforms with a different kind along each axis, such as `transform(x, ("dct2", "dst3"))`.

    Parameters
    ----------
    x : array_like
        The array.
    kinds : str or sequence of str
        One kind for all axes, or one for each: "dct1" to "dct4", "dst1" to "dst4", "dht", "idxst",
        and their inverses, such as "idct2".

    The other parameters are those of `dctn`.

    Raises
    ------
    ValueError
        If there is no such kind, or the number of kinds is not that of the axes.
    """
    kinds = kinds if isinstance(kinds, str) else tuple(kinds)
    for kind in (kinds,) if isinstance(kinds, str) else kinds:
        if kind not in REAL_KINDS:
            raise ValueError(f"there is no real kind {kind!r}: expected one of {', '.join(REAL_KINDS)}")
    return along_several(x, kinds, s, axes, norm, overwrite_x, workers, orthogonalize, out)


#: The kinds whose input and output are both real.
REAL_KINDS = tuple([kind for kinds in _KINDS.values() for kind in kinds.values()] + ["dht", "idht", "idxst"])
