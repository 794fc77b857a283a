//! The kinds of transform. One table holds the properties in which they differ.

use crate::problem::element::Domain;
use crate::problem::norm::{EndWeights, Norm};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::fmt;

/// A kind of transform, by the name that users know.
///
/// Input x_n and output y_k have N elements, n, k = 0 … N−1, unless the table says otherwise. These
/// are SciPy's definitions. L is the logical length: a forward sum followed by its inverse sum
/// multiplies by L.
///
/// | kind | y_k | inverse sum | L |
/// |---|---|---|---|
/// | `dct1` | x_0 + (−1)^k x_{N−1} + 2 Σ_{n=1}^{N−2} x_n cos(π k n/(N−1)), N ≥ 2 | DCT-I | 2(N−1) |
/// | `dct2` | 2 Σ x_n cos(π k (2n+1)/(2N)) | DCT-III | 2N |
/// | `dct3` | x_0 + 2 Σ_{n≥1} x_n cos(π (2k+1) n/(2N)) | DCT-II | 2N |
/// | `dct4` | 2 Σ x_n cos(π (2k+1)(2n+1)/(4N)) | DCT-IV | 2N |
/// | `dst1` | 2 Σ x_n sin(π (k+1)(n+1)/(N+1)) | DST-I | 2(N+1) |
/// | `dst2` | 2 Σ x_n sin(π (k+1)(2n+1)/(2N)) | DST-III | 2N |
/// | `dst3` | (−1)^k x_{N−1} + 2 Σ_{n≤N−2} x_n sin(π (2k+1)(n+1)/(2N)) | DST-II | 2N |
/// | `dst4` | 2 Σ x_n sin(π (2k+1)(2n+1)/(4N)) | DST-IV | 2N |
/// | `dht` | Σ x_n (cos + sin)(2π n k/N); separable over axes, as in FFTW and ducc | DHT | N |
/// | `idxst` | Σ_{n≥1} x_n sin(π n (2k+1)/(2N)); x_0 is ignored | none | – |
/// | `fft` | Σ x_n exp(−2πi n k/N), complex | Σ x_k exp(+2πi n k/N) | N |
/// | `rfft` | as `fft` of real x, k = 0 … ⌊N/2⌋ | as `ifft` of the Hermitian extension | N |
///
/// The inverse kinds, such as `idct2`, are the inverse sum with its scale, which is 1/L under
/// [`Norm::Backward`]. So `idct2` undoes `dct2`. Under the same norm and the same `orthogonalize`,
/// the [inverse](Kind::inverse) of a kind undoes it.
///
/// Real kinds transform the real and the imaginary parts of complex data separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// DCT-I, FFTW's `REDFT00`.
    Dct1,
    /// DCT-II, often called "the DCT", FFTW's `REDFT10`.
    Dct2,
    /// DCT-III, FFTW's `REDFT01`.
    Dct3,
    /// DCT-IV, FFTW's `REDFT11`.
    Dct4,
    /// DST-I, FFTW's `RODFT00`.
    Dst1,
    /// DST-II, FFTW's `RODFT10`.
    Dst2,
    /// DST-III, FFTW's `RODFT01`.
    Dst3,
    /// DST-IV, FFTW's `RODFT11`.
    Dst4,
    /// Discrete Hartley transform.
    Dht,
    /// A sine sum. Together with [`Kind::Dct3`] along the other axes, it evaluates the gradient of
    /// a cosine series.
    Idxst,
    /// Complex FFT.
    Fft,
    /// FFT of real data, to a half spectrum.
    Rfft,
    /// Undoes [`Kind::Dct1`].
    Idct1,
    /// Undoes [`Kind::Dct2`].
    Idct2,
    /// Undoes [`Kind::Dct3`].
    Idct3,
    /// Undoes [`Kind::Dct4`].
    Idct4,
    /// Undoes [`Kind::Dst1`].
    Idst1,
    /// Undoes [`Kind::Dst2`].
    Idst2,
    /// Undoes [`Kind::Dst3`].
    Idst3,
    /// Undoes [`Kind::Dst4`].
    Idst4,
    /// Undoes [`Kind::Dht`].
    Idht,
    /// Undoes [`Kind::Fft`].
    Ifft,
    /// Undoes [`Kind::Rfft`].
    Irfft,
}

