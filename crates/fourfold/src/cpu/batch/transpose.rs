//! Copies lines of an array to a tile of vectors, and tiles to lines. Lane j of every vector
//! belongs to line j.

use crate::arithmetic::complex::each;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Vector, WithIsa};

/// The lines of one tile in an array of reals.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a, S> {
    pub(crate) origin: Ptr<S>,
    /// The offset of each line.
    pub(crate) lanes: &'a [isize; LANES],
    /// The number of lines. The other lanes repeat the last line.
    pub(crate) used: usize,
    /// The distance between neighbours along the line, in reals.
    pub(crate) stride: isize,
    /// The reals of an element, which are contiguous.
    pub(crate) parts: usize,
    /// The number of elements of a line.
    pub(crate) count: usize,
}

impl<S> Access<'_, S> {
    /// Elements `first` to `first` + `count` − 1 of each line.
    #[inline(always)]
    pub(crate) fn part(self, first: usize, count: usize) -> Self {
        Access { origin: self.origin.wrapping_offset(first as isize * self.stride), count, ..self }
    }

    /// Whether there are `width` lines whose elements with the same index are contiguous.
    pub(crate) fn adjacent(&self, width: usize) -> bool {
        let step = |j: usize| self.lanes[j] - self.lanes[j - 1] == self.parts as isize;
        self.used == width && (1..width).all(step)
    }

    /// Whether the elements of each line are contiguous.
    fn contiguous(&self) -> bool {
        self.stride == self.parts as isize
    }

    /// The address of real number `i` of line `lane`.
    #[inline(always)]
    unsafe fn at(&self, lane: usize, i: usize) -> Ptr<S> {
        let offset = self.lanes[lane] + (i / self.parts) as isize * self.stride + (i % self.parts) as isize;
        // SAFETY: the caller guarantees it.
        unsafe { self.origin.offset(offset) }
    }
}

/// Copies the lines to `tile`, which gets parts · count vectors.
///
/// # Safety
/// The lines are readable, the tile has enough vectors, and the CPU has the instructions of `V`.
pub(crate) unsafe fn gather<V: Vector>(lines: Access<'_, V::Scalar>, tile: Ptr<V>) {
    // SAFETY: the caller guarantees it.
    unsafe { V::enter(Gather { lines, tile }) }
}

/// Copies `tile` to the lines.
///
/// # Safety
/// As for [`gather`], but the lines are writable.
pub(crate) unsafe fn scatter<V: Vector>(lines: Access<'_, V::Scalar>, tile: Ptr<V>) {
    // SAFETY: the caller guarantees it.
    unsafe { V::enter(Scatter { lines, tile }) }
}

/// Copies the lines of each access to its tile. If the accesses are neighbours in memory, elements
/// i of all of them are read before elements i + 1, which are in other pages if the array is large.
/// Element `start` comes first then, and the elements before it last.
///
/// # Safety
/// As for [`gather`]. There is one tile for each access, and `start` is not beyond the end of the
/// lines.
pub(crate) unsafe fn gather_block<'a, V: Vector>(
    lines: impl ExactSizeIterator<Item = Access<'a, V::Scalar>> + Clone,
    tiles: &[Ptr<V>],
    start: usize,
) {
    // SAFETY: the caller guarantees it.
    unsafe {
        match contiguous_run::<V>(lines.clone()) {
            Some(run) => V::enter(GatherRun { run, tiles, start }),
            None => lines.zip(tiles).for_each(|(lines, tile)| gather(lines, *tile)),
        }
    }
}

/// Copies each tile to the lines of its access: see [`gather_block`].
///
/// # Safety
/// As for the function that copies in the other direction.
pub(crate) unsafe fn scatter_block<'a, V: Vector>(
    lines: impl ExactSizeIterator<Item = Access<'a, V::Scalar>> + Clone,
    tiles: &[Ptr<V>],
    start: usize,
) {
    // SAFETY: the caller guarantees it.
    unsafe {
        match contiguous_run::<V>(lines.clone()) {
            Some(run) => V::enter(ScatterRun { run, tiles, start }),
            None => lines.zip(tiles).for_each(|(lines, tile)| scatter(lines, *tile)),
        }
    }
}

/// Accesses that are neighbours in memory.
struct ContiguousRun<'a, S> {
    first: Access<'a, S>,
    /// The distance in reals from the first access to the last, which may overlap with the one
    /// before.
    last: isize,
}

impl<S> ContiguousRun<'_, S> {
    /// The address of element i of the first line.
    #[inline(always)]
    fn row(&self, i: usize) -> Ptr<S> {
        self.first.origin.wrapping_offset(self.first.lanes[0] + i as isize * self.first.stride)
    }
}

/// All accesses as one run, if the lines of each are adjacent and each access begins at the end of
/// the one before.
fn contiguous_run<'a, V: Vector>(
    mut lines: impl ExactSizeIterator<Item = Access<'a, V::Scalar>>,
) -> Option<ContiguousRun<'a, V::Scalar>> {
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
    Some(ContiguousRun { first, last })
}

