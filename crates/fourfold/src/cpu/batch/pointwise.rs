//! Tiles of lines times factors: those of a table, or products of one along the lines and one
//! across them.

use crate::arithmetic::complex::C;
use crate::cpu::batch::transpose::{Access, Run, gather, gather_row, run_of};
use crate::cpu::batch::values::Pair;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Vector, WithIsa};

/// The elements of a tile's lines: so many of so many reals, and whether their factors are complex.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) count: usize,
    pub(crate) parts: usize,
    pub(crate) complex: bool,
}

impl Elements {
    /// Multiplies element i of a tile; of real factors the second place is not looked at.
    ///
    /// # Safety
    /// The tile has it.
    #[inline(always)]
    unsafe fn multiply<V: Vector>(self, tile: Ptr<V>, i: usize, [re, im]: [V; 2]) {
        // SAFETY: the caller's.
        unsafe {
            if self.complex {
                let z = tile.cast::<C<V>>().add(i);
                z.write(z.read().mul(C { re, im }));
            } else {
                for part in 0..self.parts {
                    let x = tile.add(i * self.parts + part);
                    x.write(x.read() * re);
                }
            }
        }
    }
}

/// Multiplies each tile by what stands at the same place of a table; `free` has room for a tile of
/// factors.
///
/// # Safety
/// The tiles have these elements, and as many accesses are readable and have as many; the CPU has
/// the instructions of `V`.
pub(crate) unsafe fn by_table<'a, V: Vector>(
    elements: Elements,
    table: impl ExactSizeIterator<Item = Access<'a, V::Scalar>> + Clone,
    tiles: &[Ptr<V>],
    free: Ptr<V>,
) {
    // SAFETY: the caller's.
    unsafe {
        match run_of::<V>(table.clone()) {
            Some(run) => V::enter(ByRun { elements, run, tiles }),
            None => table.zip(tiles).for_each(|(lines, tile)| {
                gather(lines, free);
                V::enter(ByTile { elements, tile: *tile, factors: free });
            }),
        }
    }
}

/// Multiplies a tile by a factor for each place along its lines and one for each line, whose two
/// parts stand apart.
///
/// # Safety
/// The tile has these elements, and `along` as many; the CPU has the instructions of `V`.
pub(crate) unsafe fn by_lists<V: Vector>(
    elements: Elements,
    along: &[Pair<V::Scalar>],
    across: [[V::Scalar; LANES]; 2],
    tile: Ptr<V>,
) {
    // SAFETY: the caller's.
    unsafe { V::enter(ByLists { elements, along, across, tile }) }
}

/// Rows of the table that are one run of memory for all tiles are read as one.
struct ByRun<'a, V: Vector> {
    elements: Elements,
    run: Run<'a, V::Scalar>,
    tiles: &'a [Ptr<V>],
}

impl<V: Vector> WithIsa for ByRun<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByRun { elements, run, tiles } = self;
        let step = run.first.parts * V::WIDTH;
        for i in 0..elements.count {
            // SAFETY: the caller of `by_table`; the last access begins where the run says, each
            // other one where the one before it ends.
            unsafe {
                for (g, tile) in tiles.iter().enumerate() {
                    let at = if g + 1 == tiles.len() { run.last } else { (g * step) as isize };
                    let mut factor = [V::zero(); 2];
                    gather_row(run.row(i).offset(at), Ptr::new(factor.as_mut_ptr(), 2), 0, run.first.parts);
                    elements.multiply(*tile, i, factor);
                }
            }
        }
    }
}

struct ByTile<V> {
    elements: Elements,
    tile: Ptr<V>,
    factors: Ptr<V>,
}

impl<V: Vector> WithIsa for ByTile<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByTile { elements, tile, factors } = self;
        for i in 0..elements.count {
            // SAFETY: the caller of `by_table`.
            unsafe {
                let factor = match elements.complex {
                    true => [factors.add(2 * i).read(), factors.add(2 * i + 1).read()],
                    false => [factors.add(i).read(); 2],
                };
                elements.multiply(tile, i, factor);
            }
        }
    }
}

struct ByLists<'a, V: Vector> {
    elements: Elements,
    along: &'a [Pair<V::Scalar>],
    across: [[V::Scalar; LANES]; 2],
    tile: Ptr<V>,
}

impl<V: Vector> WithIsa for ByLists<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByLists { elements, along, across, tile } = self;
        // SAFETY: there are as many as lanes of any vector.
        let [re, im] = unsafe { [V::load(Ptr::of(&across[0])), V::load(Ptr::of(&across[1]))] };
        for (i, Pair(x, y)) in along.iter().enumerate() {
            // SAFETY: the caller of `by_lists`.
            unsafe {
                let factor = match elements.complex {
                    true => C { re: V::splat(*x), im: V::splat(*y) }.mul(C { re, im }),
                    false => C { re: V::splat(*x) * re, im },
                };
                elements.multiply(tile, i, [factor.re, factor.im]);
            }
        }
    }
}