/// An unscaled sum along one axis. Engines implement these. [`Kind`] has the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transform1d {
    /// DCT-I, as defined in [`Kind`].
    Dct1,
    /// DCT-II.
    Dct2,
    /// DCT-III.
    Dct3,
    /// DCT-IV.
    Dct4,
    /// DST-I.
    Dst1,
    /// DST-II.
    Dst2,
    /// DST-III.
    Dst3,
    /// DST-IV.
    Dst4,
    /// Discrete Hartley transform.
    Dht,
    /// IDXST.
    Idxst,
    /// y_0 = 0, y_n = Σ_k x_k sin(π n (2k+1)/(2N)).
    IdxstAdjoint,
    /// Complex: y_k = Σ x_n exp(−2πi n k/N).
    Forward,
    /// Complex: y_n = Σ x_k exp(+2πi n k/N).
    Backward,
    /// Real to half spectrum: y_k = Σ x_n exp(−2πi n k/N), k = 0 … ⌊N/2⌋.
    R2C,
    /// Half spectrum to real: the backward sum of the Hermitian extension. The imaginary parts of
    /// x_0 and x_{N/2} are ignored.
    C2R,
}

/// The properties in which kinds differ.
struct KindFacts {
    kind: Kind,
    name: &'static str,
    aliases: &'static [&'static str],
    transform: Transform1d,
    /// Whether the norm treats the kind as an inverse.
    is_inverse: bool,
    inverse: Option<Kind>,
}

const fn forward(
    kind: Kind,
    name: &'static str,
    aliases: &'static [&'static str],
    transform: Transform1d,
    inverse: Kind,
) -> KindFacts {
    KindFacts { kind, name, aliases, transform, is_inverse: false, inverse: Some(inverse) }
}

const fn backward(
    kind: Kind,
    name: &'static str,
    aliases: &'static [&'static str],
    transform: Transform1d,
    inverse: Kind,
) -> KindFacts {
    KindFacts { kind, name, aliases, transform, is_inverse: true, inverse: Some(inverse) }
}

/// The properties of each kind, in the order of [`Kind`].
const TABLE: [KindFacts; 23] = [
    forward(Kind::Dct1, "dct1", &["redft00", "dct-i"], Transform1d::Dct1, Kind::Idct1),
    forward(Kind::Dct2, "dct2", &["dct", "dctn", "redft10", "dct-ii"], Transform1d::Dct2, Kind::Idct2),
    forward(Kind::Dct3, "dct3", &["redft01", "dct-iii"], Transform1d::Dct3, Kind::Idct3),
    forward(Kind::Dct4, "dct4", &["redft11", "dct-iv"], Transform1d::Dct4, Kind::Idct4),
    forward(Kind::Dst1, "dst1", &["rodft00", "dst-i"], Transform1d::Dst1, Kind::Idst1),
    forward(Kind::Dst2, "dst2", &["dst", "dstn", "rodft10", "dst-ii"], Transform1d::Dst2, Kind::Idst2),
    forward(Kind::Dst3, "dst3", &["rodft01", "dst-iii"], Transform1d::Dst3, Kind::Idst3),
    forward(Kind::Dst4, "dst4", &["rodft11", "dst-iv"], Transform1d::Dst4, Kind::Idst4),
    forward(Kind::Dht, "dht", &[], Transform1d::Dht, Kind::Idht),
    KindFacts {
        kind: Kind::Idxst,
        name: "idxst",
        aliases: &[],
        transform: Transform1d::Idxst,
        is_inverse: false,
        inverse: None,
    },
    forward(Kind::Fft, "fft", &["fftn"], Transform1d::Forward, Kind::Ifft),
    forward(Kind::Rfft, "rfft", &["rfftn"], Transform1d::R2C, Kind::Irfft),
    backward(Kind::Idct1, "idct1", &["idct-i"], Transform1d::Dct1, Kind::Dct1),
    backward(Kind::Idct2, "idct2", &["idct", "idctn", "idct-ii"], Transform1d::Dct3, Kind::Dct2),
    backward(Kind::Idct3, "idct3", &["idct-iii"], Transform1d::Dct2, Kind::Dct3),
    backward(Kind::Idct4, "idct4", &["idct-iv"], Transform1d::Dct4, Kind::Dct4),
    backward(Kind::Idst1, "idst1", &["idst-i"], Transform1d::Dst1, Kind::Dst1),
    backward(Kind::Idst2, "idst2", &["idst", "idstn", "idst-ii"], Transform1d::Dst3, Kind::Dst2),
    backward(Kind::Idst3, "idst3", &["idst-iii"], Transform1d::Dst2, Kind::Dst3),
    backward(Kind::Idst4, "idst4", &["idst-iv"], Transform1d::Dst4, Kind::Dst4),
    backward(Kind::Idht, "idht", &[], Transform1d::Dht, Kind::Dht),
    backward(Kind::Ifft, "ifft", &["ifftn"], Transform1d::Backward, Kind::Fft),
    backward(Kind::Irfft, "irfft", &["irfftn"], Transform1d::C2R, Kind::Rfft),
];

