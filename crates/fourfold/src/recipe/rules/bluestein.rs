//! A DFT of any length N as a convolution (L. I. Bluestein, "A linear filtering approach to the
//! computation of discrete Fourier transform", IEEE Trans. Audio Electroacoust. 18, 1970). With nk
//! = (n² + k² − (k−n)²)/2 and c_j = exp(−πi j²/N),
//!
//! X_k = c_k Σ_n (x_n c_n) · c̄_{k−n},
//!
//! Since |k − n| < N, a cyclic convolution of any length M ≥ 2N − 1 computes this sum. The squares
//! j² are reduced modulo 2N in integers, so that the angles are exact.

/// The least M ≥ 2n − 1 of the form 2^a · {1, 3, 5, 7, 9, 15}: the length of the convolution for a
/// DFT of length n.
pub(crate) fn length(n: usize) -> usize {
    let least = 2 * n - 1;
    [1usize, 3, 5, 7, 9, 15]
        .map(|odd| odd * least.div_ceil(odd).next_power_of_two())
        .into_iter()
        .min()
        .expect("not empty")
}
