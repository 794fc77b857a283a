//! A DFT of any length n as a convolution (Bluestein, 1970): with nk = (n² + k² − (k−n)²)/2 and
//! c_j = exp(−πi j²/N),
//!
//! X_k = c_k Σ_n (x_n c_n) · c̄_{k−n},
//!
//! a convolution with |k − n| < N that a cyclic one of length M ≥ 2N − 1 holds. The squares are
//! reduced modulo 2N in integers.

/// The least length 2^a · {1, 3, 5, 7, 9, 15} that holds the convolution of a DFT of length n.
pub(crate) fn length(n: usize) -> usize {
    let least = 2 * n - 1;
    [1usize, 3, 5, 7, 9, 15]
        .map(|odd| odd * least.div_ceil(odd).next_power_of_two())
        .into_iter()
        .min()
        .expect("not empty")
}
