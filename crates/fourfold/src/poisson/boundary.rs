//! The axes of the box: boundary conditions, positions, and the kinds that they need.

use crate::error::{Error, Result, collected};
use crate::problem::kind::Kind;
use std::f64::consts::PI;
use std::fmt;
use std::str::FromStr;

/// The condition at one end of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// The axis is closed to a ring. Both ends must have this condition.
    Periodic,
    /// u has a given value at the end, zero unless stated.
    Dirichlet,
    /// u has a given derivative along the outward normal at the end, zero unless stated.
    Neumann,
}

/// The position of the unknowns along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// Unknowns are in the centres of cells, and ends are faces of cells.
    Cells,
    /// Unknowns are at nodes, and ends are nodes.
    Nodes,
}

/// The conditions at both ends of an axis. A condition converts into equal ends, and a pair into
/// the low and the high end. As text they are `neumann`, or `dirichlet:neumann`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ends {
    /// The end before the first unknown.
    pub low: Boundary,
    /// The end after the last unknown.
    pub high: Boundary,
}

/// An axis of the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The number of unknowns along the axis.
    pub points: usize,
    /// The distance h of neighbouring unknowns.
    pub spacing: f64,
    /// The conditions at both ends.
    pub ends: Ends,
    /// The position of the unknowns.
    pub position: Position,
}

/// The basis functions of an axis. Term k has the angle θ_k = 2π(k + shift)/L, where L is the
/// logical length of the kind.
#[derive(Debug)]
struct Basis {
    ends: [Boundary; 2],
    positions: &'static [Position],
    kind: Kind,
    shift: f64,
}

use Boundary::{Dirichlet, Neumann, Periodic};
use Position::{Cells, Nodes};

const fn basis(ends: [Boundary; 2], positions: &'static [Position], kind: Kind, shift: f64) -> Basis {
    Basis { ends, positions, kind, shift }
}

/// The table of the module's documentation. An end with Dirichlet's condition continues u as an odd
/// function, and one with Neumann's as an even function, so the basis functions are the sines or
/// cosines of these symmetries. The kind is the forward transform: its inverse evaluates them.
const TABLE: [Basis; 9] = [
    basis([Periodic, Periodic], &[Cells, Nodes], Kind::Dht, 0.0),
    basis([Dirichlet, Dirichlet], &[Cells], Kind::Dst2, 1.0),
    basis([Neumann, Neumann], &[Cells], Kind::Dct2, 0.0),
    basis([Dirichlet, Neumann], &[Cells], Kind::Dst4, 0.5),
    basis([Neumann, Dirichlet], &[Cells], Kind::Dct4, 0.5),
    basis([Dirichlet, Dirichlet], &[Nodes], Kind::Dst1, 1.0),
    basis([Neumann, Neumann], &[Nodes], Kind::Dct1, 0.0),
    basis([Dirichlet, Neumann], &[Nodes], Kind::Dst3, 0.5),
    basis([Neumann, Dirichlet], &[Nodes], Kind::Dct3, 0.5),
];

impl Axis {
    /// An axis whose unknowns are in the centres of cells.
    pub fn cells(points: usize, spacing: f64, ends: impl Into<Ends>) -> Axis {
        Axis { points, spacing, ends: ends.into(), position: Cells }
    }

    /// An axis whose unknowns are at nodes. A node at an end with Dirichlet's condition is no
    /// unknown.
    pub fn nodes(points: usize, spacing: f64, ends: impl Into<Ends>) -> Axis {
        Axis { points, spacing, ends: ends.into(), position: Nodes }
    }

