//! Lines of an array to a tile of vectors and back: lane j of every vector belongs to line j.

use crate::arithmetic::complex::each;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Vector, WithIsa};

/// The lines of one tile in an array of reals.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a, S> {
    pub(crate) origin: Ptr<S>,
    /// Where each line begins.
    pub(crate) lanes: &'a [isize; LANES],
    /// Lines that are there; the other lanes repeat the last.
    pub(crate) used: usize,
    /// From element to element along the line, in reals.
    pub(crate) stride: isize,
    /// Reals an element, next to each other.
    pub(crate) parts: usize,
    /// Elements of a line.
    pub(crate) count: usize,
}

impl<S> Access<'_, S> {
    /// Whether all `width` lines are there and begin `parts` apart, so that element i of all of
    /// them is one run of memory.
    pub(crate) fn adjacent(&self, width: usize) -> bool {
        let step = |j: usize| self.lanes[j] - self.lanes[j - 1] == self.parts as isize;
        self.used == width && (1..width).all(step)
    }

    /// Whether each line is one run of memory.
    fn contiguous(&self) -> bool {
        self.stride == self.parts as isize
    }

    /// Real number `i` of line `lane`.
    #[inline(always)]
    unsafe fn at(&self, lane: usize, i: usize) -> Ptr<S> {
        let offset = self.lanes[lane] + (i / self.parts) as isize * self.stride + (i % self.parts) as isize;
        // SAFETY: the caller's.
        unsafe { self.origin.offset(offset) }
    }
}

/// Fills `tile` with the lines: parts · count vectors.
///
/// # Safety
/// The lines lie in readable memory, the tile is long enough, and the CPU has the instructions of
/// `V`.
pub(crate) unsafe fn gather<V: Vector>(lines: Access<'_, V::Scalar>, tile: Ptr<V>) {
    // SAFETY: the caller's.
    unsafe { V::enter(Gather { lines, tile }) }
}

/// Writes `tile` to the lines.
///
/// # Safety
/// As [`gather`], writable.
pub(crate) unsafe fn scatter<V: Vector>(lines: Access<'_, V::Scalar>, tile: Ptr<V>) {
    // SAFETY: the caller's.
    unsafe { V::enter(Scatter { lines, tile }) }
}

/// Fills a tile from each of the accesses. Where they continue each other, element i of all of them
/// is read as one run of memory before element i + 1, which lies a page or more away in a large
/// array.
///
/// # Safety
/// As [`gather`]; as many tiles as accesses.
pub(crate) unsafe fn gather_block<'a, V: Vector>(
    lines: impl ExactSizeIterator<Item = Access<'a, V::Scalar>> + Clone,
    tiles: &[Ptr<V>],
) {
    // SAFETY: the caller's.
    unsafe {
        match run_of::<V>(lines.clone()) {
            Some(run) => V::enter(GatherRun { run, tiles }),
            None => lines.zip(tiles).for_each(|(lines, tile)| gather(lines, *tile)),
        }
    }
}

/// The reverse of [`gather_block`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn scatter_block<'a, V: Vector>(
    lines: impl ExactSizeIterator<Item = Access<'a, V::Scalar>> + Clone,
    tiles: &[Ptr<V>],
) {
    // SAFETY: the caller's.
    unsafe {
        match run_of::<V>(lines.clone()) {
            Some(run) => V::enter(ScatterRun { run, tiles }),
            None => lines.zip(tiles).for_each(|(lines, tile)| scatter(lines, *tile)),
        }
    }
}

/// Accesses that continue each other.
pub(crate) struct Run<'a, S> {
    pub(crate) first: Access<'a, S>,
    /// Reals from the first access to the last, which may begin before the end of the one before
    /// it.
    pub(crate) last: isize,
}

impl<S> Run<'_, S> {
    /// Element i of the first line.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> Ptr<S> {
        self.first.origin.wrapping_offset(self.first.lanes[0] + i as isize * self.first.stride)
    }
}

/// All accesses as one run, if all are adjacent lines and each begins where the one before ends.
pub(crate) fn run_of<'a, V: Vector>(
    mut lines: impl ExactSizeIterator<Item = Access<'a, V::Scalar>>,
) -> Option<Run<'a, V::Scalar>> {
    let first = lines.next().filter(|first| first.adjacent(V::WIDTH) && V::WIDTH > 1)?;
    let (mut last, width) = (0, (V::WIDTH * first.parts) as isize);
    while let Some(next) = lines.next() {
        let step = next.lanes[0] - first.lanes[0] - last;
        let continues = step == width || lines.len() == 0 && (0..width).contains(&step);
        if !continues || !next.adjacent(V::WIDTH) {
            return None;
        }
        last += step;
    }
    Some(Run { first, last })
}

struct GatherRun<'a, V: Vector> {
    run: Run<'a, V::Scalar>,
    tiles: &'a [Ptr<V>],
}

impl<V: Vector> WithIsa for GatherRun<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Run { ref first, last } = self.run;
        let (ends, many) = self.tiles.split_last().expect("a block has tiles");
        // SAFETY: the caller of `gather_block`.
        unsafe {
            for i in 0..first.count {
                let row = self.run.row(i);
                let mut from = row;
                for tile in many {
                    gather_row(from, *tile, i, first.parts);
                    from = from.add(first.parts * V::WIDTH);
                }
                gather_row(row.offset(last), *ends, i, first.parts);
            }
        }
    }
}

