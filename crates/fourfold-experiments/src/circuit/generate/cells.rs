//! Places cells on the rows beside macros.

use fastrand::Rng;

use crate::circuit::generate::floorplan::{Floorplan, ROW};
use crate::circuit::generate::random::{WIDTHS, normal, solve};
use crate::circuit::rects::Rect;

/// The longest piece whose cells are equally dense.
const LONGEST: f64 = 64.0;

/// The waves of the density's logarithm, the most of them along a side, and its standard deviation.
const WAVES: (usize, f64, f64) = (24, 6.0, 0.3);

/// Where cells are.
pub(super) struct Cells {
    /// The lower left corner of each.
    pub(super) low: Vec<[f64; 2]>,
    /// All cells, row by row from left to right.
    pub(super) order: Vec<u32>,
    /// Where each row begins in `order`, and its end.
    pub(super) rows: Vec<usize>,
}

/// A piece of a row.
struct Piece {
    row: usize,
    low: [f64; 2],
    length: f64,
    /// The end of the free part of the row that the piece is in.
    end: f64,
    /// The wanted density but for a factor that all pieces have in common.
    weight: f64,
}

impl Cells {
    /// Places cells of these widths. Which cell is where is random, so neighbours are not
    /// neighbours in memory.
    pub(super) fn place(widths: &[f64], plan: &Floorplan, rng: &mut Rng) -> Cells {
        let density = Waves::new(plan.region(), rng);
        let pieces = pieces(plan, &density);
        let all: f64 = widths.iter().sum();
        let occupied = |piece: &Piece, factor: f64| piece.length * (factor * piece.weight).min(1.0);
        let factor = solve(0.0, 1e3, all, |factor| pieces.iter().map(|piece| occupied(piece, factor)).sum());
        let mut order: Vec<u32> = (0..widths.len() as u32).collect();
        rng.shuffle(&mut order);
        let (mut low, mut rows) = (vec![[0.0; 2]; widths.len()], vec![0; plan.rows().len() + 1]);
        let (mut at, mut before, mut used) = (0, 0.0, 0.0);
        for &cell in &order {
            let width = widths[cell as usize];
            while at + 1 < pieces.len() && used - before >= occupied(&pieces[at], factor) {
                before += occupied(&pieces[at], factor);
                at += 1;
            }
            let piece = &pieces[at];
            let x = piece.low[0] + (used - before) / (factor * piece.weight).min(1.0);
            low[cell as usize] = [x.floor().min(piece.end - width).max(plan.region().low[0]), piece.low[1]];
            rows[piece.row + 1] += 1;
            used += width;
        }
        (1..rows.len()).for_each(|row| rows[row] += rows[row - 1]);
        Cells { low, order, rows }
    }

    /// A cell near a place: of a row at most `far` away, the cell at most about `far` away.
    pub(super) fn near(&self, place: [f64; 2], far: f64, region: Rect, rng: &mut Rng) -> u32 {
        let mut around = |middle: f64| middle + far * (2.0 * rng.f64() - 1.0);
        let [x, y] = [around(place[0]), around(place[1])];
        let row = ((y - region.low[1]) / ROW).clamp(0.0, (self.rows.len() - 2) as f64) as usize;
        let cells = &self.order[self.rows[row]..self.rows[row + 1]];
        match cells.is_empty() {
            true => self.order[rng.usize(..self.order.len())],
            false => cells[cells.partition_point(|cell| self.low[*cell as usize][0] < x).min(cells.len() - 1)],
        }
    }
}

/// The free pieces of all rows, row by row.
fn pieces(plan: &Floorplan, density: &Waves) -> Vec<Piece> {
    let region = plan.region();
    let mut blocked: Vec<Vec<[f64; 2]>> = plan.rows().iter().map(|_| vec![]).collect();
    for Rect { low, high } in &plan.macros {
        let rows = [low, high].map(|corner| ((corner[1] - region.low[1]) / ROW) as usize);
        blocked[rows[0]..rows[1]].iter_mut().for_each(|row| row.push([low[0], high[0]]));
    }
    let mut pieces = vec![];
    for (row, mut blocked) in blocked.into_iter().enumerate() {
        blocked.sort_by(|a, b| a[0].total_cmp(&b[0]));
        blocked.push([region.high[0]; 2]);
        let (mut x, y) = (region.low[0], region.low[1] + row as f64 * ROW);
        for [low, high] in blocked {
            // Parts that are too short for some of the cells have none.
            let free = if low - x < WIDTHS.1 { 0.0 } else { low - x };
            let count = (free / LONGEST).ceil();
            pieces.extend((0..count as usize).map(|i| {
                let (corner, length) = ([x + i as f64 * free / count, y], free / count);
                Piece { row, low: corner, length, end: low, weight: density.at(corner) }
            }));
            x = high;
        }
    }
    pieces
}

/// A smooth random function: e to the power of a sum of waves.
struct Waves {
    region: Rect,
    /// Waves along x and along y in the region, and the phase.
    waves: Vec<[f64; 3]>,
}

impl Waves {
    fn new(region: Rect, rng: &mut Rng) -> Waves {
        let (count, most, _) = WAVES;
        let wave = |_| [most / 2.0 * normal(rng), most / 2.0 * normal(rng), rng.f64()];
        Waves { region, waves: (0..count).map(wave).collect() }
    }

    fn at(&self, place: [f64; 2]) -> f64 {
        let size = self.region.size();
        let [x, y] = [0, 1].map(|axis| (place[axis] - self.region.low[axis]) / size[axis]);
        let value = |[u, v, phase]: &[f64; 3]| (std::f64::consts::TAU * (u * x + v * y + phase)).cos();
        let (count, _, deviation) = WAVES;
        let sum: f64 = self.waves.iter().map(value).sum();
        (deviation * (2.0 / count as f64).sqrt() * sum).exp()
    }
}
