//! Executes the combines of [`crate::recipe::rules::cosine_sine`] on vectors.

use crate::cpu::base::strided::Strided;
use crate::cpu::batch::combine_steps::{CombineStep, Pair, rotate};
use crate::cpu::batch::fused_combine::{FusedCombine, Shape};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::recipe::reduction::{Rotation, Step};
use crate::recipe::reorder::Index;

/// A combine with its coefficients in the engine's precision.
pub(crate) struct Combine<S> {
    pub(crate) steps: Vec<CombineStep<S>>,
    pub(crate) shape: Option<Shape<S>>,
}

/// The side of the DFT on which a combine is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl<S: Scalar> CombineStep<S> {
    /// Prepares a step of a combine on this side of a DFT of `len` elements.
    fn new(step: &Step, side: Side, len: usize) -> Vec<Self> {
        let (from, to) = match side {
            Side::Before => (step.line(), step.spectrum(len)),
            Side::After => (step.spectrum(len), step.line()),
        };
        let one = |i: usize, by: f64| CombineStep::One { count: step.count(), from: from[i], to: to[i], by: S::of(by) };
        match step {
            Step::Zero { .. } => vec![CombineStep::Zero { to: to[0].start }],
            Step::End { by, .. } | Step::Part { by, .. } => vec![one(0, *by)],
            Step::Scale { by, .. } => vec![one(0, *by), one(1, *by)],
            Step::Hartley { count, by, .. } => {
                vec![CombineStep::Two { count: *count, from, to, matrix: Step::hartley(*by).map(S::of) }]
            }
            Step::Rotate(rotation) => vec![Self::rotate(rotation, from, to)],
        }
    }

    /// Prepares a rotation. A single one needs no table.
    fn rotate(rotation: &Rotation, from: [Index; 2], to: [Index; 2]) -> Self {
        match *rotation.table() {
            [entry] => CombineStep::Two { count: 1, from, to, matrix: rotation.matrix(entry).map(S::of) },
            ref table => CombineStep::Rotate {
                from,
                to,
                table: table.iter().map(|entry| entry.map(S::of)).collect(),
                conjugate: rotation.conjugate,
            },
        }
    }
}

impl<S: Scalar> Combine<S> {
    /// Prepares the steps of a combine on this side of a DFT of `len` elements.
    pub(crate) fn new(steps: &[Step], side: Side, len: usize) -> Self {
        let prepared: Vec<_> = steps.iter().flat_map(|step| CombineStep::new(step, side, len)).collect();
        let shape = Shape::new(steps, &prepared);
        Combine { steps: prepared, shape }
    }

    /// The combine as part of a pass, if its [`Shape`] allows this.
    pub(crate) fn fused(&self) -> Option<FusedCombine<'_, S>> {
        let shape = self.shape.as_ref()?;
        match &self.steps[shape.step] {
            CombineStep::Rotate { table, .. } => Some(FusedCombine { shape, table }),
            _ => None,
        }
    }

    /// Applies all steps. `from` and `to` must not overlap.
    ///
    /// # Safety
    /// The elements of all steps are in memory, and the CPU has the instructions of `V`.
    pub(crate) unsafe fn apply<V: Vector<Scalar = S>>(&self, from: Strided<S>, to: Strided<S>) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(Combining::<V> { combine: self, from, to }) }
    }
}

struct Combining<'a, V: Vector> {
    combine: &'a Combine<V::Scalar>,
    from: Strided<V::Scalar>,
    to: Strided<V::Scalar>,
}

/// Applies a combine to one signal. `from` and `to` are sequences of scalars.
pub(crate) struct CombineAlong<'a, S> {
    pub(crate) combine: &'a Combine<S>,
    pub(crate) from: Strided<S>,
    pub(crate) to: Strided<S>,
}

impl<S: Scalar + Vector<Scalar = S>> VectorTask<S> for CombineAlong<'_, S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(CombiningAlong::<V> { combine: self.combine, from: self.from, to: self.to }) }
    }
}

struct CombiningAlong<'a, V: Vector> {
    combine: &'a Combine<V::Scalar>,
    from: Strided<V::Scalar>,
    to: Strided<V::Scalar>,
}

impl<V: Vector> CombiningAlong<'_, V> {
    /// Computes as many pairs of a step as fill whole vectors, and returns their number.
    ///
    /// # Safety
    /// As for [`Combine::apply`].
    #[inline(always)]
    unsafe fn two(&self, count: usize, from: Pair, to: Pair, matrix: [V::Scalar; 4]) -> usize {
        let whole = count / V::WIDTH * V::WIDTH;
        // SAFETY: the caller guarantees it.
        let [a, b, c, d] = unsafe { all::<V>(matrix) };
        for i in (0..whole).step_by(V::WIDTH) {
            // SAFETY: the caller guarantees it.
            unsafe {
                let (x, y) = from.load::<V>(self.from.base, i as isize);
                to.store(self.to.base, i as isize, x.mul_add(a, y * b), x.mul_add(c, y * d));
            }
        }
        whole
    }
}

impl<V: Vector> CombiningAlong<'_, V> {
    /// As [`CombiningAlong::two`], for a rotation.
    ///
    /// # Safety
    /// As for [`CombiningAlong::two`].
    #[inline(always)]
    unsafe fn rotate(&self, from: Pair, to: Pair, table: &[[V::Scalar; 2]], conjugate: bool) -> usize {
        let whole = table.len() / V::WIDTH * V::WIDTH;
        for i in (0..whole).step_by(V::WIDTH) {
            // SAFETY: the caller guarantees it.
            unsafe {
                let (x, y) = from.load::<V>(self.from.base, i as isize);
                let entries: Ptr<V::Scalar> = Ptr::of(table).add(i).cast();
                let (a, b) = V::unzip(V::load(entries), V::load(entries.add(V::WIDTH)));
                let [p, q] = rotate(x, y, a, b, conjugate);
                to.store(self.to.base, i as isize, p, q);
            }
        }
        whole
    }
}