/// Element i of adjacent lines.
///
/// # Safety
/// They are there, and the tile has that element.
#[inline(always)]
pub(crate) unsafe fn gather_row<V: Vector>(from: Ptr<V::Scalar>, tile: Ptr<V>, i: usize, parts: usize) {
    // SAFETY: the caller's.
    unsafe {
        if parts == 1 {
            tile.add(i).write(V::load(from));
        } else {
            let (re, im) = V::unzip(V::load(from), V::load(from.add(V::WIDTH)));
            tile.add(2 * i).write(re);
            tile.add(2 * i + 1).write(im);
        }
    }
}

struct ScatterRun<'a, V: Vector> {
    run: Run<'a, V::Scalar>,
    tiles: &'a [Ptr<V>],
}

impl<V: Vector> WithIsa for ScatterRun<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Run { ref first, last } = self.run;
        let (ends, many) = self.tiles.split_last().expect("a block has tiles");
        // SAFETY: the caller of `scatter_block`.
        unsafe {
            for i in 0..first.count {
                let row = self.run.row(i);
                let mut to = row;
                for tile in many {
                    scatter_row(to, *tile, i, first.parts);
                    to = to.add(first.parts * V::WIDTH);
                }
                scatter_row(row.offset(last), *ends, i, first.parts);
            }
        }
    }
}

/// The reverse of [`gather_row`].
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn scatter_row<V: Vector>(to: Ptr<V::Scalar>, tile: Ptr<V>, i: usize, parts: usize) {
    // SAFETY: the caller's.
    unsafe {
        if parts == 1 {
            tile.add(i).read().store(to);
        } else {
            let (low, high) = V::zip(tile.add(2 * i).read(), tile.add(2 * i + 1).read());
            low.store(to);
            high.store(to.add(V::WIDTH));
        }
    }
}

struct Gather<'a, V: Vector> {
    lines: Access<'a, V::Scalar>,
    tile: Ptr<V>,
}

impl<V: Vector> Gather<'_, V> {
    #[inline(always)]
    unsafe fn squares<const W: usize>(&self, reals: usize) {
        // Pointers of our own, which no store can change.
        let lanes = each!(j < W => self.lines.origin.wrapping_offset(self.lines.lanes[j]));
        let whole = reals / W * W;
        for i in (0..whole).step_by(W) {
            // SAFETY: the caller's; W reals of each line.
            unsafe {
                let mut rows = [V::zero(); W];
                for j in 0..W {
                    rows[j] = V::load(lanes[j].add(i));
                }
                V::transpose(&mut rows);
                for j in 0..W {
                    self.tile.add(i + j).write(rows[j]);
                }
            }
        }
        // SAFETY: the caller's.
        unsafe { self.one_by_one(whole, reals) }
    }

    #[inline(always)]
    unsafe fn one_by_one(&self, start: usize, end: usize) {
        let Gather { lines, tile } = self;
        let scalars = tile.cast::<V::Scalar>();
        for i in start..end {
            for lane in 0..V::WIDTH {
                // SAFETY: the caller's.
                unsafe { scalars.add(i * V::WIDTH + lane).write(lines.at(lane, i).read()) }
            }
        }
    }
}

impl<V: Vector> WithIsa for Gather<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let lines = &self.lines;
        let reals = lines.parts * lines.count;
        // SAFETY: the caller of `gather`.
        unsafe {
            if lines.contiguous() {
                match V::WIDTH {
                    2 => self.squares::<2>(reals),
                    4 => self.squares::<4>(reals),
                    8 => self.squares::<8>(reals),
                    16 => self.squares::<16>(reals),
                    _ => self.one_by_one(0, reals),
                }
            } else {
                self.one_by_one(0, reals);
            }
        }
    }
}

struct Scatter<'a, V: Vector> {
    lines: Access<'a, V::Scalar>,
    tile: Ptr<V>,
}

impl<V: Vector> Scatter<'_, V> {
    #[inline(always)]
    unsafe fn squares<const W: usize>(&self, reals: usize) {
        let lanes = each!(j < W => self.lines.origin.wrapping_offset(self.lines.lanes[j]));
        let (whole, used) = (reals / W * W, self.lines.used);
        for i in (0..whole).step_by(W) {
            // SAFETY: the caller's; W reals of each line that is there.
            unsafe {
                let mut rows = [V::zero(); W];
                for j in 0..W {
                    rows[j] = self.tile.add(i + j).read();
                }
                V::transpose(&mut rows);
                if used == W {
                    for j in 0..W {
                        rows[j].store(lanes[j].add(i));
                    }
                } else {
                    for j in 0..used {
                        rows[j].store(lanes[j].add(i));
                    }
                }
            }
        }
        // SAFETY: the caller's.
        unsafe { self.one_by_one(whole, reals) }
    }

    #[inline(always)]
    unsafe fn one_by_one(&self, start: usize, end: usize) {
        let Scatter { lines, tile } = self;
        let scalars = tile.cast::<V::Scalar>();
        for i in start..end {
            for lane in 0..lines.used {
                // SAFETY: the caller's.
                unsafe { lines.at(lane, i).write(scalars.add(i * V::WIDTH + lane).read()) }
            }
        }
    }
}

impl<V: Vector> WithIsa for Scatter<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let lines = &self.lines;
        let reals = lines.parts * lines.count;
        // SAFETY: the caller of `scatter`.
        unsafe {
            if lines.contiguous() {
                match V::WIDTH {
                    2 => self.squares::<2>(reals),
                    4 => self.squares::<4>(reals),
                    8 => self.squares::<8>(reals),
                    16 => self.squares::<16>(reals),
                    _ => self.one_by_one(0, reals),
                }
            } else {
                self.one_by_one(0, reals);
            }
        }
    }
}
