//! A DFT of prime length p as a cyclic convolution of length p − 1 (C. M. Rader, "Discrete Fourier
//! transforms when the number of data samples is prime", Proc. IEEE 56, 1968).
//!
//! The residues 1 … p−1 are the powers of a generator g, so with n = g^q and k = g^{−m}
//!
//! X_{g^{−m}} = x_0 + Σ_q x_{g^q} b_{m−q},  b_j = exp(−2πi g^{−j}/p),  X_0 = Σ x_n.
//!
//! For real data, let h = (p−1)/2, so that g^h = −1 and X_{g^{−(m+h)}} is the conjugate of
//! X_{g^{−m}}. Hence one *real* convolution with Re b + Im b gives both c_m = Re X + Im X and
//! c_{m+h} = Re X − Im X. Backwards, n and k are exchanged: a_q = Re X + Im X at g^{−q}, convolved
//! with cos − sin of 2π g^j/p, gives x_{g^m} − X_0. The cross terms vanish, since one of their
//! factors has period h and the other changes sign after h. FFTW calls this Hartley form of Rader's
//! algorithm dht-rader.
//!
//! Where p − 1 has large primes itself, the convolution is padded. The p − 1 elements stand before
//! zeros, and b_j is there for −(p − 1) < j < p − 1. So a cyclic convolution of any length M ≥ 2p − 3
//! has the same p − 1 first sums.

use crate::arithmetic::dd::Dd;
use crate::arithmetic::spectrum::dft;
use crate::arithmetic::twiddle::Roots;
use num_complex::Complex;

/// The least prime for which a convolution may be cheaper than the direct sum.
pub(crate) const LEAST: usize = 16;

/// Whether a cyclic convolution of length m computes that of a prime p: without padding or with
/// enough. It is even, as half spectra of reals need.
pub(crate) fn convolves(p: usize, m: usize) -> bool {
    m == p - 1 || m >= 2 * p - 3 && m.is_multiple_of(2)
}

/// B_k = Σ_j b_j exp(−2πi jk/m) with b_j = exp(−2πi g^{−j}/p) for |j| < p − 1, in double-double
/// arithmetic. The signal has the period m, and m = p − 1 or m ≥ 2p − 3. `powers` are those of
/// [`generator_powers`](crate::arithmetic::primes::generator_powers).
pub(crate) fn spectrum(powers: &[u32], m: usize) -> Vec<Complex<Dd>> {
    let (n, roots) = (powers.len(), Roots::new(powers.len() as u64 + 1));
    let mut b = vec![Complex::new(Dd::default(), Dd::default()); m];
    for q in 0..n {
        b[q] = roots.get_dd(powers[(n - q) % n] as u64);
        b[(m - q) % m] = roots.get_dd(powers[q] as u64);
    }
    dft(&b)
}