/// Defines a task that copies a block by `$row`, which copies element i of one tile: for each i from
/// `start` on, and then for those before, the tiles in order. The last access may overlap with the
/// one before.
macro_rules! over_rows {
    ($task:ident, $row:ident) => {
        struct $task<'a, V: Vector> {
            run: ContiguousRun<'a, V::Scalar>,
            tiles: &'a [Ptr<V>],
            start: usize,
        }

        impl<V: Vector> WithIsa for $task<'_, V> {
            #[inline(always)]
            unsafe fn with_isa(self) {
                let ContiguousRun { ref first, last } = self.run;
                let (end, others) = self.tiles.split_last().expect("a block has tiles");
                // SAFETY: the caller of `gather_block` or `scatter_block` guarantees it.
                unsafe {
                    for range in [self.start..first.count, 0..self.start] {
                        for i in range {
                            let row = self.run.row(i);
                            let mut at = row;
                            for tile in others {
                                $row(at, *tile, i, first.parts);
                                at = at.add(first.parts * V::WIDTH);
                            }
                            $row(row.offset(last), *end, i, first.parts);
                        }
                    }
                }
            }
        }
    };
}
over_rows!(GatherRun, gather_row);
over_rows!(ScatterRun, scatter_row);

/// Copies element i of adjacent lines.
///
/// # Safety
/// The elements are in memory, and the tile has element i.
#[inline(always)]
unsafe fn gather_row<V: Vector>(from: Ptr<V::Scalar>, tile: Ptr<V>, i: usize, parts: usize) {
    // SAFETY: the caller guarantees it.
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

/// Copies element i of a tile to adjacent lines.
///
/// # Safety
/// As for the function that copies in the other direction.
#[inline(always)]
unsafe fn scatter_row<V: Vector>(to: Ptr<V::Scalar>, tile: Ptr<V>, i: usize, parts: usize) {
    // SAFETY: the caller guarantees it.
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

/// Copies lines to a tile.
pub(crate) struct Gather<'a, V: Vector> {
    pub(crate) lines: Access<'a, V::Scalar>,
    pub(crate) tile: Ptr<V>,
}

impl<V: Vector> Gather<'_, V> {
    #[inline(always)]
    unsafe fn squares<const W: usize>(&self, reals: usize) {
        // These are local copies, so the compiler knows that no store changes them.
        let lanes = each!(j < W => self.lines.origin.wrapping_offset(self.lines.lanes[j]));
        // The last square may overlap with the one before, which is faster than single reals.
        let whole = if reals < W { 0 } else { reals };
        for i in (0..whole).step_by(W).map(|i| i.min(reals - W)) {
            // SAFETY: the caller guarantees W reals of each line.
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
        // SAFETY: the caller guarantees it.
        unsafe { self.one_by_one(whole, reals) }
    }

    #[inline(always)]
    unsafe fn one_by_one(&self, start: usize, end: usize) {
        let Gather { lines, tile } = self;
        let scalars = tile.cast::<V::Scalar>();
        for i in start..end {
            for lane in 0..V::WIDTH {
                // SAFETY: the caller guarantees it.
                unsafe { scalars.add(i * V::WIDTH + lane).write(lines.at(lane, i).read()) }
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
        let (whole, used) = (if reals < W { 0 } else { reals }, self.lines.used);
        for i in (0..whole).step_by(W).map(|i| i.min(reals - W)) {
            // SAFETY: the caller guarantees W reals of each of the `used` lines.
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
        // SAFETY: the caller guarantees it.
        unsafe { self.one_by_one(whole, reals) }
    }

    #[inline(always)]
    unsafe fn one_by_one(&self, start: usize, end: usize) {
        let Scatter { lines, tile } = self;
        let scalars = tile.cast::<V::Scalar>();
        for i in start..end {
            for lane in 0..lines.used {
                // SAFETY: the caller guarantees it.
                unsafe { lines.at(lane, i).write(scalars.add(i * V::WIDTH + lane).read()) }
            }
        }
    }
}

/// Copies contiguous lines by transposing squares, and other lines one real after another.
macro_rules! by_squares {
    ($task:ident) => {
        impl<V: Vector> WithIsa for $task<'_, V> {
            #[inline(always)]
            unsafe fn with_isa(self) {
                // SAFETY: the caller of `gather` or `scatter` guarantees it.
                unsafe { self.copy() }
            }
        }

        impl<V: Vector> $task<'_, V> {
            /// Copies all elements, inside of [`Vector::enter`].
            ///
            /// # Safety
            /// As for [`gather`] or [`scatter`].
            #[inline(always)]
            pub(crate) unsafe fn copy(&self) {
                let lines = &self.lines;
                let reals = lines.parts * lines.count;
                // SAFETY: the caller guarantees it.
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
    };
}
by_squares!(Gather);
by_squares!(Scatter);
