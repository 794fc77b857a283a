//! How transforms of one long real signal reduce to the DFT of a matrix.

use fourfold::engine::Transform1d;

/// The form of a transform that is real on both sides. [`real_signal`](crate::recipe::real_signal) derives them.
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
    pub(crate) fn of(transform: Transform1d) -> Option<RealForm> {
        let pairs = |inverse, map| Some(RealForm::TermPairs { inverse, even_odd: true, map });
        match transform {
            Transform1d::Dht => Some(RealForm::TermPairs { inverse: false, even_odd: false, map: TermMap::Ascending }),
            Transform1d::Dct2 => pairs(false, TermMap::Ascending),
            Transform1d::Dst2 => pairs(false, TermMap::Descending),
            Transform1d::IdxstAdjoint => pairs(false, TermMap::Shifted),
            Transform1d::Dct3 => pairs(true, TermMap::Ascending),
            Transform1d::Dst3 => pairs(true, TermMap::Descending),
            Transform1d::Idxst => pairs(true, TermMap::Shifted),
            Transform1d::Dct4 => Some(RealForm::Ends { backward: true }),
            Transform1d::Dst4 => Some(RealForm::Ends { backward: false }),
            _ => None,
        }
    }

    /// Whether elements with odd indices change sign.
    pub(crate) fn has_signs(self) -> bool {
        matches!(self, RealForm::TermPairs { map, .. } if map != TermMap::Ascending)
    }
}
