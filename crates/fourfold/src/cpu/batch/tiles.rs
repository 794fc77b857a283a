//! Executes the steps of a pass on blocks of tiles: reads the lines, computes, and writes the
//! lines.

use crate::cpu::base::memory::Array;
use crate::cpu::base::sizes::{GROUP, Sizes};
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::pointwise::{Elements, by_lists, by_table};
use crate::cpu::batch::prepared::{PreparedOp, PreparedPass};
use crate::cpu::batch::tiling::{ARRAYS, Lines, Tile};
use crate::cpu::batch::transpose::{Access, gather_block, scatter_block};
use crate::cpu::batch::values::{Rule, Values};
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Vector, VectorTask, WithIsa};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Executes block `index` of a pass in the buffers of one thread.
pub(crate) struct BlockTask<'a, S> {
    pub(crate) tiles: &'a Tiles<'a, S>,
    pub(crate) index: usize,
    pub(crate) buffer: Ptr<u8>,
}

impl<S: Dispatch> VectorTask<S> for BlockTask<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { self.tiles.execute_block::<V>(self.index, self.buffer.cast()) }
    }
}

/// One pass from one array to another.
pub(crate) struct Tiles<'a, S> {
    sizes: &'a Sizes,
    pass: &'a PreparedPass<S>,
    pub(crate) from: &'a Array<S>,
    to: &'a Array<S>,
    table: Option<Array<S>>,
    /// The memory for the first element that is multiplied.
    first: Ptr<S>,
    pub(crate) lines: Lines,
    pub(crate) width: usize,
    /// The number of tiles in a block.
    pub(crate) group: usize,
    /// The number of threads that the pass is worth.
    pub(crate) workers: usize,
    /// The reals of a line in the source, and those that its transform reads. The difference are
    /// zeros, which are not in memory.
    reals: [usize; 2],
}

// SAFETY: tiles access disjoint lines of the arrays.
unsafe impl<S: Dispatch> Sync for Tiles<'_, S> {}

