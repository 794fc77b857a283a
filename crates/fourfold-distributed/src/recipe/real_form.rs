//! How transforms of one long signal of reals reduce to the DFT of a matrix.

use fourfold::engine::{AxisTransform, Transform1d};

/// The form of a transform that is real on at least one side. [`real_signal`](crate::recipe::real_signal) derives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RealForm {
    /// A DFT of reals, whose terms are multiplied to pairs of the result, or the inverse steps.
    TermPairs {
        /// Whether pairs of the input are multiplied to terms.
        inverse: bool,
        /// Whether the reals have the even-odd order.
        even_odd: bool,
        /// The index of term k.
        map: TermMap,
    },
    /// A complex DFT of half the length, of pairs of elements from both ends, to pairs of terms from both ends.
    Ends {
        /// Whether the DFT is backward.
        backward: bool,
    },
    /// A DFT of twice the length of reals that are symmetric, or antisymmetric if `odd`. Half of the columns and
    /// half of the rows are computed.
    Extended {
        /// Whether the reals are antisymmetric.
        odd: bool,
    },
    /// A DFT of an odd number of reals whose signs alternate, to pairs of terms about the middle one.
    Centered {
        /// Whether these are sines.
        sine: bool,
    },
    /// A DFT from reals to half of its terms, or the inverse.
    HalfSpectrum {
        /// Whether the terms are the input.
        inverse: bool,
    },
}

/// The index of term k of N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermMap {
    /// k.
    Ascending,
    /// N − 1 − k.
    Descending,
    /// N − k, and no term has index 0.
    Shifted,
}

impl RealForm {
    /// The form of a transform, if it has one.
    pub(crate) fn of(transform: &AxisTransform) -> Option<RealForm> {
        let pairs = |inverse, map| Some(RealForm::TermPairs { inverse, even_odd: true, map });
        let is_odd = transform.n % 2 == 1;
        match transform.transform1d {
            Transform1d::Dht => Some(RealForm::TermPairs { inverse: false, even_odd: false, map: TermMap::Ascending }),
            Transform1d::Dct2 => pairs(false, TermMap::Ascending),
            Transform1d::Dst2 => pairs(false, TermMap::Descending),
            Transform1d::IdxstAdjoint => pairs(false, TermMap::Shifted),
            Transform1d::Dct3 => pairs(true, TermMap::Ascending),
            Transform1d::Dst3 => pairs(true, TermMap::Descending),
            Transform1d::Idxst => pairs(true, TermMap::Shifted),
            Transform1d::Dct1 => Some(RealForm::Extended { odd: false }),
            Transform1d::Dst1 => Some(RealForm::Extended { odd: true }),
            Transform1d::Dct4 if is_odd => Some(RealForm::Centered { sine: false }),
            Transform1d::Dst4 if is_odd => Some(RealForm::Centered { sine: true }),
            Transform1d::R2C => Some(RealForm::HalfSpectrum { inverse: false }),
            Transform1d::C2R => Some(RealForm::HalfSpectrum { inverse: true }),
            Transform1d::Dct4 => Some(RealForm::Ends { backward: true }),
            Transform1d::Dst4 => Some(RealForm::Ends { backward: false }),
            _ => None,
        }
    }

    /// The number of elements of the matrix whose DFT is computed, for a transform of length `n`.
    pub(crate) fn elements(self, n: usize) -> usize {
        match self {
            RealForm::Ends { .. } => n / 2,
            RealForm::Extended { odd: false } => n.saturating_sub(1).saturating_mul(2),
            RealForm::Extended { odd: true } => n.saturating_add(1).saturating_mul(2),
            RealForm::TermPairs { .. } | RealForm::Centered { .. } | RealForm::HalfSpectrum { .. } => n,
        }
    }

    /// Whether elements with odd indices change sign.
    pub(crate) fn has_signs(self) -> bool {
        matches!(self, RealForm::TermPairs { map, .. } if map != TermMap::Ascending)
    }
}
