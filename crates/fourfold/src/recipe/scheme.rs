//! Schemes: how the DFT of a line is computed, as data and as text.

use std::fmt;

/// The radices that have a butterfly, in ascending order.
pub const RADICES: [usize; 13] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16];

/// The largest of [`RADICES`].
pub(crate) const MOST_RADIX: usize = RADICES[RADICES.len() - 1];

/// The first radix of schemes with lanes along the line. It equals the number of lanes of the
/// longest vector: 16 `f32` in AVX-512.
pub(crate) const FIRST: usize = 16;

/// The most parts of a blocked line. The first-level cache must hold a block of each part.
pub(crate) const MOST_PARTS: usize = 128;

/// How the DFTs of one factor of N are computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    /// A butterfly of one of [`RADICES`].
    Radix(usize),
    /// The O(p²) sum over an odd p, by x_j ± x_{p−j}.
    Direct(usize),
    /// Rader's algorithm for a prime p: a cyclic convolution whose DFT has the given factors. Their
    /// product is p − 1, or at least 2p − 3 with zeros after the data.
    Rader(usize, Vec<Factor>),
    /// Bluestein's algorithm for any odd length: a convolution by complex DFTs whose length is the
    /// product of the given factors.
    Bluestein(usize, Vec<Factor>),
}

impl Factor {
    /// The length of the factor's DFT.
    pub fn length(&self) -> usize {
        match self {
            Factor::Radix(r) | Factor::Direct(r) | Factor::Rader(r, _) | Factor::Bluestein(r, _) => *r,
        }
    }

    /// Whether the factor, or the convolution in it, uses Bluestein's algorithm.
    pub fn uses_bluestein(&self) -> bool {
        match self {
            Factor::Bluestein(..) => true,
            Factor::Rader(_, inner) => inner.iter().any(Factor::uses_bluestein),
            _ => false,
        }
    }
}

/// Writes `8`, `direct(17)`, `rader(97: 8 4 3)` or `bluestein(1439: 16 16 12)`.
impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Radix(r) => write!(f, "{r}"),
            Factor::Direct(p) => write!(f, "direct({p})"),
            Factor::Rader(p, inner) => write!(f, "rader({p}:{})", List(inner)),
            Factor::Bluestein(p, inner) => write!(f, "bluestein({p}:{})", List(inner)),
        }
    }
}

/// Factors, which print with a space before each.
pub(crate) struct List<'a>(pub(crate) &'a [Factor]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|factor| write!(f, " {factor}"))
    }
}

/// The product of the factors' lengths, or `usize::MAX` if it does not fit.
pub fn length(factors: &[Factor]) -> usize {
    factors.iter().map(Factor::length).fold(1, usize::saturating_mul)
}

/// How the DFT of a line is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Scheme {
    /// Many lines are computed at once, one in each SIMD lane. The factors of the DFT are in the
    /// order of its passes.
    Batched(Vec<Factor>),
    /// Lines are computed one by one, with the lanes along the line. The radices are those of the
    /// complex DFT. For a real line it has half the length, since pairs of neighbours are complex
    /// numbers. Printed after `along`.
    IntraVector(Vec<Factor>),
    /// Lines are computed one by one, with the lanes along the line, in parts that fit a cache.
    /// This takes three trips through memory: the line is divided into parts by the first radix,
    /// then each part is transformed, then the parts are combined. Printed after `along`, with
    /// `across` between the lists.
    Blocked {
        /// The radices of a part's DFT.
        within: Vec<Factor>,
        /// The two radices that combine the spectra of the parts.
        across: Vec<Factor>,
    },
    /// Lines are computed one by one, each as a matrix. Printed as the factors of its columns and
    /// of its rows with an `x` between them.
    FourStep {
        /// Factors of the DFTs down the columns.
        columns: Vec<Factor>,
        /// Factors of the DFTs along the rows.
        rows: Vec<Factor>,
    },
    /// Lines are computed one by one, each by Bluestein's algorithm: a convolution by two complex
    /// DFTs that are longer, and have one of the other schemes for single lines. Printed as
    /// `bluestein(3766: along 16 10 8 6)`.
    Bluestein {
        /// The length of the DFT: that of the complex DFT, or an odd number of reals.
        length: usize,
        /// The scheme of the DFTs of the convolution.
        inner: Box<Scheme>,
    },
}

impl Scheme {
    /// Whether the scheme, or a factor in it, uses Bluestein's algorithm.
    pub fn uses_bluestein(&self) -> bool {
        matches!(self, Scheme::Bluestein { .. }) || self.factors().any(Factor::uses_bluestein)
    }

    /// The length of the DFT that the scheme computes, or `usize::MAX` if it does not fit.
    pub fn length(&self) -> usize {
        match self {
            Scheme::Bluestein { length, .. } => *length,
            _ => self.factors().map(Factor::length).fold(1, usize::saturating_mul),
        }
    }

    /// All factors in order.
    pub fn factors(&self) -> impl Iterator<Item = &Factor> {
        self.lists().into_iter().flatten()
    }

    fn lists(&self) -> [&[Factor]; 2] {
        match self {
            Scheme::Batched(factors) | Scheme::IntraVector(factors) => [factors, &[]],
            Scheme::Blocked { within, across } => [within, across],
            Scheme::FourStep { columns, rows } => [columns, rows],
            Scheme::Bluestein { inner, .. } => inner.lists(),
        }
    }
}

/// Writes the factors with a space before each.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheme::Batched(factors) => write!(f, "{}", List(factors)),
            Scheme::IntraVector(factors) => write!(f, " along{}", List(factors)),
            Scheme::Blocked { within, across } => write!(f, " along{} across{}", List(within), List(across)),
            Scheme::FourStep { columns, rows } => write!(f, "{} x{}", List(columns), List(rows)),
            Scheme::Bluestein { length, inner } => write!(f, " bluestein({length}:{inner})"),
        }
    }
}

/// Whether [`Scheme::IntraVector`] supports these factors.
pub(crate) fn fits(factors: &[Factor]) -> bool {
    factors.len() > 1
        && factors[0] == Factor::Radix(FIRST)
        && factors.iter().all(|factor| matches!(factor, Factor::Radix(_)))
}

/// Whether [`Scheme::Blocked`] supports these factors.
pub(crate) fn fits_parts(within: &[Factor], across: &[Factor]) -> bool {
    let radices = across.iter().all(|factor| matches!(factor, Factor::Radix(_)));
    let count = length(across);
    fits(within) && within.len() > 2 && radices && across.len() == 2 && count % FIRST == 0 && count <= MOST_PARTS
}
