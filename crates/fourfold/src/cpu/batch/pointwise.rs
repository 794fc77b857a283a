//! Multiplies tiles of lines by factors, which are those of a table, or products of a factor along
//! the lines and one across them.

use crate::arithmetic::complex::C;
use crate::cpu::batch::transpose::{Access, ContiguousRun, contiguous_run, gather, gather_row};
use crate::cpu::batch::values::FactorValue;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Vector, WithIsa};

/// The elements of a tile's lines: their number, the reals of each, and whether their factors are
/// complex.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) count: usize,
    pub(crate) parts: usize,
    pub(crate) complex: bool,
}

impl Elements {
    /// Multiplies element i of a tile. For a real factor, `im` is not used.
    ///
    /// # Safety
    /// The tile has element i.
    #[inline(always)]
    unsafe fn multiply<V: Vector>(self, tile: Ptr<V>, i: usize, [re, im]: [V; 2]) {
        // SAFETY: the caller guarantees it.
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

/// Multiplies each tile by the elements of a table. `free` has room for a tile of factors.
///
/// # Safety
/// The tiles have these elements. There is one access to the table for each tile, which is readable
/// and has as many elements. The CPU has the instructions of `V`.
pub(crate) unsafe fn by_table<'a, V: Vector>(
    elements: Elements,
    table: impl ExactSizeIterator<Item = Access<'a, V::Scalar>> + Clone,
    tiles: &[Ptr<V>],
    free: Ptr<V>,
) {
    // SAFETY: the caller guarantees it.
    unsafe {
        match contiguous_run::<V>(table.clone()) {
            Some(run) => V::enter(ByRun { elements, run, tiles }),
            None => table.zip(tiles).for_each(|(lines, tile)| {
                gather(lines, free);
                V::enter(ByTile { elements, tile: *tile, factors: free });
            }),
        }
    }
}

/// Multiplies a tile by the products of `along`, one factor for each index along the lines, and
/// `across`, the real and imaginary parts of one factor for each line.
///
/// # Safety
/// The tile has these elements, and `along` has as many. The CPU has the instructions of `V`.
pub(crate) unsafe fn by_lists<V: Vector>(
    elements: Elements,
    along: &[FactorValue<V::Scalar>],
    across: [[V::Scalar; LANES]; 2],
    tile: Ptr<V>,
) {
    // SAFETY: the caller guarantees it.
    unsafe { V::enter(ByLists { elements, along, across, tile }) }
}

/// Multiplies by a table in which the elements of all tiles with the same index along the lines are
/// contiguous. They are read in order.
struct ByRun<'a, V: Vector> {
    elements: Elements,
    run: ContiguousRun<'a, V::Scalar>,
    tiles: &'a [Ptr<V>],
}

impl<V: Vector> WithIsa for ByRun<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByRun { elements, run, tiles } = self;
        let step = run.first.parts * V::WIDTH;
        for i in 0..elements.count {
            // SAFETY: the caller of `by_table` guarantees it. The last access begins at `run.last`,
            // and each other one at the end of the one before.
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
            // SAFETY: the caller of `by_table` guarantees it.
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
    along: &'a [FactorValue<V::Scalar>],
    across: [[V::Scalar; LANES]; 2],
    tile: Ptr<V>,
}

impl<V: Vector> WithIsa for ByLists<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByLists { elements, along, across, tile } = self;
        // SAFETY: the arrays have as many elements as the longest vector.
        let [re, im] = unsafe { [V::load(Ptr::of(&across[0])), V::load(Ptr::of(&across[1]))] };
        for (i, FactorValue(x, y)) in along.iter().enumerate() {
            // SAFETY: the caller of `by_lists` guarantees it.
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
