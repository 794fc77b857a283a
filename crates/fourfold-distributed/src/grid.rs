//! Grids of ranks.

use fourfold::{Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

/// The names of a grid's dimensions in the notation.
pub(crate) const DIMENSIONS: [char; 2] = ['p', 'q'];

/// A grid of one or two dimensions in which the ranks of a program are arranged. Rank r of a grid
/// P×Q has the coordinates (r div Q, r mod Q).
///
/// It prints and parses as its lengths, such as `4` or `2x3`. The first dimension is called `p` and
/// the second one `q`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    lengths: Vec<usize>,
}

impl Grid {
    /// A grid with these lengths.
    ///
    /// # Errors
    /// If there are no lengths or more than two, if one is 0, or if their product is no number of
    /// ranks.
    pub fn new(lengths: impl AsRef<[usize]>) -> Result<Grid> {
        let lengths = lengths.as_ref().to_vec();
        let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
        if lengths.is_empty() || lengths.len() > DIMENSIONS.len() {
            return fail(format!("a grid of {} dimensions: expected one or two, such as 4 or 2x2", lengths.len()));
        }
        let ranks = lengths.iter().try_fold(1usize, |product, &length| product.checked_mul(length));
        if !ranks.is_some_and(|ranks| (1..=i32::MAX as usize).contains(&ranks)) {
            return fail(format!("the grid {lengths:?} has no ranks, or more than 2^31: every length is at least 1"));
        }
        Ok(Grid { lengths })
    }

    /// The number of ranks, which is the product of the lengths.
    pub fn ranks(&self) -> usize {
        self.lengths.iter().product()
    }

    /// The lengths of the dimensions.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The coordinate of a rank along a dimension.
    pub(crate) fn coordinate(&self, rank: usize, dimension: usize) -> usize {
        rank / self.stride(dimension) % self.lengths[dimension]
    }

    /// The distance between ranks that are neighbours along a dimension.
    fn stride(&self, dimension: usize) -> usize {
        self.lengths[dimension + 1..].iter().product()
    }

    /// Checks that the grid is one of `ranks` ranks.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, ranks: usize) -> Result<()> {
        if self.ranks() == ranks {
            return Ok(());
        }
        let message = format!("the grid {self} has {} ranks, and the program {ranks}: they must agree", self.ranks());
        Err(Error::new(ErrorKind::Argument, message))
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<_> = self.lengths.iter().map(usize::to_string).collect();
        f.write_str(&lengths.join("x"))
    }
}

impl FromStr for Grid {
    type Err = Error;

    /// Reads lengths with `x` between them.
    ///
    /// # Errors
    /// If the text is malformed, or as for [`Grid::new`].
    fn from_str(text: &str) -> Result<Grid> {
        let lengths: Option<Vec<usize>> = text.split('x').map(|length| length.parse().ok()).collect();
        let message =
            || format!("{text:?} is no grid: expected the lengths of one or two dimensions, such as 4 or 2x2");
        Grid::new(lengths.ok_or_else(|| Error::new(ErrorKind::Notation, message()))?)
    }
}
