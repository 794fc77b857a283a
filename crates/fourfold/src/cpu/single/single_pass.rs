//! A pass that computes its lines one by one, and multiplies them before, after or between their
//! transforms.

use crate::arithmetic::complex::C;
use crate::cpu::base::memory::Array;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::fused_combine::LineFactors;
use crate::cpu::batch::tiling::{Lines, Tile};
use crate::cpu::batch::values::{Rule, Values};
use crate::cpu::dft::pass::along::{load_interleaved, store_interleaved};
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::cpu::single::four_step::ExecutePass;
use crate::cpu::single::line_dft::InputLine;
use crate::cpu::single::single::Single;
use std::sync::Arc;

/// The executable form of a pass on single lines.
pub(crate) struct SinglePass<S> {
    pub(crate) axis: usize,
    pub(crate) ops: Vec<SingleOp<S>>,
}

/// A step of such a pass.
pub(crate) enum SingleOp<S> {
    Transform(Arc<Single<S>>),
    Multiply(Arc<Values<S>>),
}

/// The memory of a pass: a line between two steps, the buffers of its transforms, and the first
/// element that is multiplied.
#[derive(Clone, Copy)]
pub(crate) struct SingleMemory<S> {
    pub(crate) line: Ptr<S>,
    pub(crate) buffers: Ptr<S>,
    pub(crate) first: Ptr<S>,
}

impl<S: Dispatch> SinglePass<S> {
    /// The transform, if the pass has no other step.
    pub(crate) fn only_line(&self) -> Option<&Arc<Single<S>>> {
        if let [SingleOp::Transform(line)] = &self.ops[..] { Some(line) } else { None }
    }

    fn values(&self) -> Option<&Values<S>> {
        self.ops.iter().find_map(|op| if let SingleOp::Multiply(values) = op { Some(&**values) } else { None })
    }

    /// Computes every line.
    ///
    /// # Safety
    /// The arrays are in memory, and `execute_pass` may be called on parts of them.
    pub(crate) unsafe fn execute_all(
        &self,
        isa: Isa,
        ends: [&Array<S>; 2],
        memory: SingleMemory<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        let is_complex = self.ops.iter().any(|op| matches!(op, SingleOp::Transform(line) if line.is_complex()));
        let both = ends.iter().all(|array| array.parts == 2) && !is_complex;
        let split = both.then(|| ends.map(Array::split_parts));
        let [from, to] = split.as_ref().map_or(ends, |[from, to]| [from, to]);
        let values = self.values();
        let table = values.and_then(|values| values.array(both));
        let lines = Lines::new(self.axis, [from, to, table.as_ref().unwrap_or(to)], values.is_none(), 1);
        for index in 0..lines.count() {
            let tile = lines.tile(index, 1);
            // SAFETY: the caller guarantees it. Lines begin within their arrays.
            unsafe {
                let rows = |array: &Array<S>, number: usize| Strided {
                    base: array.origin.offset(tile.offsets[number][0]),
                    stride: array.strides[self.axis],
                };
                let multiply = values.map(|values| MultiplyLine {
                    from: rows(from, 0),
                    to: rows(from, 0),
                    count: values.shape[self.axis],
                    parts: if both { 1 } else { values.domain_parts },
                    complex: values.is_complex(),
                    factors: match &table {
                        Some(table) => rows(table, 2),
                        None => self.list(values),
                    },
                    by: table.is_none().then(|| self.across(values, &lines, &tile)),
                    rule: values.rule(),
                    first: (tile.first == 0 && values.rule() == Rule::ReciprocalSum).then_some(memory.first),
                });
                let line = InputLine { at: rows(from, 0), count: from.shape[self.axis] };
                self.execute(isa, line, rows(to, 1), multiply, memory, execute_pass);
            }
        }
    }

    /// Computes one line, from step to step.
    ///
    /// # Safety
    /// As for [`SinglePass::execute_all`].
    unsafe fn execute(
        &self,
        isa: Isa,
        from: InputLine<S>,
        to: Strided<S>,
        multiply: Option<MultiplyLine<S>>,
        memory: SingleMemory<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        let between = Strided { base: memory.line, stride: multiply.as_ref().map_or(1, |job| job.parts as isize) };
        let is_line = |op: &SingleOp<S>| matches!(op, SingleOp::Transform(_));
        let last = self.ops.iter().rposition(is_line).expect("a pass has a transform");
        let (mut source, mut i) = (from, 0);
        while i < self.ops.len() {
            let factors = self.factors_after(i, multiply.as_ref());
            let target = if i < last { between } else { to };
            // SAFETY: the caller guarantees it. The line between two steps has room for it.
            unsafe {
                match (&self.ops[i], multiply) {
                    (SingleOp::Transform(line), _) => {
                        line.execute(isa, source, target, factors, memory.buffers, execute_pass);
                    }
                    (SingleOp::Multiply(_), Some(job)) => {
                        job.first.into_iter().for_each(|first| first.write(source.at.base.read()));
                        S::dispatch(isa, MultiplyLine { from: source.at, to: target, ..job });
                    }
                    (SingleOp::Multiply(_), None) => unreachable!("a multiply has factors"),
                }
            }
            source = InputLine::whole(target);
            i += if factors.is_some() { 2 } else { 1 };
        }
    }

