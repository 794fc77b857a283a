//! Rust's libraries: rustdct with the crate transpose, ndrustfft, rustfft and realfft.

use crate::arrays::Memory;
use crate::case::Case;
use crate::contestant::Contestant;
use fourfold::Kind;
use ndarray::{ArrayView2, ArrayViewMut2};
use ndrustfft::{DctHandler, Normalization, nddct1, nddct2, nddct3, nddct4};
use num_complex::Complex;
use rustdct::DctPlanner;
use rustfft::FftNum;
use rustfft::num_traits::FloatConst;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Those that can solve the case.
pub(crate) fn offers(case: &Case) -> Vec<Contestant<'_>> {
    if case.bits == 32 { offers_of::<f32>(case) } else { offers_of::<f64>(case) }
}

fn offers_of<T: FftNum + FloatConst>(case: &Case) -> Vec<Contestant<'_>> {
    let Some(kind) = case.kind else { return Vec::new() };
    [dct::<T>(case, kind), nd_dct::<T>(case, kind), fft::<T>(case, kind), rfft::<T>(case, kind)]
        .into_iter()
        .flatten()
        .collect()
}

/// The case's input and output.
///
/// # Safety
/// They must hold that many elements of these types, and nothing else may refer to the output.
unsafe fn arrays<I, O>(case: &Case, input: usize, output: usize) -> (&[I], &mut [O]) {
    // SAFETY: the caller's promise.
    unsafe { (from_raw_parts(case.input().cast(), input), from_raw_parts_mut(case.output().cast(), output)) }
}

/// One transform of consecutive numbers, in place.
type RowTransform<T> = Box<dyn FnMut(&mut [T])>;

/// The transform of length `n`; its results are half of ours.
fn rows<T: FftNum + FloatConst>(kind: Kind, n: usize) -> Option<RowTransform<T>> {
    let mut planner = DctPlanner::<T>::new();
    macro_rules! rows {
        ($plan:ident, $process:ident) => {{
            let plan = planner.$plan(n);
            let mut scratch = vec![T::zero(); plan.get_scratch_len()];
            Box::new(move |row: &mut [T]| plan.$process(row, &mut scratch))
        }};
    }
    Some(match kind {
        Kind::Dct1 => rows!(plan_dct1, process_dct1_with_scratch),
        Kind::Dct2 => rows!(plan_dct2, process_dct2_with_scratch),
        Kind::Dct3 => rows!(plan_dct3, process_dct3_with_scratch),
        Kind::Dct4 => rows!(plan_dct4, process_dct4_with_scratch),
        Kind::Dst2 => rows!(plan_dst2, process_dst2_with_scratch),
        Kind::Dst3 => rows!(plan_dst3, process_dst3_with_scratch),
        Kind::Dst4 => rows!(plan_dst4, process_dst4_with_scratch),
        _ => return None,
    })
}

/// Rows, transpose, rows, transpose; in three dimensions once more.
fn dct<T: FftNum + FloatConst>(case: &Case, kind: Kind) -> Option<Contestant<'_>> {
    let lengths = case.lengths().to_vec();
    let mut transforms: Vec<_> = lengths.iter().map(|n| Some((*n, rows::<T>(kind, *n)?))).collect::<Option<_>>()?;
    let (len, axes) = (case.batch() * lengths.iter().product::<usize>(), lengths.len());
    if axes > 1 && case.first > 0 {
        return None;
    }
    let memory = Memory::new(len * size_of::<T>());
    let run = move || {
        // SAFETY: the case's arrays hold `len` numbers of this type, and so does the memory.
        let ((input, output), mut other) = unsafe {
            let other = from_raw_parts_mut(memory.base().cast::<T>(), len);
            (arrays::<T, T>(case, len, len), other)
        };
        let mut this = output;
        if axes % 2 == 1 && axes > 1 {
            (this, other) = (other, this);
        }
        let (n, transform) = transforms.last_mut().expect("a problem has axes");
        for (row, source) in this.chunks_exact_mut(*n).zip(input.chunks_exact(*n)) {
            row.copy_from_slice(source);
            transform(row);
        }
        for axis in (0..axes).rev().filter(|_| axes > 1) {
            transpose::transpose(this, other, lengths[axis], len / lengths[axis]);
            (this, other) = (other, this);
            if axis > 0 {
                let (n, transform) = &mut transforms[axis - 1];
                this.chunks_exact_mut(*n).for_each(transform);
            }
        }
    };
    let name = if axes > 1 { "rustdct + transpose" } else { "rustdct" };
    Some(Contestant::peer(name, (1u32 << axes).into(), run))
}

