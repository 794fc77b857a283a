"""Writes golden.txt: transforms by SciPy in extended precision, for the tests of every engine.

One case a line: problem | input | output, in C order, complex numbers as re im. Input is of few binary digits, so that it
is exact in f32 as well; output is rounded to f64 once.

Run: pip install numpy scipy && python make_golden.py > golden.txt
"""

import numpy as np
import scipy
import scipy.fft as sf

LONG = np.longdouble
assert np.finfo(LONG).eps < 2e-19, "needs a machine whose long double has 64 bits, such as x86-64"
LENGTHS = [1, 2, 3, 4, 5, 8, 9, 16]
NORMS = ["backward", "ortho", "forward"]
rng = np.random.default_rng(2)


def real(*shape):
    return rng.integers(-64, 65, shape).astype(LONG) / 32


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


def numbers(a):
    parts = np.stack([a.real, a.imag], -1) if np.iscomplexobj(a) else a
    return " ".join(repr(float(x)).removesuffix(".0") for x in parts.ravel())


def case(kinds, shape, options, x, y):
    problem = " ".join([kinds, "f64", "x".join(map(str, shape)), *options])
    print(problem, numbers(np.asarray(x)), numbers(np.asarray(y)), sep=" | ")


def dht(x, axis=-1):
    """sum x_n (cos + sin)(2 pi n k/N): real minus imaginary part of the FFT."""
    spectrum = sf.fft(x, axis=axis)
    return spectrum.real - spectrum.imag


def idxst(x, axis=-1):
    """sum x_n sin(pi n (2k+1)/(2N)), by its formula; the angle is reduced as an integer, for accuracy."""
    n = x.shape[axis]
    turns = np.outer(2 * np.arange(n) + 1, np.arange(n)) % (4 * n)
    pi = LONG("3.14159265358979323846264338327950288")
    matrix = np.sin(pi * turns.astype(LONG) / (2 * n))
    return np.moveaxis(np.tensordot(matrix, x, axes=(1, axis)), 0, axis)


def norm_options(norm):
    return [] if norm == "backward" else [norm]


def trigonometric(family, kind, n):
    """One DCT or DST and its inverse, under each norm, with SciPy's default of orthogonalize and with the other choice."""
    for norm in NORMS:
        for orthogonalize in [None, norm != "ortho"] if kind < 4 else [None]:
            options = norm_options(norm)
            if orthogonalize is not None:
                options.append("orthogonalize=" + ("yes" if orthogonalize else "no"))
            for name in [family, "i" + family]:
                x = real(n)
                y = getattr(sf, name)(x, type=kind, norm=norm, orthogonalize=orthogonalize)
                case(f"{name}{kind}", [n], options, x, y)


def fourier(n):
    for norm in NORMS:
        options = norm_options(norm)
        logical = {"backward": (1, n), "ortho": (np.sqrt(LONG(n)),) * 2, "forward": (n, 1)}[norm]
        x = real(n)
        case("dht", [n], options, x, dht(x) / logical[0])
        case("idht", [n], options, x, dht(x) / logical[1])
        case("rfft", [n], options, x, sf.rfft(x, norm=norm))
        x = cplx(n)
        case("fft", [n], options, x, sf.fft(x, norm=norm))
        case("ifft", [n], options, x, sf.ifft(x, norm=norm))
        x = cplx(n // 2 + 1)
        case("irfft", [n], options, x, sf.irfft(x, n, norm=norm))
    x = real(n)
    case("idxst", [n], [], x, idxst(x))


def many_axes():
    for name in ["dct", "idct", "dst", "idst"]:
        for kind in [1, 2, 3, 4]:
            for norm in NORMS:
                x = real(3, 4)
                y = getattr(sf, name + "n")(x, type=kind, norm=norm)
                case(f"{name}{kind}", x.shape, norm_options(norm), x, y)
    for shape in [(3, 4), (4, 5), (2, 3, 6)]:
        for norm in NORMS:
            options = norm_options(norm)
            x = real(*shape)
            case("rfft", shape, options, x, sf.rfftn(x, norm=norm))
            x = cplx(*shape)
            case("fft", shape, options, x, sf.fftn(x, norm=norm))
            case("ifft", shape, options, x, sf.ifftn(x, norm=norm))
            x = cplx(*shape[:-1], shape[-1] // 2 + 1)
            case("irfft", shape, options, x, sf.irfftn(x, shape, norm=norm))


def mixed():
    x = real(3, 4)
    case("dct2,dst3", x.shape, [], x, sf.dst(sf.dct(x, 2, axis=0), 3, axis=1))
    case("dct4,dht", x.shape, [], x, dht(sf.dct(x, 4, axis=0)))
    case("dht", x.shape, [], x, dht(dht(x, 0), 1))
    case("dct3", x.shape, ["axes=0"], x, sf.dct(x, 3, axis=0))
    case("dst2", x.shape, ["axes=1", "ortho"], x, sf.dst(x, 2, axis=1, norm="ortho"))
    case("dct2,rfft", x.shape, [], x, sf.rfft(sf.dct(x, 2, axis=0), axis=1))
    case("rfft", (4, 3), ["axes=1,0"], x.T, sf.rfft2(x.T, axes=(1, 0)))
    case("idct_idxst", x.shape, [], x, idxst(sf.dct(x, 3, axis=0) / 2, 1))
    case("idxst_idct", x.shape, [], x, idxst(sf.dct(x, 3, axis=1) / 2, 0))
    z = cplx(3, 4)
    case("dct2,fft", z.shape, [], z, sf.fft(sf.dct(z.real, 2, axis=0) + 1j * sf.dct(z.imag, 2, axis=0), axis=1))
    half = cplx(3, 3)
    case("irfft", (3, 4), ["axes=1"], half, sf.irfft(half, 4, axis=1))
    case("ifft,irfft", (3, 4), ["forward"], half, sf.irfftn(half, (3, 4), norm="forward"))
    x = real(2, 3, 4)
    y = sf.dst(sf.dct(x, 2, axis=0, norm="forward"), 2, axis=2, norm="forward")
    case("dct2,dst2", x.shape, ["axes=0,2", "forward"], x, y)
    case("rfft", x.shape, ["axes=0,1"], x, sf.rfft2(x, axes=(0, 1)))


def main():
    print("# problem | input | output, by make_golden.py, SciPy", scipy.__version__)
    for n in LENGTHS:
        for family in ["dct", "dst"]:
            for kind in [1, 2, 3, 4]:
                if (family, kind, n) != ("dct", 1, 1):
                    trigonometric(family, kind, n)
        fourier(n)
    many_axes()
    mixed()


main()