    /// The factors of the step after step `i`, if step `i` is a transform that can multiply by them.
    fn factors_after(&self, i: usize, multiply: Option<&MultiplyLine<S>>) -> Option<LineFactors<S>> {
        let (SingleOp::Transform(line), SingleOp::Multiply(_)) = (&self.ops[i], self.ops.get(i + 1)?) else {
            return None;
        };
        multiply.filter(|_| line.can_multiply())?.real_factors()
    }

    /// The factors along a line, if they are lists.
    fn list(&self, values: &Values<S>) -> Strided<S> {
        let list = values.along(self.axis).expect("factors stand along the axes or in a table");
        Strided { base: Ptr::of(list), stride: values.parts() as isize }
    }

    /// The product of the factors of the other axes.
    fn across(&self, values: &Values<S>, lines: &Lines, tile: &Tile) -> [S; 2] {
        values.across(self.axis, lines.indices(tile.first))
    }
}

/// Multiplies a line by factors that follow from numbers along it, and one number for the whole line.
#[derive(Clone, Copy)]
struct MultiplyLine<S> {
    from: Strided<S>,
    to: Strided<S>,
    count: usize,
    /// The reals of an element.
    parts: usize,
    /// Whether the factors are complex.
    complex: bool,
    factors: Strided<S>,
    by: Option<[S; 2]>,
    /// How a factor follows from both.
    rule: Rule,
    /// The memory for the first element of the line, if it is kept.
    first: Option<Ptr<S>>,
}

impl<S: Dispatch> VectorTask<S> for MultiplyLine<S> {
    unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
        // SAFETY: the caller guarantees it.
        unsafe { V::enter(MultiplyingLine::<V> { job: self }) }
    }
}

struct MultiplyingLine<V: Vector> {
    job: MultiplyLine<V::Scalar>,
}

impl<V: Vector> WithIsa for MultiplyingLine<V>
where
    V::Scalar: Vector<Scalar = V::Scalar>,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let MultiplyLine { from, to, count, parts, .. } = self.job;
        let contiguous = [from, to].iter().all(|line| line.stride == parts as isize)
            && self.job.factors.stride == if self.job.complex { 2 } else { 1 };
        let whole = if contiguous { count / V::WIDTH * V::WIDTH } else { 0 };
        // SAFETY: lines and factors have `count` elements.
        unsafe {
            for i in (0..whole).step_by(V::WIDTH) {
                self.job.elements::<V>(i as isize);
            }
            for i in whole..count {
                self.job.elements::<V::Scalar>(i as isize);
            }
        }
    }
}

impl<S: Scalar> MultiplyLine<S> {
    /// The factors, if they are products of reals.
    fn real_factors(&self) -> Option<LineFactors<S>> {
        let is_product = self.rule == Rule::Product && !self.complex && self.factors.stride == 1;
        let by = self.by.map_or(S::of(1.0), |[re, _]| re);
        is_product.then_some(LineFactors { list: self.factors.base, by })
    }

    /// Multiplies elements i … i + WIDTH − 1. If there are several, they are contiguous.
    ///
    /// # Safety
    /// The line has them, and the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn elements<V: Vector<Scalar = S>>(&self, i: isize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let factor = self.factor::<V>(i);
            let from = self.from.base.offset(i * self.from.stride);
            let to = self.to.base.offset(i * self.to.stride);
            if self.parts == 1 {
                return (V::load(from) * factor.re).store(to);
            }
            let z = load_interleaved::<V>(from);
            let product = if self.complex { z.mul(factor) } else { C { re: z.re * factor.re, im: z.im * factor.re } };
            store_interleaved(to, product);
        }
    }

    /// The factors on these elements. The imaginary parts of real ones have no meaning.
    ///
    /// # Safety
    /// As for [`MultiplyLine::elements`].
    #[inline(always)]
    unsafe fn factor<V: Vector<Scalar = S>>(&self, i: isize) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe {
            let at = self.factors.base.offset(i * self.factors.stride);
            let factor = match self.complex {
                true => load_interleaved::<V>(at),
                false => C { re: V::load(at), im: V::zero() },
            };
            match self.by {
                None => factor,
                Some([re, im]) if self.complex => factor.mul(C { re: V::splat(re), im: V::splat(im) }),
                Some([re, _]) => C { re: self.rule.factor(factor.re, V::splat(re)), im: factor.im },
            }
        }
    }
}
