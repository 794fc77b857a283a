//! Multiplies tiles of lines by factors, which are those of a table, or follow from one number along
//! the lines and one across them.

use crate::arithmetic::complex::C;
use crate::cpu::batch::transpose::{Access, Gather};
use crate::cpu::batch::values::Rule;
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

/// Multiplies a tile by the elements of a table, which `factors` accesses.
///
/// # Safety
/// The tile and the table have these elements. The CPU has the instructions of `V`.
pub(crate) unsafe fn by_table<V: Vector>(elements: Elements, factors: Access<'_, V::Scalar>, tile: Ptr<V>) {
    // SAFETY: the caller guarantees it.
    unsafe { V::enter(ByTable { elements, factors, tile }) }
}

/// Multiplies a tile by factors that `rule` makes of `along`, one number for each index along the
/// lines, and `across`, the real and imaginary parts of one number for each line.
///
/// # Safety
/// The tile has these elements, and `along` has as many. The CPU has the instructions of `V`.
pub(crate) unsafe fn by_lists<V: Vector>(
    elements: Elements,
    rule: Rule,
    along: &[V::Scalar],
    across: [[V::Scalar; LANES]; 2],
    tile: Ptr<V>,
) {
    // SAFETY: the caller guarantees it.
    unsafe { V::enter(ByLists { elements, rule, along, across, tile }) }
}

impl Rule {
    /// The real factors of numbers along a line and across it.
    #[inline(always)]
    pub(crate) fn factor<V: Vector>(self, along: V, across: V) -> V {
        match self {
            Rule::Product => along * across,
            Rule::ReciprocalSum => (along + across).reciprocal(),
        }
    }
}

struct ByTable<'a, V: Vector> {
    elements: Elements,
    factors: Access<'a, V::Scalar>,
    tile: Ptr<V>,
}

/// The elements whose factors are gathered at the same time, so that they stay in registers or the
/// first-level cache.
const GATHERED: usize = LANES;

impl<V: Vector> WithIsa for ByTable<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByTable { elements, factors, tile } = self;
        // SAFETY: the caller of `by_table` guarantees it.
        unsafe {
            let mut gathered = [V::zero(); 2 * GATHERED];
            for first in (0..elements.count).step_by(GATHERED) {
                let count = GATHERED.min(elements.count - first);
                let buffer = Ptr::new(gathered.as_mut_ptr(), gathered.len());
                Gather { lines: factors.part(first, count), tile: buffer }.copy();
                for i in 0..count {
                    let factor = match elements.complex {
                        true => [buffer.add(2 * i).read(), buffer.add(2 * i + 1).read()],
                        false => [buffer.add(i).read(); 2],
                    };
                    elements.multiply(tile, first + i, factor);
                }
            }
        }
    }
}

struct ByLists<'a, V: Vector> {
    elements: Elements,
    rule: Rule,
    along: &'a [V::Scalar],
    across: [[V::Scalar; LANES]; 2],
    tile: Ptr<V>,
}

impl<V: Vector> WithIsa for ByLists<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let ByLists { elements, rule, along, across, tile } = self;
        // SAFETY: the arrays have as many elements as the longest vector.
        let [re, im] = unsafe { [V::load(Ptr::of(&across[0])), V::load(Ptr::of(&across[1]))] };
        for i in 0..elements.count {
            // SAFETY: the caller of `by_lists` guarantees it.
            unsafe {
                let factor = match elements.complex {
                    true => C { re: V::splat(along[2 * i]), im: V::splat(along[2 * i + 1]) }.mul(C { re, im }),
                    false => C { re: rule.factor(V::splat(along[i]), re), im },
                };
                elements.multiply(tile, i, [factor.re, factor.im]);
            }
        }
    }
}