impl<'a, S: Dispatch> Tiles<'a, S> {
    /// The tiles of `pass` from one array to another. With `split`, the parts of complex numbers
    /// are one more axis of these arrays. `first` is the memory for the first element that is
    /// multiplied.
    pub(crate) fn new(
        sizes: &'a Sizes,
        pass: &'a PreparedPass<S>,
        [from, to]: [&'a Array<S>; 2],
        split: bool,
        threads: usize,
        first: Ptr<S>,
    ) -> Self {
        let values =
            pass.ops.iter().find_map(|op| if let PreparedOp::Multiply(values) = op { Some(&**values) } else { None });
        let table = values.and_then(|values| values.array(split));
        let width = sizes.vector / size_of::<S>();
        let lines = Lines::new(pass.axis, [from, to, table.as_ref().unwrap_or(to)], values.is_none(), width);
        // If the lines are not contiguous, a block has several tiles, whose elements with the same
        // index are read together.
        let across = |array: &Array<S>| array.strides[pass.axis].unsigned_abs() > array.parts;
        let most = if across(from) || across(to) { sizes.slots - 1 } else { 1 };
        let workers = sizes.machine.workers(lines.count() * from.shape[pass.axis], threads);
        let group = lines.group(width, most, workers, sizes.machine.blocks_each(from.bytes().max(to.bytes())));
        let present = from.shape[pass.axis] * from.parts;
        let reals = if let Some(PreparedOp::Batch(line)) = pass.ops.first() { line.ends.input } else { present };
        Tiles { sizes, pass, from, to, table, first, lines, width, group, workers, reals: [present, reals] }
    }
}

impl<S: Dispatch> Tiles<'_, S> {
    fn access<'t>(&self, array: &Array<S>, number: usize, tile: &'t Tile) -> Access<'t, S> {
        debug_assert!(number < ARRAYS);
        let axis = self.pass.axis;
        Access {
            origin: array.origin,
            lanes: &tile.offsets[number],
            used: tile.used,
            stride: array.strides[axis],
            parts: array.parts,
            count: array.shape[axis],
        }
    }

    /// The element of a line at which copying a block begins. Workers that begin at the same time
    /// begin in different parts of an array, so that they do not all wait for the cache of the one
    /// that has computed its first elements. If the pass before went along the last axis, these
    /// parts are those that they have computed themselves.
    fn start(&self, array: &Array<S>, tiles: &[Tile]) -> usize {
        if self.workers == 1 { 0 } else { array.shape[self.pass.axis] * tiles[0].first / self.lines.count() }
    }

    /// Executes one block.
    ///
    /// # Safety
    /// The arrays and buffers are in memory, no other thread accesses the buffers or lines of the
    /// block, and the CPU has the instructions of `V`.
    unsafe fn execute_block<V: Vector<Scalar = S>>(&self, index: usize, buffer: Ptr<V>) {
        let (first, count) = self.lines.block(index, V::WIDTH, self.group);
        // Only the tiles of the block are made: 16 of them take longer than transforms of short lines.
        let mut memory = [const { MaybeUninit::<Tile>::uninit() }; GROUP];
        for (g, tile) in memory[..count].iter_mut().enumerate() {
            let tile = tile.write(Tile::default());
            match count {
                1 => self.lines.set_tile(tile, first, V::WIDTH),
                _ => self.lines.set_full_tile(tile, first + g, V::WIDTH),
            }
        }
        // SAFETY: the loop has written these tiles.
        let tiles = unsafe { std::slice::from_raw_parts(memory.as_ptr().cast::<Tile>(), count) };
        let step = self.sizes.slot();
        let direct = self.direct::<V>();
        let lines = |array, number| tiles.iter().map(move |tile| self.access(array, number, tile));
        // SAFETY: the caller guarantees it. Slots and work vectors are disjoint parts of the
        // thread's buffers.
        unsafe {
            let mut slots = std::array::from_fn::<_, GROUP, _>(|g| buffer.add(g.min(count - 1) * step).first(step));
            let mut free = buffer.add(count * step).first(step);
            let work = buffer.add(self.sizes.slots * step);
            let slots = &mut slots[..count];
            if !direct[0] {
                gather_block(lines(self.from, 0), slots, self.start(self.from, tiles));
                let [present, reals] = self.reals;
                slots.iter().for_each(|slot| V::enter(Clear { tile: *slot, range: present..reals }));
            }
            // All steps of a tile come before those of the next, so that it stays in the caches.
            for (g, tile) in tiles.iter().enumerate() {
                // If both ends are direct, all tiles use the same slot, which stays in the first-level
                // cache.
                let slot = &mut slots[if direct == [true; 2] { 0 } else { g }];
                for op in &self.pass.ops {
                    match op {
                        PreparedOp::Batch(line) => {
                            let result = line.transform(self.ends(tile, direct), *slot, free, work);
                            if result == free {
                                std::mem::swap(slot, &mut free);
                            }
                        }
                        PreparedOp::Multiply(values) => self.multiply(values, tile, *slot),
                    }
                }
            }
            if !direct[1] {
                scatter_block(lines(self.to, 1), slots, self.start(self.to, tiles));
            }
        }
    }

    /// Whether vectors are read directly from the array, and whether they are written directly to
    /// it, without a tile. This needs vectors that are whole cache lines, and a cache that has room
    /// for all of a tile, so that no line is fetched twice. A written line counts twice, because it
    /// is also fetched.
    fn direct<V: Vector<Scalar = S>>(&self) -> [bool; 2] {
        let machine = self.sizes.machine;
        let is_line = size_of::<V>() == machine.line && self.lines.fill(V::WIDTH);
        let is_near = |(array, fetched): (&Array<S>, usize)| {
            let stride = array.strides[self.pass.axis].unsigned_abs() * size_of::<S>();
            let lines = array.shape[self.pass.axis] * fetched;
            array.parts == 1 && array.bytes() <= machine.stays_cached() && lines <= machine.lines_at(stride)
        };
        match &self.pass.ops[..] {
            [PreparedOp::Batch(line)] if is_line && line.is_direct::<V>() => {
                [self.reals[0] == self.reals[1] && is_near((self.from, 1)), is_near((self.to, 2))]
            }
            _ => [false; 2],
        }
    }

    /// The lines of a tile in those arrays that are accessed directly.
    fn ends(&self, tile: &Tile, direct: [bool; 2]) -> [Option<Strided<S>>; 2] {
        [(0, self.from), (1, self.to)].map(|(number, array)| {
            direct[number].then(|| Strided {
                base: array.origin.wrapping_offset(tile.offsets[number][0]),
                stride: array.strides[self.pass.axis],
            })
        })
    }

    /// Multiplies a tile in `slot` by the plan's factors.
    ///
    /// # Safety
    /// The slot has the lines of the array that is multiplied.
    unsafe fn multiply<V: Vector<Scalar = S>>(&self, values: &Values<S>, tile: &Tile, slot: Ptr<V>) {
        let count = values.shape[self.pass.axis];
        // With split parts, a line has only one part of each complex number.
        let split = self.from.axes > values.shape.len();
        let parts = if split { 1 } else { values.domain_parts };
        let elements = Elements { count, parts, complex: values.is_complex() };
        // SAFETY: the caller guarantees it. The scratch has memory for the first element, and only one
        // tile has that.
        unsafe {
            if tile.first == 0 && values.rule() == Rule::ReciprocalSum {
                self.first.write(slot.cast::<S>().read());
            }
            match values.along(self.pass.axis) {
                None => {
                    let table = self.table.as_ref().expect("factors stand along the axes or in a table");
                    by_table(elements, self.access(table, 2, tile), slot);
                }
                Some(along) => by_lists(elements, values.rule(), along, self.across(values, tile), slot),
            }
        }
    }

    /// The products of factors across a tile's lines: the real parts, and the imaginary parts.
    fn across(&self, values: &Values<S>, tile: &Tile) -> [[S; LANES]; 2] {
        let mut across = [[S::default(); LANES]; 2];
        for lane in 0..self.width {
            let line = tile.first + lane.min(tile.used - 1);
            [across[0][lane], across[1][lane]] = values.across(self.pass.axis, self.lines.indices(line));
        }
        across
    }
}

/// Sets a range of a tile's vectors to zero.
struct Clear<V> {
    tile: Ptr<V>,
    range: Range<usize>,
}

impl<V: Vector> WithIsa for Clear<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: the tile has these vectors.
        self.range.for_each(|i| unsafe { self.tile.add(i).write(V::zero()) });
    }
}