impl Kind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Kind; TABLE.len()] = {
        let mut all = [Kind::Dct1; TABLE.len()];
        let mut i = 0;
        while i < all.len() {
            assert!(TABLE[i].kind as usize == i, "the table is not in the order of the enum");
            all[i] = TABLE[i].kind;
            i += 1;
        }
        all
    };

    fn facts(self) -> &'static KindFacts {
        &TABLE[self as usize]
    }

    /// The kind's name in the notation, such as `dct2`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Other names that the notation understands: SciPy's for its default types, FFTW's, and those
    /// with Roman numerals.
    pub fn aliases(self) -> &'static [&'static str] {
        self.facts().aliases
    }

    /// The unscaled transform that this kind computes along one axis.
    pub fn transform1d(self) -> Transform1d {
        self.facts().transform
    }

    /// The kind that undoes this one under the same norm; `None` for [`Kind::Idxst`], which ignores
    /// x_0.
    pub fn inverse(self) -> Option<Kind> {
        self.facts().inverse
    }

    /// The conjugate transpose of the kind's sum: see [`Transform1d::adjoint`]. Every kind has one,
    /// and the scale of the kind applies to it too.
    pub fn adjoint(self) -> (Transform1d, EndWeights, f64) {
        self.transform1d().adjoint()
    }

    /// The logical length L of [`Kind`]'s table for an axis of `n` elements. Where one side is a
    /// half spectrum, `n` counts the real side.
    pub fn logical_length(self, n: usize) -> usize {
        match self.transform1d() {
            Transform1d::Dct1 => n.saturating_sub(1).saturating_mul(2),
            Transform1d::Dst1 => n.saturating_add(1).saturating_mul(2),
            Transform1d::Dht | Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R => n,
            Transform1d::Dct2 | Transform1d::Dct3 | Transform1d::Dct4 => n.saturating_mul(2),
            Transform1d::Dst2 | Transform1d::Dst3 | Transform1d::Dst4 => n.saturating_mul(2),
            Transform1d::Idxst | Transform1d::IdxstAdjoint => n.saturating_mul(2),
        }
    }

    /// The least length of an axis: 2 for the DCT-I, 1 for the other kinds.
    pub fn min_length(self) -> usize {
        match self.transform1d() {
            Transform1d::Dct1 => 2,
            Transform1d::Dct2 | Transform1d::Dct3 | Transform1d::Dct4 => 1,
            Transform1d::Dst1 | Transform1d::Dst2 | Transform1d::Dst3 | Transform1d::Dst4 => 1,
            Transform1d::Dht | Transform1d::Idxst | Transform1d::IdxstAdjoint => 1,
            Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R => 1,
        }
    }

    /// The domains of input and output of a problem that has only this kind.
    pub fn domains(self) -> (Domain, Domain) {
        let reals = (Domain::Real, Domain::Real);
        match self.transform1d() {
            Transform1d::Forward | Transform1d::Backward => (Domain::Complex, Domain::Complex),
            Transform1d::R2C => (Domain::Real, Domain::Complex),
            Transform1d::C2R => (Domain::Complex, Domain::Real),
            Transform1d::Dct1 | Transform1d::Dct2 | Transform1d::Dct3 | Transform1d::Dct4 => reals,
            Transform1d::Dst1 | Transform1d::Dst2 | Transform1d::Dst3 | Transform1d::Dst4 => reals,
            Transform1d::Dht | Transform1d::Idxst | Transform1d::IdxstAdjoint => reals,
        }
    }

    /// The scale of the kind under `norm` on an axis of `n` elements: 1, 1/√L or 1/L. It is
    /// infinite for a DCT-I of fewer than [two](Kind::min_length) elements, where L is 0.
    pub fn scale(self, n: usize, norm: Norm) -> f64 {
        1.0 / norm.divisor(self.scaled_length(n, norm))
    }

    /// The logical length L if `norm` scales this kind, else 1.
    pub(crate) fn scaled_length(self, n: usize, norm: Norm) -> f64 {
        if norm.scales(self.facts().is_inverse) { self.logical_length(n) as f64 } else { 1.0 }
    }
}