    fn basis(&self) -> Result<&'static Basis> {
        let Ends { low, high } = self.ends;
        let fits = |basis: &&Basis| basis.ends == [low, high] && basis.positions.contains(&self.position);
        TABLE.iter().find(fits).ok_or_else(|| {
            Error::argument(format!(
                "the boundary `{}`: expected `periodic` at both ends of an axis or at neither",
                self.ends
            ))
        })
    }

    /// The kind of the forward transform along the axis, by the table of the [module](super).
    ///
    /// # Errors
    /// If only one end is periodic.
    pub fn kind(&self) -> Result<Kind> {
        self.basis().map(|basis| basis.kind)
    }

    /// Checks spacing, ends and number of points.
    pub(crate) fn check(&self) -> Result<()> {
        let least = self.kind()?.min_length();
        if !(self.spacing.is_finite() && self.spacing > 0.0) {
            return Err(Error::argument(format!("a spacing of {}: expected a finite number above 0", self.spacing)));
        }
        if self.points < least {
            let Axis { points, ends, position, .. } = self;
            return Err(Error::argument(format!(
                "{points} points on an axis of {position} with `{ends}`: expected {least} or more"
            )));
        }
        Ok(())
    }

    /// The eigenvalues λ_k of the stencil, or those of the exact derivative.
    pub(crate) fn eigenvalues(&self, spectral: bool) -> Result<Vec<f64>> {
        let (Basis { kind, shift, .. }, h) = (self.basis()?, self.spacing);
        let length = kind.logical_length(self.points) as f64;
        let lambda = |k: usize| {
            // θ/2, with θ between 0 and π: the term L − k of a periodic axis has the angle of k.
            let part = (k as f64 + shift) / length;
            let half = PI * part.min(1.0 - part);
            if spectral { (2.0 * half / h).powi(2) } else { (2.0 * half.sin() / h).powi(2) }
        };
        collected(self.points, (0..self.points).map(lambda), format_args!("the eigenvalues of {} points", self.points))
    }

    /// Whether constants along the axis fulfil both conditions.
    pub(crate) fn admits_constants(&self) -> bool {
        let admits = |boundary| match boundary {
            Periodic | Neumann => true,
            Dirichlet => false,
        };
        admits(self.ends.low) && admits(self.ends.high)
    }

    /// How much point `i` of the axis counts in sums over a right-hand side: ½ at both ends between
    /// Neumann nodes, where it stands for half a cell, and else 1.
    pub fn weight(&self, i: usize) -> f64 {
        if self.halves_ends() && (i == 0 || i + 1 == self.points) { 0.5 } else { 1.0 }
    }

    /// Whether the first and the last point are ends, and so stand for half a cell in sums.
    pub(crate) fn halves_ends(&self) -> bool {
        self.position == Nodes && (self.ends.low, self.ends.high) == (Neumann, Neumann)
    }

    /// The first term of the forward transform along the axis, divided by the sum of the points, of
    /// which [halved ends](Axis::halves_ends) count half. Singular equations have only such axes.
    pub(crate) fn first_term(&self) -> f64 {
        if self.ends.low == Periodic { 1.0 } else { 2.0 }
    }

    /// The factor on a boundary value in the right-hand side of the unknown next to the end: the
    /// stencil reads 2g − u_0 (Dirichlet, cells), g (Dirichlet, nodes), u_0 + h g (Neumann, cells)
    /// or u_1 + 2h g (Neumann, nodes) beyond the end. A single node between a Dirichlet and a Neumann
    /// end has g on both sides. `None` if the axis is periodic.
    pub(crate) fn boundary_factor(&self, boundary: Boundary) -> Option<f64> {
        let h = self.spacing;
        match (boundary, self.position) {
            (Periodic, _) => None,
            (Dirichlet, Cells) => Some(2.0 / (h * h)),
            (Dirichlet, Nodes) if self.points == 1 && self.ends.low != self.ends.high => Some(2.0 / (h * h)),
            (Dirichlet, Nodes) => Some(1.0 / (h * h)),
            (Neumann, Cells) => Some(1.0 / h),
            (Neumann, Nodes) => Some(2.0 / h),
        }
    }

    /// The distance of unknown `n` from the low end.
    pub fn coordinate(&self, n: usize) -> f64 {
        let first = match (self.position, self.ends.low) {
            (Cells, _) => 0.5,
            (Nodes, Dirichlet) => 1.0,
            (Nodes, Periodic | Neumann) => 0.0,
        };
        (n as f64 + first) * self.spacing
    }

    /// The distance between the two ends, or the period.
    pub fn length(&self) -> f64 {
        let intervals = match (self.position, self.ends.low, self.ends.high) {
            (Nodes, Dirichlet, Dirichlet) => self.points as f64 + 1.0,
            (Nodes, Neumann, Neumann) => self.points as f64 - 1.0,
            (Cells, ..) => self.points as f64,
            (Nodes, Periodic | Dirichlet | Neumann, Periodic | Dirichlet | Neumann) => self.points as f64,
        };
        intervals * self.spacing
    }
}

impl Boundary {
    /// All conditions.
    const ALL: [Boundary; 3] = [Periodic, Dirichlet, Neumann];
}

impl From<Boundary> for Ends {
    fn from(both: Boundary) -> Ends {
        Ends { low: both, high: both }
    }
}

impl From<(Boundary, Boundary)> for Ends {
    fn from((low, high): (Boundary, Boundary)) -> Ends {
        Ends { low, high }
    }
}

impl FromStr for Boundary {
    type Err = Error;

    fn from_str(text: &str) -> Result<Boundary> {
        Boundary::ALL.into_iter().find(|boundary| boundary.to_string() == text).ok_or_else(|| {
            Error::argument(format!("the boundary `{}`: expected periodic, dirichlet or neumann", text.escape_debug()))
        })
    }
}

impl FromStr for Ends {
    type Err = Error;

    fn from_str(text: &str) -> Result<Ends> {
        Ok(match text.split_once(':') {
            Some((low, high)) => Ends { low: low.parse()?, high: high.parse()? },
            None => text.parse::<Boundary>()?.into(),
        })
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Position> {
        [Cells, Nodes]
            .into_iter()
            .find(|position| position.to_string() == text)
            .ok_or_else(|| Error::argument(format!("the position `{}`: expected cells or nodes", text.escape_debug())))
    }
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Periodic => "periodic",
            Dirichlet => "dirichlet",
            Neumann => "neumann",
        })
    }
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low == self.high { write!(f, "{}", self.low) } else { write!(f, "{}:{}", self.low, self.high) }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Cells => "cells",
            Nodes => "nodes",
        })
    }
}