fn nd_dct<T: FftNum + FloatConst>(case: &Case, kind: Kind) -> Option<Contestant<'_>> {
    let &[height, width] = &case.shape[..] else { return None };
    let handlers = [height, width].map(|n| DctHandler::<T>::new(n).normalization(Normalization::None));
    let has_kind = matches!(kind, Kind::Dct1 | Kind::Dct2 | Kind::Dct3 | Kind::Dct4);
    if case.first > 0 || !has_kind {
        return None;
    }
    let len = height * width;
    let memory = Memory::new(len * size_of::<T>());
    let run = move || {
        // SAFETY: as in `dct`.
        let ((input, output), between) = unsafe {
            let between = from_raw_parts_mut(memory.base().cast::<T>(), len);
            (arrays::<T, T>(case, len, len), between)
        };
        let shape = (height, width);
        let x = ArrayView2::from_shape(shape, input).expect("the shape fits");
        let mut z = ArrayViewMut2::from_shape(shape, between).expect("the shape fits");
        let mut y = ArrayViewMut2::from_shape(shape, output).expect("the shape fits");
        nd_axis(kind, &x, &mut z, &handlers[1], 1);
        nd_axis(kind, &z.view(), &mut y, &handlers[0], 0);
    };
    Some(Contestant::peer("ndrustfft", 4.0, run))
}

fn nd_axis<T: FftNum + FloatConst>(
    kind: Kind,
    x: &ArrayView2<'_, T>,
    y: &mut ArrayViewMut2<'_, T>,
    handler: &DctHandler<T>,
    axis: usize,
) {
    match kind {
        Kind::Dct1 => nddct1(x, y, handler, axis),
        Kind::Dct2 => nddct2(x, y, handler, axis),
        Kind::Dct3 => nddct3(x, y, handler, axis),
        _ => nddct4(x, y, handler, axis),
    }
}

fn fft<T: FftNum>(case: &Case, kind: Kind) -> Option<Contestant<'_>> {
    let &[n] = case.lengths() else { return None };
    if kind != Kind::Fft {
        return None;
    }
    let plan = rustfft::FftPlanner::<T>::new().plan_fft_forward(n);
    let mut scratch = vec![Complex::new(T::zero(), T::zero()); plan.get_immutable_scratch_len()];
    let len = case.batch() * n;
    Some(Contestant::peer("rustfft", 1.0, move || {
        // SAFETY: the case's arrays hold `len` complex numbers of this type.
        let (input, output) = unsafe { arrays::<Complex<T>, Complex<T>>(case, len, len) };
        plan.process_immutable_with_scratch(input, output, &mut scratch);
    }))
}

fn rfft<T: FftNum>(case: &Case, kind: Kind) -> Option<Contestant<'_>> {
    let (&[n], 1) = (case.lengths(), case.batch()) else { return None };
    if kind != Kind::Rfft {
        return None;
    }
    let plan = realfft::RealFftPlanner::<T>::new().plan_fft_forward(n);
    let mut scratch = plan.make_scratch_vec();
    // realfft uses its input as scratch. It gets a copy of its own, once: the values that it leaves
    // take as long as any others.
    let memory = Memory::new(n * size_of::<T>());
    let mut is_fresh = true;
    Some(Contestant::peer("realfft", 1.0, move || {
        // SAFETY: the arrays have these lengths, and the memory is this closure's own.
        let ((input, output), own) = unsafe {
            let own = from_raw_parts_mut(memory.base().cast::<T>(), n);
            (arrays::<T, Complex<T>>(case, n, n / 2 + 1), own)
        };
        if std::mem::take(&mut is_fresh) {
            own.copy_from_slice(input);
        }
        plan.process_with_scratch(own, output, &mut scratch).expect("the lengths fit");
    }))
}