/// Four vectors whose lanes all are the given numbers.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn all<V: Vector>([a, b, c, d]: [V::Scalar; 4]) -> [V; 4] {
    // SAFETY: the caller guarantees it.
    unsafe { [V::splat(a), V::splat(b), V::splat(c), V::splat(d)] }
}

impl<V: Vector> WithIsa for CombiningAlong<'_, V>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let rest = Combining::<V::Scalar> { combine: self.combine, from: self.from, to: self.to };
        let on = |[a, b]: &[Index; 2], done: usize| {
            [a, b].map(|index| Index { start: index.start + done as isize * index.step, ..*index })
        };
        let pairs = |from: &[Index; 2], to: &[Index; 2]| Pair::of(&self.from, *from).zip(Pair::of(&self.to, *to));
        for step in &self.combine.steps {
            // SAFETY: the caller of [`CombineAlong`]'s task guarantees it.
            unsafe {
                if let CombineStep::Rotate { from, to, table, conjugate } = step
                    && let Some((a, b)) = pairs(from, to)
                {
                    let done = self.rotate(a, b, table, *conjugate);
                    rest.rotate(on(from, done), on(to, done), &table[done..], *conjugate);
                } else if let CombineStep::Two { count, from, to, matrix } = step
                    && let Some((a, b)) = pairs(from, to)
                {
                    let done = self.two(*count, a, b, *matrix);
                    rest.two(count - done, on(from, done), on(to, done), *matrix);
                } else {
                    rest.step(step);
                }
            }
        }
    }
}

/// Iterates over the addresses of an [`Index`].
struct PairCursor<S> {
    at: Ptr<S>,
    step: isize,
}

impl<S> PairCursor<S> {
    #[inline(always)]
    fn new(rows: Strided<S>, index: Index) -> Self {
        PairCursor { at: rows.base.wrapping_offset(index.start * rows.stride), step: index.step * rows.stride }
    }

    /// Returns the address, and advances to the next one.
    #[inline(always)]
    fn next(&mut self) -> Ptr<S> {
        let at = self.at;
        self.at = at.wrapping_offset(self.step);
        at
    }
}

impl<V: Vector> Combining<'_, V> {
    /// # Safety
    /// As for [`Combine::apply`].
    #[inline(always)]
    unsafe fn one(&self, count: usize, from: Index, to: Index, by: V::Scalar) {
        // SAFETY: the caller guarantees it.
        let by = unsafe { V::splat(by) };
        let (mut x, mut y) = (PairCursor::new(self.from, from), PairCursor::new(self.to, to));
        for _ in 0..count {
            // SAFETY: the caller guarantees it.
            unsafe { (V::load(x.next()) * by).store(y.next()) }
        }
    }

    /// # Safety
    /// As for [`Combine::apply`].
    #[inline(always)]
    unsafe fn two(&self, count: usize, from: [Index; 2], to: [Index; 2], matrix: [V::Scalar; 4]) {
        let [mut p, mut q] = [PairCursor::new(self.from, from[0]), PairCursor::new(self.from, from[1])];
        let [mut r, mut s] = [PairCursor::new(self.to, to[0]), PairCursor::new(self.to, to[1])];
        // SAFETY: the caller guarantees it.
        let [a, b, c, d] = unsafe { all::<V>(matrix) };
        for _ in 0..count {
            // SAFETY: the caller guarantees it.
            unsafe {
                let (x, y) = (V::load(p.next()), V::load(q.next()));
                x.mul_add(a, y * b).store(r.next());
                x.mul_add(c, y * d).store(s.next());
            }
        }
    }
}

impl<V: Vector> Combining<'_, V> {
    /// # Safety
    /// As for [`Combine::apply`].
    #[inline(always)]
    unsafe fn rotate(&self, from: [Index; 2], to: [Index; 2], table: &[[V::Scalar; 2]], conjugate: bool) {
        let [mut p, mut q] = [PairCursor::new(self.from, from[0]), PairCursor::new(self.from, from[1])];
        let [mut r, mut s] = [PairCursor::new(self.to, to[0]), PairCursor::new(self.to, to[1])];
        for [a, b] in table {
            // SAFETY: the caller guarantees it.
            unsafe {
                let [x, y] = rotate(V::load(p.next()), V::load(q.next()), V::splat(*a), V::splat(*b), conjugate);
                x.store(r.next());
                y.store(s.next());
            }
        }
    }

    /// # Safety
    /// As for [`Combine::apply`].
    #[inline(always)]
    unsafe fn step(&self, step: &CombineStep<V::Scalar>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match step {
                CombineStep::Zero { to } => self.to.store(*to, V::zero()),
                CombineStep::One { count, from, to, by } => self.one(*count, *from, *to, *by),
                CombineStep::Two { count, from, to, matrix } => self.two(*count, *from, *to, *matrix),
                CombineStep::Rotate { from, to, table, conjugate } => self.rotate(*from, *to, table, *conjugate),
            }
        }
    }
}

impl<V: Vector> WithIsa for Combining<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for step in &self.combine.steps {
            // SAFETY: the caller of `Combine::apply` guarantees it.
            unsafe { self.step(step) }
        }
    }
}
