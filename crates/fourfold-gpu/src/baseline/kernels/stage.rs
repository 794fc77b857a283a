//! Stages of the paper's methods: one thread an element of a reorder, tiles of a transpose;
//! combines are in [`combine`](crate::baseline::kernels::combine).

use crate::baseline::kernels::fft_step::LaunchSize;
use crate::baseline::kernels::moves::{Move, StageKernelDesc, Strided, THREADS, digits};
use crate::baseline::kernels::{combine, fft_step};
use crate::ir::frame::Frame;
use crate::ir::range::Range;
use crate::ir::statement::{Array, Int, Statement, Sym, int};
use crate::ir::trace::{barrier, block, comment, if_less, record, select, select_real, thread};
use fourfold::baseline::{AccessPattern, EvenOdd, Order};
use fourfold::engine::C;

/// Rows and columns of a transpose's tile, two columns of which make a pair; and places of a column
/// in shared memory, one more so that threads meet different banks.
const ROWS: usize = 32;
const COLUMNS: usize = 64;
const PITCH: usize = ROWS + 1;

impl StageKernelDesc {
    /// Threads that have work, or blocks of transposes.
    fn items(&self) -> usize {
        match &self.work {
            Move::Reorder { way: AccessPattern::Gather, .. } => self.to.lengths.iter().product(),
            Move::Reorder { way: AccessPattern::Scatter, .. } => self.from.lengths.iter().product(),
            Move::Combine(combine) => combine::threads(self, combine),
            Move::Transpose { .. } => self.tiles().iter().product(),
            Move::FftStep(step) => LaunchSize::new(self, step).items.iter().product(),
        }
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> usize {
        self.range().map_or(THREADS, |range| range.shape().iter().product())
    }

    /// The range of which a thread has an item.
    pub(crate) fn range(&self) -> Option<Range> {
        if let Move::FftStep(step) = &self.work { LaunchSize::new(self, step).range(step) } else { None }
    }

    /// Blocks that reach each other's shared memory.
    pub(crate) fn cluster(&self) -> usize {
        if let Move::FftStep(step) = &self.work { fft_step::cluster(step) } else { 1 }
    }

    /// How often it is launched: once, or for every line.
    pub(crate) fn launches(&self) -> usize {
        if let Move::FftStep(step) = &self.work { LaunchSize::new(self, step).launches } else { 1 }
    }

    /// Blocks.
    pub(crate) fn blocks(&self) -> usize {
        match &self.work {
            Move::Transpose { .. } => self.items(),
            Move::FftStep(step) => LaunchSize::new(self, step).blocks(step),
            _ => self.items().div_ceil(THREADS),
        }
    }

    /// Tiles along rows and columns.
    fn tiles(&self) -> [usize; 2] {
        let (column, rows) = self.tiled_axes();
        let rows: usize = rows.iter().map(|(_, size)| size).product();
        [rows.div_ceil(ROWS), self.from.length(column).div_ceil(COLUMNS)]
    }

    pub(crate) fn shared_bytes(&self) -> usize {
        self.frame().shared_pairs * 2 * self.precision.bytes()
    }

    pub(crate) fn frame(&self) -> Frame {
        // The even-odd order doubles a place before it knows on which side of the middle that is.
        let longest = self.from.lengths.iter().chain(&self.to.lengths).max().copied().unwrap_or(1);
        let most = self.from.extent.max(self.to.extent).max(self.items() + THREADS).max(2 * longest);
        let (most, shared_pairs) = match &self.work {
            Move::FftStep(step) => (most.max(fft_step::most(self, step)), fft_step::shared_pairs(step)),
            Move::Transpose { .. } => (most, COLUMNS / 2 * PITCH),
            _ => (most, 0),
        };
        Frame {
            storage: self.precision.into(),
            wide: most > i32::MAX as usize,
            threads: self.threads(),
            range: self.range(),
            // Where threads leave early, the compiler would rather spill two registers than have more
            // than 32, of which there are enough for all threads of an SM.
            resident: usize::from(self.range().is_some()),
            evict_first: [false; 2],
            subgroup: 0,
            cluster: self.cluster(),
            shared_pairs,
        }
    }

    /// The statements.
    pub(crate) fn kernel(&self) -> Vec<Statement> {
        record(|| match &self.work {
            Move::FftStep(step) => fft_step::fft_step(self, step),
            Move::Transpose { orders } => {
                let (thread, block) = (thread(), block());
                self.transpose(orders, thread, block);
            }
            Move::Combine(combine) => self.each_item(|_, at| combine::combine(self, combine, at)),
            Move::Reorder { orders, way } => self.each_item(|item, _| self.reorder(orders, *way, item)),
        })
    }

    /// Writes `body` for the number of the item, and for block and thread that have it.
    fn each_item(&self, body: impl FnOnce(Int, [Int; 2])) {
        let (thread, block) = (thread(), block());
        let item = block * THREADS as i64 + thread;
        if_less(item, int(self.items()), || body(item, [block, thread]));
    }

    fn reorder(&self, orders: &[(usize, Order)], way: AccessPattern, item: Int) {
        let (side, word) = if way == AccessPattern::Gather { (&self.to, "gather") } else { (&self.from, "scatter") };
        comment(format!("{word} elements"));
        let (mut from, mut to, mut sign, mut there) = (vec![], vec![], Sym::lit(1.0), None);
        for (axis, place) in digits(item, side.axes.iter().copied().zip(side.lengths.iter().copied())) {
            let order = orders.iter().find(|(a, _)| *a == axis).map(|(_, order)| *order);
            let ends = ends(order, way, place, self.from.length(axis));
            from.push((axis, ends.from));
            to.push((axis, ends.to));
            sign = sign * ends.sign;
            there = there.or(ends.there);
        }
        let x = Array::Input.load(self.from.at(&from)) * sign;
        let x = there.map_or(x, |[a, b]| select_real(a, b, x, Sym::lit(0.0)));
        Array::Output.store(self.to.at(&to), x);
    }

    /// A thread reads rows 8 apart at two columns half a tile apart, and writes both columns. Rows
    /// and columns are in the problem's order; a row is a line of the axis that is read fastest,
    /// and neighbours are written together.
    fn transpose(&self, orders: &[(usize, Order)], thread: Int, block: Int) {
        comment(format!("tiles of {ROWS} x {COLUMNS}"));
        let (column_axis, row_axes) = self.tiled_axes();
        let (columns, rows) = (self.from.length(column_axis), row_axes.iter().map(|(_, size)| size).product());
        let tiles = self.tiles()[1] as i64;
        let (top, left) = (block / tiles * ROWS as i64, block % tiles * COLUMNS as i64);
        let (low, high) = (thread / ROWS as i64, thread % ROWS as i64);
        let at = |writes: bool, row: Int, column: Int| {
            let mut places = digits(row, row_axes.iter().copied());
            places.push((column_axis, column));
            self.natural(orders, writes, &places)
        };
        let half = (COLUMNS / 2) as i64;
        let steps = (0..ROWS).step_by(THREADS / ROWS);
        for step in steps.clone() {
            let (row, column) = (top + low + step as i64, left + high);
            let place = high * PITCH as i64 + low + step as i64;
            if_less(row, int(rows), || {
                // What lies beyond the last column is that column's, and is not written.
                let [x, y] = [column, column + half].map(|column| {
                    let column = select(column, int(columns), column, int(columns - 1));
                    let (at, sign) = at(false, row, column);
                    Array::Input.load(at) * sign
                });
                Array::Shared.store_pair(place, C { re: x, im: y });
            });
        }
        barrier();
        for step in steps {
            let (row, column) = (top + high, left + low + step as i64);
            let place = (low + step as i64) * PITCH as i64 + high;
            if_less(row, int(rows), || {
                let z = Array::Shared.load_pair(place);
                for (column, x) in [(column, z.re), (column + half, z.im)] {
                    if_less(column, int(columns), || Array::Output.store(at(true, row, column).0, x));
                }
            });
        }
    }

    /// The axis that is read fastest, and the others with their lengths, that which is written
    /// fastest last.
    fn tiled_axes(&self) -> (usize, Vec<(usize, usize)>) {
        let fastest = |side: &Strided| side.axes[side.axes.len() - 1];
        let (column, last) = (fastest(&self.from), fastest(&self.to));
        let others = self.from.axes.iter().copied().filter(|axis| ![column, last].contains(axis));
        (column, others.chain([last]).map(|axis| (axis, self.from.length(axis))).collect())
    }

    /// Where an element stands on a side, and its sign, from its places in the problem's order.
    fn natural(&self, orders: &[(usize, Order)], writes: bool, places: &[(usize, Int)]) -> (Int, Sym) {
        let side = if writes { &self.to } else { &self.from };
        let mut sign = Sym::lit(1.0);
        let place = |&(axis, place): &(usize, Int)| {
            let Some((_, order)) = orders.iter().find(|(a, _)| *a == axis) else { return (axis, place) };
            if !writes && matches!(order, Order::Split(EvenOdd { signs: true }) | Order::Merge(EvenOdd { signs: true }))
            {
                sign = sign * select_real(place % 2, int(1), Sym::lit(1.0), Sym::lit(-1.0));
            }
            let moved = if order.writes_natural() == writes { place } else { halves(place, self.from.length(axis)) };
            (axis, moved)
        };
        let moved: Vec<_> = places.iter().map(place).collect();
        (side.at(&moved), sign)
    }
}

/// Where an element is read and written along an axis.
struct Ends {
    from: Int,
    to: Int,
    sign: Sym,
    /// It is there if the first is less than the second; else it is 0.
    there: Option<[Int; 2]>,
}

/// From the place on the side that is followed; `n` is the length of the other.
fn ends(order: Option<Order>, way: AccessPattern, place: Int, n: usize) -> Ends {
    let plain = |from: Int, to: Int| Ends { from, to, sign: Sym::lit(1.0), there: None };
    let signed = |from: Int, to: Int, signs: bool, natural: Int| {
        let odd = || select_real(natural % 2, int(1), Sym::lit(1.0), Sym::lit(-1.0));
        Ends { sign: if signs { odd() } else { Sym::lit(1.0) }, ..plain(from, to) }
    };
    let last = n as i64 - 1;
    match (order, way) {
        (None, _) => plain(place, place),
        (Some(Order::Split(EvenOdd { signs })), AccessPattern::Scatter) => {
            signed(place, halves(place, n), signs, place)
        }
        (Some(Order::Merge(EvenOdd { signs })), AccessPattern::Gather) => signed(halves(place, n), place, signs, place),
        (Some(Order::Split(EvenOdd { signs })), AccessPattern::Gather) => {
            signed(even_odd(place, n), place, signs, even_odd(place, n))
        }
        (Some(Order::Merge(EvenOdd { signs })), AccessPattern::Scatter) => {
            signed(place, even_odd(place, n), signs, even_odd(place, n))
        }
        (Some(Order::Mirror), _) => plain(select(place, int(n), place, int(2 * n - 1) - place), place),
        (Some(Order::Pad), _) => {
            Ends { there: Some([place, int(n)]), ..plain(select(place, int(n), place, int(0) + last), place) }
        }
        (Some(Order::OddPlaces), _) => {
            let half = place / 2;
            let from = select(half, int(n), half, int(2 * n - 1) - half);
            Ends { there: Some([int(0), place % 2]), ..plain(from, place) }
        }
    }
}

/// Where a place of the natural order stands when even places come first, and odd ones last,
/// backwards.
fn halves(i: Int, n: usize) -> Int {
    select(i % 2, int(1), i / 2, int(n) - (i + 1) / 2)
}

/// The reverse.
fn even_odd(m: Int, n: usize) -> Int {
    select(m * 2, int(n), m * 2, int(2 * n - 1) - m * 2)
}
