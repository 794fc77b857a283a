//! The steps of a combine, and the pairs of numbers that they read and write.

use crate::cpu::base::strided::Strided;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;
use crate::recipe::reorder::Index;

/// A step with its coefficients in the engine's precision.
pub(crate) enum CombineStep<S> {
    Zero {
        to: isize,
    },
    One {
        count: usize,
        from: Index,
        to: Index,
        by: S,
    },
    Two {
        count: usize,
        from: [Index; 2],
        to: [Index; 2],
        matrix: [S; 4],
    },
    /// y_0 + i y_1 = (a − ib)(x_0 + i x_1) or the conjugate of that, with (a, b) from the table.
    Rotate {
        from: [Index; 2],
        to: [Index; 2],
        table: Vec<[S; 2]>,
        conjugate: bool,
    },
}

/// Two sequences of numbers in one signal that can be loaded as vectors.
#[derive(Clone, Copy)]
pub(crate) enum Pair {
    /// Interleaved sequences: elements `a` + 2i and `a` + 2i + 1.
    Interleaved(isize),
    /// The places of Hermitian pairs: the first sequence ascends from the first index, and the
    /// second one descends from the second index.
    Hermitian(isize, isize),
    /// The first sequence descends from the first index, and the second one ascends from the second
    /// index.
    HermitianReversed(isize, isize),
}

impl Pair {
    pub(crate) fn of<S>(rows: &Strided<S>, indices: [Index; 2]) -> Option<Pair> {
        if rows.stride == 1 { Pair::of_indices(indices) } else { None }
    }

    pub(crate) fn of_indices([a, b]: [Index; 2]) -> Option<Pair> {
        match (a.step, b.step) {
            (2, 2) if b.start == a.start + 1 => Some(Pair::Interleaved(a.start)),
            (1, -1) => Some(Pair::Hermitian(a.start, b.start)),
            (-1, 1) => Some(Pair::HermitianReversed(a.start, b.start)),
            _ => None,
        }
    }

    /// Loads numbers i … i + WIDTH − 1 of both sequences.
    ///
    /// # Safety
    /// The numbers are in memory.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector>(self, base: Ptr<V::Scalar>, i: isize) -> (V, V) {
        let last = V::WIDTH as isize - 1;
        // SAFETY: the caller guarantees it.
        unsafe {
            let at = |place: isize| V::load(base.offset(place));
            match self {
                Pair::Interleaved(a) => V::unzip(at(a + 2 * i), at(a + 2 * i + last + 1)),
                Pair::Hermitian(a, b) => (at(a + i), at(b - i - last).reverse()),
                Pair::HermitianReversed(a, b) => (at(a - i - last).reverse(), at(b + i)),
            }
        }
    }

    /// Stores numbers i … i + WIDTH − 1 of both sequences.
    ///
    /// # Safety
    /// The numbers are in memory.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector>(self, base: Ptr<V::Scalar>, i: isize, x: V, y: V) {
        let last = V::WIDTH as isize - 1;
        // SAFETY: the caller guarantees it.
        unsafe {
            let (p, q, x, y) = match self {
                Pair::Interleaved(a) => {
                    let (x, y) = V::zip(x, y);
                    (a + 2 * i, a + 2 * i + last + 1, x, y)
                }
                Pair::Hermitian(a, b) => (a + i, b - i - last, x, y.reverse()),
                Pair::HermitianReversed(a, b) => (a - i - last, b + i, x.reverse(), y),
            };
            x.store(base.offset(p));
            y.store(base.offset(q));
        }
    }
}

/// The rotation of [`CombineStep::Rotate`].
#[inline(always)]
pub(crate) fn rotate<V: Vector>(x: V, y: V, a: V, b: V, conjugate: bool) -> [V; 2] {
    [x.mul_add(a, y * b), if conjugate { x.mul_sub(b, y * a) } else { y.mul_sub(a, x * b) }]
}
