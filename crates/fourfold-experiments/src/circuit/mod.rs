//! Circuits to be placed: rectangular nodes, the rows that they stand on, and the nets between
//! them.

pub(crate) mod bookshelf;
pub(crate) mod generate;
pub(crate) mod ispd2005;
pub(crate) mod names;
pub(crate) mod rects;

use std::collections::TryReserveError;

use crate::circuit::names::Names;
use crate::circuit::rects::{Rect, Rects};

/// A circuit with its placement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Circuit {
    pub(crate) nodes: Nodes,
    pub(crate) rows: Vec<Row>,
    pub(crate) nets: Nets,
}

/// Cells, macros and terminals. Every list has one element for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Nodes {
    pub(crate) names: Names,
    pub(crate) rects: Rects,
    pub(crate) kinds: Vec<Kind>,
}

/// What a placer may do with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Movable,
    /// It stays, and nothing may overlap it.
    Fixed,
    /// It stays, and cells may lie under it (`terminal_NI`, "no image").
    Overlay,
}

/// A row of sites: cells stand on it side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// The axis along which the sites follow each other: 0 is x.
    pub(crate) axis: usize,
    /// The first site's lower corner along the axis, and that of all sites across it.
    pub(crate) low: [f64; 2],
    /// The extent across the axis.
    pub(crate) height: f64,
    pub(crate) site_width: f64,
    /// The distance from one site to the next.
    pub(crate) spacing: f64,
    pub(crate) sites: usize,
}

/// Nets as a compressed list: net i has `pins[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nets {
    /// Empty for a net without a name.
    pub(crate) names: Names,
    pub(crate) starts: Vec<usize>,
    pub(crate) pins: Vec<Pin>,
    pub(crate) weights: Vec<f64>,
}

/// A pin: a node, and the place of the pin as seen from the node's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pin {
    pub(crate) node: u32,
    pub(crate) offset: [f64; 2],
}

/// The bounding box of rows.
pub(crate) fn region(rows: &[Row]) -> Rect {
    let nothing = Rect { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };
    rows.iter().map(Row::rect).fold(nothing, Rect::around)
}

impl Circuit {
    /// The bounding box of the rows.
    pub(crate) fn region(&self) -> Rect {
        region(&self.rows)
    }

    /// Σ weight · (width + height of the box around a net's pins), which placers minimise.
    pub(crate) fn wire_length(&self) -> f64 {
        let place = |pin: &Pin| {
            let Rect { low, high } = self.nodes.rects.get(pin.node as usize);
            [0, 1].map(|axis| (low[axis] + high[axis]) / 2.0 + pin.offset[axis])
        };
        let length = |pins: &[Pin]| {
            let along = |axis: usize| {
                let ends = pins.iter().map(|pin| place(pin)[axis]);
                let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
                (high - low).max(0.0)
            };
            along(0) + along(1)
        };
        (0..self.nets.len()).map(|net| self.nets.weights[net] * length(self.nets.of(net))).sum()
    }
}

impl Nodes {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Makes room for so many more, whose names have so many bytes.
    pub(crate) fn try_reserve(&mut self, count: usize, bytes: usize) -> Result<(), TryReserveError> {
        self.names.try_reserve(count, bytes)?;
        self.rects.try_reserve(count)?;
        self.kinds.try_reserve_exact(count)
    }

    pub(crate) fn push(&mut self, name: &str, rect: Rect, kind: Kind) {
        self.names.push(name);
        self.rects.push(rect);
        self.kinds.push(kind);
    }

    /// The number of nodes of a kind.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.kinds.iter().filter(|other| **other == kind).count()
    }
}

impl Row {
    pub(crate) fn rect(&self) -> Rect {
        let mut high = self.low;
        high[self.axis] += (self.sites.max(1) - 1) as f64 * self.spacing + self.site_width;
        high[1 - self.axis] += self.height;
        Rect { low: self.low, high }
    }
}

impl Default for Nets {
    fn default() -> Nets {
        Nets { names: Names::default(), starts: vec![0], pins: vec![], weights: vec![] }
    }
}

impl Nets {
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Makes room for so many more with so many pins, whose names have so many bytes.
    pub(crate) fn try_reserve(&mut self, count: usize, pins: usize, bytes: usize) -> Result<(), TryReserveError> {
        self.names.try_reserve(count, bytes)?;
        self.starts.try_reserve_exact(count)?;
        self.weights.try_reserve_exact(count)?;
        self.pins.try_reserve_exact(pins)
    }

    pub(crate) fn of(&self, net: usize) -> &[Pin] {
        &self.pins[self.starts[net]..self.starts[net + 1]]
    }

    /// Ends a net of weight 1, which has all pins that no net before has.
    pub(crate) fn end_net(&mut self, name: &str) {
        self.names.push(name);
        self.starts.push(self.pins.len());
        self.weights.push(1.0);
    }
}