impl Transform1d {
    /// The factors of SciPy's `orthogonalize`: with `norm="ortho"` they make this sum's matrix
    /// orthogonal.
    pub(crate) fn orthogonal_weights(self) -> EndWeights {
        match self {
            Transform1d::Dct1 => EndWeights::ends(SQRT_2, FRAC_1_SQRT_2),
            Transform1d::Dct2 => EndWeights { output_first: FRAC_1_SQRT_2, ..EndWeights::ONE },
            Transform1d::Dct3 => EndWeights { input_first: SQRT_2, ..EndWeights::ONE },
            Transform1d::Dst2 => EndWeights { output_last: FRAC_1_SQRT_2, ..EndWeights::ONE },
            Transform1d::Dst3 => EndWeights { input_last: SQRT_2, ..EndWeights::ONE },
            Transform1d::Dct4 | Transform1d::Dst1 | Transform1d::Dst4 | Transform1d::Dht => EndWeights::ONE,
            Transform1d::Idxst | Transform1d::IdxstAdjoint => EndWeights::ONE,
            Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R => EndWeights::ONE,
        }
    }

    /// The conjugate transpose as (S, E, c): the conjugate transpose of this sum's matrix is c ·
    /// E_out · S · E_in.
    ///
    /// The matrices of the DCT-IV, DST-I, DST-IV and DHT are symmetric. The DCT-I is symmetric, and
    /// the DCT-II and DCT-III (DST-II and DST-III) are each other's transposes, except for the
    /// terms that their sums do not multiply by 2. E corrects these terms.
    ///
    /// For a half spectrum, this is the transpose of the real linear map under ⟨a, b⟩ = Re Σ
    /// conj(a_k) b_k. The inner product counts a term 0 < k < N/2 once, and the backward sum counts
    /// it twice.
    pub fn adjoint(self) -> (Transform1d, EndWeights, f64) {
        match self {
            Transform1d::Dct1 => (Transform1d::Dct1, EndWeights::ends(2.0, 0.5), 1.0),
            Transform1d::Dct2 => (Transform1d::Dct3, EndWeights { input_first: 2.0, ..EndWeights::ONE }, 1.0),
            Transform1d::Dct3 => (Transform1d::Dct2, EndWeights { output_first: 0.5, ..EndWeights::ONE }, 1.0),
            Transform1d::Dst2 => (Transform1d::Dst3, EndWeights { input_last: 2.0, ..EndWeights::ONE }, 1.0),
            Transform1d::Dst3 => (Transform1d::Dst2, EndWeights { output_last: 0.5, ..EndWeights::ONE }, 1.0),
            Transform1d::Dct4 | Transform1d::Dst1 | Transform1d::Dst4 | Transform1d::Dht => {
                (self, EndWeights::ONE, 1.0)
            }
            Transform1d::Idxst => (Transform1d::IdxstAdjoint, EndWeights::ONE, 1.0),
            Transform1d::IdxstAdjoint => (Transform1d::Idxst, EndWeights::ONE, 1.0),
            Transform1d::Forward => (Transform1d::Backward, EndWeights::ONE, 1.0),
            Transform1d::Backward => (Transform1d::Forward, EndWeights::ONE, 1.0),
            Transform1d::R2C => (Transform1d::C2R, EndWeights::ends(2.0, 1.0), 0.5),
            Transform1d::C2R => (Transform1d::R2C, EndWeights::ends(1.0, 0.5), 2.0),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A single kind can be given where a list of kinds is expected. It then applies to all axes.
impl AsRef<[Kind]> for Kind {
    fn as_ref(&self) -> &[Kind] {
        std::slice::from_ref(self)
    }
}

/// Writes the name that recipes use.
impl fmt::Display for Transform1d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transform1d::Dct1 => "dct1",
            Transform1d::Dct2 => "dct2",
            Transform1d::Dct3 => "dct3",
            Transform1d::Dct4 => "dct4",
            Transform1d::Dst1 => "dst1",
            Transform1d::Dst2 => "dst2",
            Transform1d::Dst3 => "dst3",
            Transform1d::Dst4 => "dst4",
            Transform1d::Dht => "dht",
            Transform1d::Idxst => "idxst",
            Transform1d::IdxstAdjoint => "idxst_adjoint",
            Transform1d::Forward => "forward",
            Transform1d::Backward => "backward",
            Transform1d::R2C => "real_to_half",
            Transform1d::C2R => "half_to_real",
        })
    }
}
