//! A DFT of prime length p as a cyclic convolution of length p − 1 (Rader, 1968).
//!
//! The residues 1 … p−1 are the powers of a generator g, so with n = g^q and k = g^{−m}
//!
//! X_{g^{−m}} = x_0 + Σ_q x_{g^q} b_{m−q},  b_j = exp(−2πi g^{−j}/p),  X_0 = Σ x_n.
//!
//! Real data: let h = (p−1)/2, so that g^h = −1. X_{g^{−(m+h)}} is the conjugate of X_{g^{−m}},
//! hence the *real* convolution with Re b + Im b gives c_m = Re X + Im X and c_{m+h} = Re X − Im X
//! at once. Backwards, with the roles of n and k exchanged, a_q = Re X + Im X at g^{−q} convolved
//! with cos − sin of 2π g^j/p gives x_{g^m} − X_0: the cross terms pair a factor of period h with
//! one of sign-changing period h and vanish. (The Hartley form of Rader's algorithm, which FFTW
//! calls dht-rader.)

use crate::arithmetic::dd::Dd;
use crate::arithmetic::spectrum::dft;
use crate::arithmetic::twiddle::Roots;
use num_complex::Complex;

/// Below this a convolution is never the cheaper way.
pub(crate) const LEAST: usize = 16;

/// Σ_j b_j exp(−2πi jk/(p−1)) of b_j = exp(−2πi g^{−j}/p), in double-double; `powers` are those of
/// [`generator_powers`](crate::arithmetic::primes::generator_powers).
pub(crate) fn spectrum(powers: &[u32]) -> Vec<Complex<Dd>> {
    let (n, roots) = (powers.len(), Roots::new(powers.len() as u64 + 1));
    let b: Vec<_> = (0..n).map(|q| roots.get_dd(powers[(n - q) % n] as u64)).collect();
    dft(&b)
}
