//! For authors of engines: the rules and the arithmetic that all engines share.
//!
//! An engine takes a [`Recipe`] and [reduces](reduce) each of its transforms along one axis to a DFT
//! between two combines. It computes that DFT with [`Butterfly`]s, [`unpack`] and [`pack`], over its
//! type of [`Real`]: a SIMD vector, or a symbol of a kernel that is being written. This module
//! changes more often than the rest of the crate.

use num_complex::Complex;

pub use crate::arithmetic::butterfly::{Butterfly, Dft};
pub use crate::arithmetic::complex::C;
pub use crate::arithmetic::cosine8::{SCALES, dct8, idct8};
pub use crate::arithmetic::primes::generator_powers;
pub use crate::arithmetic::primes::prime_factors;
pub use crate::arithmetic::real::Real;
pub use crate::arithmetic::twiddle::Roots;
pub use crate::cpu::base::machine::{Cache, Machine};
pub use crate::cpu::base::threads::Pool;
pub use crate::problem::kind::Transform1d;
pub use crate::problem::norm::EndWeights;
pub use crate::problem::problem::AxisTransform;
pub use crate::recipe::recipe::{ArrayId, AxisRecipe, Pass, PassOp};
pub use crate::recipe::reduction::{Data, Part, Reduction, Rotation, Step, Terms, Twiddles};
pub use crate::recipe::reorder::{EvenOdd, Index, Permutation, Reorder, Run};
pub use crate::recipe::rules::cosine_sine::{dft_of, reduce};
pub use crate::recipe::rules::extension::{
    QUARTERS, SymmetricLastPass, fold_term, quarter_length, symmetric_last_pass,
};
pub use crate::recipe::rules::four_step::{pack, unpack};
pub use crate::recipe::rules::mixed_radix::factors;
pub use crate::recipe::scheme::Scheme;
pub use crate::recipe::scheme::{Factor, RADICES, length};

/// JPEG's 8×8 blocks.
pub mod jpeg {
    pub use crate::jpeg::*;
}

use crate::problem::problem::Problem;
use crate::recipe::recipe::Recipe;

/// The DFT of b over p − 1, for Rader's convolution: b_j = exp(−2πi g^{−j}/p), with the generator
/// of [`generator_powers`].
pub fn rader_spectrum(p: usize) -> Vec<Complex<f64>> {
    let spectrum = crate::recipe::rules::rader::spectrum(&generator_powers(p));
    let by = (p - 1) as f64;
    spectrum.iter().map(|z| Complex::new(z.re.over(by).into(), z.im.over(by).into())).collect()
}

/// The recipes that differ from the default one of `problem` in one thing: those that measuring
/// tries first.
pub fn candidates(problem: &Problem) -> Vec<Recipe> {
    let default = crate::recipe::rules::axes::recipe(problem);
    let steps = 0..crate::recipe::rules::candidates::steps(&default);
    steps.flat_map(|step| crate::recipe::rules::candidates::at(&default, step)).collect()
}

/// The length of the convolution for a DFT of length n by Bluestein's rule.
pub fn bluestein_length(n: usize) -> usize {
    crate::recipe::rules::bluestein::length(n)
}

/// Bluestein's chirp c_j = exp(−πi j²/n), j < n, and the DFT over M of the conjugate chirp, wrapped
/// around M = the length of `inner`.
pub fn bluestein_tables(n: usize, inner: &[Factor]) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
    crate::cpu::dft::dft::bluestein_tables(n, inner)
}
