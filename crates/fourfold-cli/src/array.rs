//! Arrays whose element type is known only at run time.

use std::fmt::Display;

use anyhow::{Context, Result, bail, ensure};
use fourfold::engine::available_memory;
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Float, Precision, Problem};
use num_complex::Complex;

/// Runs the body for the elements of a [`Data`], with the name bound to them.
macro_rules! with_elements {
    ($data:expr, $elements:ident => $body:expr) => {
        match $data {
            fourfold::oracle::verify::Data::F32($elements) => $body,
            fourfold::oracle::verify::Data::F64($elements) => $body,
            fourfold::oracle::verify::Data::ComplexF32($elements) => $body,
            fourfold::oracle::verify::Data::ComplexF64($elements) => $body,
        }
    };
}
pub(crate) use with_elements;

/// `len` zeros, or an error if memory is lacking.
pub fn zeros<T: Copy + Default>(len: usize) -> Result<Vec<T>> {
    collect(len, std::iter::repeat_n(T::default(), len))
}

/// The `len` items as an array, or an error if memory is lacking.
pub fn collect<T>(len: usize, items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    let refused = || format!("an array of {len} elements of {} bytes does not fit in memory", size_of::<T>());
    check_memory(len.saturating_mul(size_of::<T>())).with_context(refused)?;
    elements.try_reserve_exact(len).with_context(refused)?;
    elements.extend(items.take(len));
    Ok(elements)
}

/// An error if so many bytes are not available. Linux grants more memory than there is, and ends
/// the process that uses it, so work that needs much memory asks here first.
pub fn check_memory(bytes: usize) -> Result<()> {
    let refused = || format!("this takes about {bytes} bytes of memory");
    if let Some(available) = available_memory().filter(|available| *available < bytes) {
        bail!("{}; {available} are available", refused());
    }
    Vec::<u8>::new().try_reserve_exact(bytes).with_context(refused)
}

/// The addresses that a thread takes on Linux: 2 MiB of stack and 64 MiB for the allocator, which
/// takes twice as much for a moment.
const THREAD: usize = 130 << 20;

/// So many threads, or fewer if there are not the addresses for all. Where threads take the last
/// addresses, the smallest allocation fails, which ends the process.
pub(crate) fn affordable_threads(threads: usize) -> usize {
    let is_affordable = |threads: &usize| Vec::<u8>::new().try_reserve_exact(threads * THREAD).is_ok();
    std::iter::successors(Some(threads), |threads| Some(threads / 2)).find(is_affordable).unwrap_or(1).max(1)
}

/// The bytes of a problem's input and output.
pub(crate) fn array_bytes(problem: &Problem) -> usize {
    let bytes = |domain: Domain, len: usize| len.saturating_mul(domain.reals() * problem.precision().bytes());
    let input = bytes(problem.input_domain(), problem.input().len);
    input.saturating_add(bytes(problem.output_domain(), problem.output().len))
}

/// The nearest number of a type, or an error if it is beyond the largest one. `what` names it.
pub(crate) fn fitting<T: Float>(number: f64, what: impl Display) -> Result<T> {
    let nearest = T::nearest(number);
    let (is_finite, name) = (nearest.into().is_finite(), T::PRECISION.name());
    ensure!(
        is_finite || !number.is_finite(),
        "{what} is {number:e}, which is out of the range of {name}: give --type f64"
    );
    Ok(nearest)
}

/// `len` zeros of a type.
pub fn zeros_of(precision: Precision, domain: Domain, len: usize) -> Result<Data> {
    Ok(match (precision, domain) {
        (Precision::F32, Domain::Real) => Data::F32(zeros(len)?),
        (Precision::F64, Domain::Real) => Data::F64(zeros(len)?),
        (Precision::F32, Domain::Complex) => Data::ComplexF32(zeros(len)?),
        (Precision::F64, Domain::Complex) => Data::ComplexF64(zeros(len)?),
    })
}

/// `len` random elements, all parts independent and uniform from −1 to 1.
pub fn random(precision: Precision, domain: Domain, len: usize) -> Result<Data> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut part = || 2.0 * rng.f64() - 1.0;
    let mut data = zeros_of(precision, domain, len)?;
    (0..len).for_each(|i| data.set(i, Complex::new(part(), part())));
    Ok(data)
}

/// The bytes that the elements take.
pub(crate) fn bytes(data: &Data) -> usize {
    with_elements!(data, elements => size_of_val(elements.as_slice()))
}

/// Copies elements to an array of the same type and length.
pub(crate) fn copy(from: &Data, to: &mut Data) {
    match (from, to) {
        (Data::F32(from), Data::F32(to)) => to.copy_from_slice(from),
        (Data::F64(from), Data::F64(to)) => to.copy_from_slice(from),
        (Data::ComplexF32(from), Data::ComplexF32(to)) => to.copy_from_slice(from),
        (Data::ComplexF64(from), Data::ComplexF64(to)) => to.copy_from_slice(from),
        _ => unreachable!("the command copies only between arrays of one type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_any_machine_has_is_refused() {
        assert!(check_memory(usize::MAX / 4).is_err());
        assert!(check_memory(1 << 16).is_ok());
    }
}
