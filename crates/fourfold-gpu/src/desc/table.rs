//! Where roots of unity are in a kernel's table.

/// A list of roots of unity. A long one is two short ones, which stay in caches: root i is the
/// product of root i / `len` of the first and root i % `len` of the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct RootTable {
    /// Where the list begins, or the second one.
    pub(crate) at: usize,
    /// Where the first one begins, and `len`.
    pub(crate) high: Option<(usize, usize)>,
    pub(crate) angles: Angles,
}

impl RootTable {
    /// Where its factors begin: one place twice, if there is one list.
    pub(crate) fn list(&self) -> [usize; 2] {
        [self.at, self.high.map_or(self.at, |(high, _)| high)]
    }
}

/// The angles of a list: root i is exp(−2πi(`first` + `step` · i)/`order`), times a real factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Angles {
    pub(crate) first: i64,
    pub(crate) step: i64,
    pub(crate) order: u64,
}

/// Twiddles w^{jk} of a digit, for some j; k is the frequency of the digits before it. Where a
/// kernel begins with a later digit, f is the frequency of the digits before the kernel's range, of
/// which there are P, and k = f + P·g: then w^{jk} is the product of w^{jf} and w^{jPg}.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TwiddleTable {
    /// The list for each j of w^{jk} in the order of the places, or of w^{jPg}.
    pub(crate) at: usize,
    /// Those of w^{jf}, in order.
    pub(crate) before: Option<usize>,
}
