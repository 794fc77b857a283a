//! Region, rows, macros and terminals.

use fastrand::Rng;

use crate::circuit::Row;
use crate::circuit::generate::random::parts;
use crate::circuit::rects::Rect;

/// The height of a row. A site is 1 wide.
pub(super) const ROW: f64 = 12.0;

/// The lower left corner of the region.
const CORNER: [f64; 2] = [459.0; 2];

/// The part of its leaf that a macro covers.
const FILL: f64 = 0.9;

/// The standard deviations of the logarithms of the areas of macros, and of leaves without one.
const DEVIATIONS: [f64; 2] = [1.0, 0.8];

/// A region with macros on its rows.
pub(super) struct Floorplan {
    sites: usize,
    rows: usize,
    pub(super) macros: Vec<Rect>,
}

/// A leaf: its area, and whether it has a macro.
type Leaf = (f64, bool);

impl Floorplan {
    /// A square region of an area, with `count` macros that cover a share of it.
    pub(super) fn new(area: f64, share: f64, count: usize, rng: &mut Rng) -> Floorplan {
        let rows = (area.sqrt() / ROW).round().max(2.0);
        let sites = (area / (ROW * rows)).round();
        let mut leaves: Vec<Leaf> =
            parts(count, share * area / FILL, DEVIATIONS[0], rng).into_iter().map(|area| (area, true)).collect();
        let free = (1.0 - share / FILL) * area;
        leaves.extend(parts(count / 2 + 3, free, DEVIATIONS[1], rng).into_iter().map(|area| (area, false)));
        // Leaves of similar areas side by side become nearly square.
        leaves.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut plan = Floorplan { sites: sites as usize, rows: rows as usize, macros: vec![] };
        plan.slice(&leaves, plan.region(), rng);
        plan
    }

    pub(super) fn region(&self) -> Rect {
        Rect::new(CORNER, [self.sites as f64, self.rows as f64 * ROW])
    }

    pub(super) fn rows(&self) -> Vec<Row> {
        let low = |row: usize| [CORNER[0], CORNER[1] + row as f64 * ROW];
        let row = |row| Row { axis: 0, low: low(row), height: ROW, site_width: 1.0, spacing: 1.0, sites: self.sites };
        (0..self.rows).map(row).collect()
    }

    /// Halves the leaves, and cuts the rectangle across its longer side in proportion.
    fn slice(&mut self, leaves: &[Leaf], rect: Rect, rng: &mut Rng) {
        if let [(area, has_macro)] = leaves {
            return if *has_macro {
                self.macros.push(inside(rect, area * FILL))
            };
        }
        let all: f64 = leaves.iter().map(|leaf| leaf.0).sum();
        let (mut middle, mut first) = (1, leaves[0].0);
        while middle + 1 < leaves.len() && first + leaves[middle].0 / 2.0 < all / 2.0 {
            first += leaves[middle].0;
            middle += 1;
        }
        let (mut halves, mut part) = (leaves.split_at(middle), first / all);
        if rng.bool() {
            (halves, part) = ((halves.1, halves.0), 1.0 - part);
        }
        let [low, high] = cut(rect, part);
        self.slice(halves.0, low, rng);
        self.slice(halves.1, high, rng);
    }

    /// The terminal at a part of the way around the region.
    pub(super) fn terminal(&self, part: f64) -> Rect {
        let Rect { low, high } = self.region();
        let [width, height] = self.region().size();
        let way = part * 2.0 * (width + height);
        let last = [high[0] - 1.0, high[1] - 1.0];
        let corner = match way {
            _ if way < width => [low[0] + way, low[1]],
            _ if way < width + height => [last[0], low[1] + way - width],
            _ if way < 2.0 * width + height => [last[0] - (way - width - height), last[1]],
            _ => [low[0], last[1] - (way - 2.0 * width - height)],
        };
        Rect::new([0, 1].map(|axis| corner[axis].floor().clamp(low[axis], last[axis])), [1.0; 2])
    }
}

/// The two parts of a rectangle that is cut across its longer side, between sites or rows.
fn cut(rect: Rect, part: f64) -> [Rect; 2] {
    let size = rect.size();
    let (axis, unit) = if size[0] >= size[1] { (0, 1.0) } else { (1, ROW) };
    let units = size[axis] / unit;
    let at = rect.low[axis] + unit * (part * units).round().clamp(1.0, (units - 1.0).max(1.0));
    let (mut low, mut high) = (rect, rect);
    (low.high[axis], high.low[axis]) = (at, at);
    [low, high]
}

/// A macro of about an area in the middle of a leaf, of whole sites and rows.
fn inside(leaf: Rect, area: f64) -> Rect {
    let [width, height] = leaf.size();
    let most = (height / ROW).floor().max(1.0);
    let rows = (FILL.sqrt() * height / ROW).round().clamp(1.0, most);
    let sites = (area / (rows * ROW)).round().clamp(1.0, width.max(1.0));
    let low = [leaf.low[0] + ((width - sites) / 2.0).floor(), leaf.low[1] + ROW * ((most - rows) / 2.0).floor()];
    Rect::new(low, [sites, rows * ROW])
}
