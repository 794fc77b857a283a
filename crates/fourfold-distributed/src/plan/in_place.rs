//! Steps that change elements where they are.

use crate::plan::memory::elements_mut;
use crate::plan::planned_step::PlannedStep;
use fourfold::{Element, Precision};
use num_complex::Complex;
use std::ops::{Mul, Neg};

/// Does a step that is in place.
pub(crate) fn in_place<R>(step: &PlannedStep<R>, data: &mut [u8], precision: Precision) {
    match precision {
        Precision::F32 => typed::<f32, R>(step, data, |x| x as f32),
        Precision::F64 => typed::<f64, R>(step, data, |x| x),
    }
}

fn typed<T, R>(step: &PlannedStep<R>, data: &mut [u8], round: impl Fn(f64) -> T)
where
    T: Element + Mul<Output = T> + Neg<Output = T>,
    Complex<T>: Element + Mul<Output = Complex<T>>,
{
    match step {
        PlannedStep::Negate { reals, rows, columns } => {
            let all = elements_mut::<T>(data, rows * columns);
            for (row, line) in all.chunks_exact_mut((*columns).max(1)).enumerate() {
                let cut = reals.saturating_sub(row * columns).min(*columns);
                let (before, after) = line.split_at_mut(cut);
                negate(if row % 2 == 0 { before } else { after }.iter_mut());
            }
        }
        PlannedStep::Reflect { reals, parts } => {
            let all = &mut elements_mut::<T>(data, reals.end)[reals.clone()];
            negate(all.iter_mut().skip(parts - 1).step_by(*parts));
        }
        PlannedStep::Weigh { places } => {
            for (at, weight) in places {
                let element = &mut elements_mut::<T>(data, at + 1)[*at];
                *element = *element * round(*weight);
            }
        }
        PlannedStep::MultiplyRows { factors, columns } => {
            let elements = elements_mut::<Complex<T>>(data, factors.len() * columns);
            for (row, factor) in elements.chunks_exact_mut((*columns).max(1)).zip(factors) {
                let factor = Complex::new(round(factor.re), round(factor.im));
                row.iter_mut().for_each(|z| *z = *z * factor);
            }
        }
        PlannedStep::Pass { .. } | PlannedStep::Exchange { .. } => {}
    }
}

fn negate<'a, T: Copy + Neg<Output = T> + 'a>(elements: impl Iterator<Item = &'a mut T>) {
    elements.for_each(|x| *x = -*x);
}
