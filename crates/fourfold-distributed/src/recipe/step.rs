//! The steps of a recipe.

use crate::distribution::Distribution;
use crate::recipe::reorder::Reorder;
use fourfold::engine::{ArrayId, AxisTransform};
use std::fmt;

/// A step of a recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The array that it reads.
    pub from: ArrayId,
    /// The array that it writes.
    pub to: ArrayId,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Every rank computes on its part, along one axis.
    Pass {
        /// The axis of the lines.
        axis: usize,
        /// The steps that it computes on the lines, in order.
        ops: Vec<PassOp>,
    },
    /// Ranks exchange parts.
    Exchange {
        /// The distribution after it.
        to: Distribution,
        /// The order that it makes of a long real signal or of its terms.
        reorder: Option<Reorder>,
    },
    /// The signs of the first elements of a long signal change, in place.
    Negate {
        /// The number of elements.
        count: usize,
        /// Whether the signs of odd rows change then.
        odd_rows: bool,
    },
    /// The terms k > N/2 of the DFT of a matrix of N elements become their conjugates, or change sign if they are
    /// real, in place. So they are those of N − k.
    Reflect,
    /// The ends of the signal, or of its terms, are multiplied by the weights of the transform, in place.
    WeighEnds,
    /// Each row of a matrix is multiplied by a factor, in place.
    MultiplyRows,
}

/// A step of a pass on the lines of its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PassOp {
    /// A 1D transform.
    Transform {
        /// The number of the problem that it belongs to. It is 1 for the second problem of a filter,
        /// else 0.
        stage: usize,
        /// The transform, without its scale.
        transform: AxisTransform,
    },
    /// The multiply of a filter, or by the twiddle factors of a long signal, or by the factors that make its
    /// terms of a spectrum.
    Multiply,
}

impl PassOp {
    /// The transform, with the number of the problem that it belongs to.
    pub fn transform(&self) -> Option<(usize, AxisTransform)> {
        if let PassOp::Transform { stage, transform } = self { Some((*stage, *transform)) } else { None }
    }
}

impl fmt::Display for PassOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PassOp::Transform { transform, .. } => write!(f, "{}", transform.transform1d),
            PassOp::Multiply => f.write_str("multiply"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Exchange { to, reorder: None } => write!(f, "exchange to {to}"),
            Action::Exchange { to, reorder: Some(reorder) } => write!(f, "exchange to {to} {reorder}"),
            Action::Negate { count, odd_rows: false } => write!(f, "negate {count}"),
            Action::Negate { count, odd_rows: true } => write!(f, "negate {count} and odd rows"),
            Action::Reflect => f.write_str("reflect"),
            Action::WeighEnds => f.write_str("weigh ends"),
            Action::MultiplyRows => f.write_str("multiply rows"),
            Action::Pass { axis, ops } => {
                let ops: Vec<_> = ops.iter().map(PassOp::to_string).collect();
                write!(f, "axis {axis}: {}", ops.join(" | "))
            }
        }
    }
}
