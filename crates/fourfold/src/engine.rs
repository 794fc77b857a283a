//! The rules and the arithmetic that all engines share. This module is for authors of engines.
//!
//! An engine takes a [`Recipe`] and [reduces](reduce) each of its transforms along one axis to a
//! DFT between two combines. It computes that DFT with [`Butterfly`]s, [`unpack`] and [`pack`],
//! which are generic over the number type [`Real`]: a SIMD vector, or a symbol of a kernel that is
//! being written. This module changes more often than the rest of the crate.

use num_complex::Complex;

pub use crate::arithmetic::butterfly::{Butterfly, Dft};
pub use crate::arithmetic::complex::C;
pub use crate::arithmetic::cosine8::{SCALES, dct8, idct8};
pub use crate::arithmetic::primes::gcd;
pub use crate::arithmetic::primes::generator_powers;
pub use crate::arithmetic::primes::prime_factors;
pub use crate::arithmetic::real::Real;
pub use crate::arithmetic::twiddle::Roots;
pub use crate::cpu::base::machine::{Cache, Machine, available_memory};
pub use crate::cpu::base::sizes::table_bytes;
pub use crate::cpu::base::threads::Pool;
pub use crate::error::{collected, filled, reserve};
pub use crate::problem::kind::Transform1d;
pub use crate::problem::norm::EndWeights;
pub use crate::problem::problem::AxisTransform;
pub use crate::recipe::pipeline_key::PipelineKey;
pub use crate::recipe::recipe::{ArrayId, AxisRecipe, Pass, PassOp};
pub use crate::recipe::reduction::{Data, Part, Reduction, Rotation, SpectrumTerms, Step, Twiddles};
pub use crate::recipe::reorder::{EvenOdd, Index, Permutation, Reorder, Run};
pub use crate::recipe::rules::cosine_sine::{dft_of, reduce};
pub use crate::recipe::rules::extension::{
    QUARTERS, SymmetricLastPass, quarter_length, symmetric_first_pass_term, symmetric_last_pass,
    symmetric_last_pass_term,
};
pub use crate::recipe::rules::four_step::{pack, unpack};
pub use crate::recipe::rules::mixed_radix::factors;
pub use crate::recipe::rules::symmetric::reduce_from_spectrum;
pub use crate::recipe::scheme::Scheme;
pub use crate::recipe::scheme::{Factor, RADICES, length};

/// JPEG's 8×8 blocks.
pub mod jpeg {
    pub use crate::jpeg::*;
}

use crate::problem::problem::Problem;
use crate::recipe::recipe::Recipe;

/// The p − 1 terms of B_k/(p − 1) for Rader's convolution, where B is the DFT of b_j = exp(−2πi
/// g^{−j}/p), j = 0 … p − 2, and g is the generator of [`generator_powers`]. The division is the
/// scale of the inverse DFT.
///
/// Source: C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime",
/// Proc. IEEE 56 (1968). The length p must be an odd prime.
pub fn rader_spectrum(p: usize) -> Vec<Complex<f64>> {
    let spectrum = crate::recipe::rules::rader::spectrum(&generator_powers(p), p - 1);
    let by = (p - 1) as f64;
    spectrum.iter().map(|z| Complex::new(z.re.over(by).into(), z.im.over(by).into())).collect()
}

/// A recipe with its passes in another order: pass i is number `order[i]` of the present ones.
/// Transforms along different axes commute, but R2C must be in the first pass and C2R in the last one,
/// and a recipe that multiplies keeps its order.
///
/// # Panics
/// If `order` names a pass that the recipe does not have.
pub fn in_order(recipe: &Recipe, order: &[usize]) -> Recipe {
    let ops = order.iter().map(|&number| recipe.passes()[number].ops.clone()).collect();
    Recipe::new(recipe.problem().clone(), recipe.multiply().cloned(), ops)
}

/// The recipes that differ from the default one of `problem` in one choice. Tuning measures these
/// first.
pub fn candidates(problem: &Problem) -> Vec<Recipe> {
    let default = crate::recipe::rules::axes::recipe(problem);
    let steps = 0..crate::recipe::rules::candidates::steps(&default);
    steps.flat_map(|step| crate::recipe::rules::candidates::at(&default, step)).collect()
}

/// The length M ≥ 2n − 1 of the convolution that computes a DFT of length n by Bluestein's rule.
pub fn bluestein_length(n: usize) -> usize {
    crate::recipe::rules::bluestein::length(n)
}

/// The length M ≥ `least` of a convolution: 2^a times 1, 3, 5, 7, 9 or 15.
pub fn convolution_length(least: usize) -> usize {
    crate::recipe::rules::bluestein::smooth(least)
}

/// Two tables for Bluestein's rule. The first is the chirp c_j = exp(−πi j²/n), j = 0 … n − 1. The
/// second is the DFT, divided by M, of the M-periodic sequence b_j = conj(c_{|j|}), |j| < n, where
/// M is the length of `inner`.
pub fn bluestein_tables(n: usize, inner: &[Factor]) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
    crate::cpu::dft::dft::bluestein_tables(n, inner)
}
