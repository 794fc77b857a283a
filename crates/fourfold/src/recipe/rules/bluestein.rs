//! A DFT of any length N as a convolution (L. I. Bluestein, "A linear filtering approach to the
//! computation of discrete Fourier transform", IEEE Trans. Audio Electroacoust. 18, 1970). With nk
//! = (n² + k² − (k−n)²)/2 and c_j = exp(−πi j²/N),
//!
//! X_k = c_k Σ_n (x_n c_n) · c̄_{k−n},
//!
//! Since |k − n| < N, a cyclic convolution of any length M ≥ 2N − 1 computes this sum. The squares
//! j² are reduced modulo 2N in integers, so that the angles are exact.
//!
//! Of a real signal of odd length, only the terms k ≤ h = (N−1)/2 are computed, and backwards only
//! these terms are read: x_n = Re (c_n Σ_k (a_k c_k) c̄_{n−k}) with a_0 = V_0 and a_k = 2V̄_k. Of A
//! numbers and B results, |k − n| is at most B − 1 forwards and A − 1 backwards, so M ≥ A + B − 1 is
//! long enough: 3N/2 instead of 2N.

use crate::recipe::reduction::Data;

/// The numbers that a DFT of length n reads and computes, if those of a half spectrum are left out
/// that follow from others.
pub(crate) fn counts(data: Data, n: usize) -> [usize; 2] {
    let half = n / 2 + 1;
    match data {
        Data::Real if n % 2 == 1 => [n, half],
        Data::Hermitian if n % 2 == 1 => [half, n],
        _ => [n, n],
    }
}

/// The least length of the convolution for so many numbers and results.
pub(crate) fn least([inputs, outputs]: [usize; 2]) -> usize {
    inputs + outputs - 1
}

/// The length of the convolution for a DFT of length n.
pub(crate) fn length(n: usize) -> usize {
    smooth(2 * n - 1)
}

/// The least number from `least` on of the form 2^a · {1, 3, 5, 7, 9, 15}.
pub(crate) fn smooth(least: usize) -> usize {
    [1usize, 3, 5, 7, 9, 15]
        .map(|odd| odd * least.div_ceil(odd).next_power_of_two())
        .into_iter()
        .min()
        .expect("not empty")
}
