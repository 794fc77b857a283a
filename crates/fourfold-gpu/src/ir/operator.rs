//! The operators of expressions.

/// An operator on two reals, or on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    /// The remainder of integers that are not negative.
    Rem,
    /// A shift to the right, which keeps the sign.
    Shr,
    /// Bits that one of them has.
    Or,
}
