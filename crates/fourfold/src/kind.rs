//! The kinds of transform, and the few fixed questions each answers.

use crate::Norm;

/// A kind of transform, by the name its user knows. `Idct2` and the like are the inverse kind with its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Dct1,
    Dct2,
    Dct3,
    Dct4,
    Dst1,
    Dst2,
    Dst3,
    Dst4,
    Dht,
    Idxst,
    Fft,
    Rfft,
    Idct1,
    Idct2,
    Idct3,
    Idct4,
    Idst1,
    Idst2,
    Idst3,
    Idst4,
    Idht,
    Ifft,
    Irfft,
}

/// An unscaled sum along one axis: what an engine implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sum {
    /// DCT-I … DCT-IV, DST-I … DST-IV, DHT, IDXST as defined in [`Kind`].
    Dct1,
    Dct2,
    Dct3,
    Dct4,
    Dst1,
    Dst2,
    Dst3,
    Dst4,
    Dht,
    Idxst,
    /// y_0 = 0, y_n = Σ_k x_k sin(π n (2k+1)/(2N)).
    IdxstAdjoint,
    /// Complex: y_k = Σ x_n exp(−2πi n k/N).
    Forward,
    /// Complex: y_n = Σ x_k exp(+2πi n k/N).
    Backward,
    /// Real to half spectrum: y_k = Σ x_n exp(−2πi n k/N), k = 0 … ⌊N/2⌋.
    RealToHalf,
    /// Half spectrum to real: the backward sum of the Hermitian extension; imaginary parts of y_0 and y_{N/2} are ignored.
    HalfToReal,
}

impl Kind {
    /// The scale of the kind under `norm` for logical length `n`.
    pub fn scale(self, _n: usize, _norm: Norm) -> f64 {
        todo!()
    }
}
