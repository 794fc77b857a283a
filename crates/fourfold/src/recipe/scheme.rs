//! How the DFT of a line is done, as data and as text.

use std::fmt;

/// The radices that have a butterfly, in ascending order.
pub const RADICES: [usize; 13] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16];

/// The first radix: the most lanes of any vector.
pub(crate) const FIRST: usize = 16;

/// The most parts of a signal: a block of each stands in the first-level cache.
pub(crate) const MOST_PARTS: usize = 128;

/// How the DFTs of one factor of N are done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    /// A butterfly of one of [`RADICES`].
    Radix(usize),
    /// The O(p²) sum of an odd prime p, with x_j ± x_{p−j} shared.
    Direct(usize),
    /// A prime as a cyclic convolution of length p − 1, whose DFT has the given factors.
    Rader(usize, Vec<Factor>),
    /// Any length as a convolution, by a complex DFT whose length is the product of the given
    /// factors.
    Bluestein(usize, Vec<Factor>),
}

impl Factor {
    /// The length of the factor's DFT.
    pub fn length(&self) -> usize {
        match self {
            Factor::Radix(r) | Factor::Direct(r) | Factor::Rader(r, _) | Factor::Bluestein(r, _) => *r,
        }
    }

    /// Whether a convolution of another length stands somewhere in the factor.
    pub fn uses_bluestein(&self) -> bool {
        match self {
            Factor::Bluestein(..) => true,
            Factor::Rader(_, inner) => inner.iter().any(Factor::uses_bluestein),
            _ => false,
        }
    }
}

/// `8`, `direct(17)`, `rader(97: 8 4 3)`, `bluestein(1439: 16 16 12)`.
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

/// Factors with a space before each.
pub(crate) struct List<'a>(pub(crate) &'a [Factor]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|factor| write!(f, " {factor}"))
    }
}

/// The length that a list of factors makes.
pub fn length(factors: &[Factor]) -> usize {
    factors.iter().map(Factor::length).fold(1, usize::saturating_mul)
}

/// How the DFT of a line is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Scheme {
    /// Many lines at once, one in each SIMD lane: the factors of the DFT, in the order of the
    /// passes.
    Batched(Vec<Factor>),
    /// Line by line, lanes along the line: the radices of the complex DFT that it is, or that its
    /// pairs are. Printed after `along`.
    IntraVector(Vec<Factor>),
    /// Line by line, lanes along the line, in three trips through memory: by the first radix into
    /// parts, each of which a cache holds, then part by part, then across all parts. Printed after
    /// `along`, with `across` between them.
    Blocked {
        /// The radices of a part's DFT.
        within: Vec<Factor>,
        /// The radices that make the parts' spectra one: two.
        across: Vec<Factor>,
    },
    /// Line by line, each cut into a matrix: the factors of its columns and of its rows. Printed
    /// with an `x` between them.
    FourStep {
        /// Factors of the DFTs down the columns.
        columns: Vec<Factor>,
        /// Factors of the DFTs along the rows.
        rows: Vec<Factor>,
    },
}

impl Scheme {
    /// All factors.
    pub fn factors(&self) -> impl Iterator<Item = &Factor> {
        let (first, second) = match self {
            Scheme::Batched(factors) | Scheme::IntraVector(factors) => (factors, None),
            Scheme::Blocked { within, across } => (within, Some(across)),
            Scheme::FourStep { columns, rows } => (columns, Some(rows)),
        };
        first.iter().chain(second.into_iter().flatten())
    }
}

/// The factors with a space before each.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheme::Batched(factors) => write!(f, "{}", List(factors)),
            Scheme::IntraVector(factors) => write!(f, " along{}", List(factors)),
            Scheme::Blocked { within, across } => write!(f, " along{} across{}", List(within), List(across)),
            Scheme::FourStep { columns, rows } => write!(f, "{} x{}", List(columns), List(rows)),
        }
    }
}

/// Whether a line can be done with lanes along it by these factors.
pub(crate) fn fits(factors: &[Factor]) -> bool {
    factors.len() > 1
        && factors[0] == Factor::Radix(FIRST)
        && factors.iter().all(|factor| matches!(factor, Factor::Radix(_)))
}

/// Whether a line can be done in parts, with these factors within them and across them.
pub(crate) fn fits_parts(within: &[Factor], across: &[Factor]) -> bool {
    let radices = across.iter().all(|factor| matches!(factor, Factor::Radix(_)));
    let count = length(across);
    fits(within) && within.len() > 2 && radices && across.len() == 2 && count % FIRST == 0 && count <= MOST_PARTS
}
