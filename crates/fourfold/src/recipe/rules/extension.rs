//! DCT-I and DST-I by three quarters of the DFT of their even or odd extension. The idea is that of
//! split radices: Sorensen, Heideman and Burrus, "On computing the split-radix FFT", IEEE Trans.
//! Acoust. Speech Signal Process. 34 (1986).
//!
//! Let n = N − 1 for cosines and n = N + 1 for sines. e is the extension of the line to 2n
//! elements, e_{2n−j} = ±e_j, and X is its DFT. y_k = X_k for cosines, and y_k = −Im X_k for sines,
//! where X_k is imaginary. If n = 2h, divide the j by their residues mod 4, as the last pass of
//! radix 4 does. E_k, A_k and F_k are the DFTs of length h of e_{4t}, e_{4t+1} and e_{4t+2}. The
//! fourth DFT is not necessary, since e_{4t+3} is e_{4t'+1} in reverse order, up to the sign. With
//! w = exp(−2πi/(2n)) and B = w^k A_k,
//!
//! X_k = E_k + w^{2k} F_k + (B ± B̄),
//!
//! Here E_k, w^{2k} F_k and B ± B̄ all are real for cosines, and all imaginary for sines. Let a and
//! b be the contributions of E_k and w^{2k} F_k to y_k. Then each k < h/2 gives four outputs:
//!
//! - cosines: y_k, y_{n−k} = (a + b) ± 2 Re B,  y_{h+k}, y_{h−k} = (a − b) ± 2 Im B;
//! - sines: y_k, y_{n−k} = −2 Im B ± (a + b),  y_{h+k}, y_{h−k} = 2 Re B ± (a − b).
//!
//! This needs only sums and rotations, which are stable. Algorithms with a DFT of length n and a
//! running sum are shorter, but their error grows with n.

use crate::arithmetic::complex::C;
use crate::arithmetic::real::Real;
use crate::arithmetic::twiddle::Roots;
use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use crate::recipe::reorder::{Permutation, Reorder};
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::mixed_radix::factors;
use crate::recipe::scheme::Factor;

/// The number of DFTs of a quarter of the extension: one for each of the residues 0, 1 and 2.
pub const QUARTERS: usize = 3;

/// The length h of the three DFTs, for a DCT-I or DST-I of length n. `None` for other transforms,
/// or if the length of the extension is below 8 or not a multiple of 4.
pub fn quarter_length(transform: Transform1d, n: usize) -> Option<usize> {
    let len = dft_of(transform, n).1;
    (matches!(transform, Transform1d::Dct1 | Transform1d::Dst1) && len % 4 == 0 && len >= 8).then_some(len / 4)
}

/// The factors of the DFT to which a transform of length n reduces. The last one is 4 if the last
/// pass can be the one of this file.
pub(crate) fn factors_of(transform: Transform1d, n: usize) -> Vec<Factor> {
    let Some(quarter) = quarter_length(transform, n) else { return factors(dft_of(transform, n).1) };
    let mut list = factors(quarter);
    list.push(Factor::Radix(4));
    list
}

/// The factors of the three DFTs, if the last pass of these factors is the one of this file.
pub(crate) fn quarter(transform: Transform1d, factors: &[Factor]) -> Option<&[Factor]> {
    let (last, rest) = factors.split_last()?;
    let is =
        matches!(transform, Transform1d::Dct1 | Transform1d::Dst1) && *last == Factor::Radix(4) && !rest.is_empty();
    is.then_some(rest)
}

/// The last pass, which computes the line from the half spectra E, A and F.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymmetricLastPass {
    /// Whether it is that of the DST-I.
    pub sine: bool,
    /// The length h of the DFTs.
    pub len: usize,
    /// The factor on all outputs.
    pub scale: f64,
    /// Factors on the first and the last output.
    pub end_weights: [f64; 2],
}

/// The outputs k, n − k, h + k and h − k from term k of E, A and F and its row of the
/// [table](SymmetricLastPass::table).
#[inline(always)]
pub fn symmetric_last_pass_term<T: Real>(
    sine: bool,
    [e, a, f]: [C<T>; QUARTERS],
    [c, s, d, t]: [T; 4],
    scale: T,
) -> [T; 4] {
    // 2 Re B and 2 Im B, where B = (c − is)(Re + i Im).
    let (re, im) = (a.re.mul_add(d, a.im * t), a.im.mul_sub(d, a.re * t));
    let (a, b) = match sine {
        true => (-e.im, f.re.mul_sub(s, f.im * c)),
        false => (e.re, f.re.mul_add(c, f.im * s)),
    };
    let (sum, difference) = (a.mul_add(scale, b), a.mul_sub(scale, b));
    match sine {
        true => [sum - im, -im - sum, difference + re, re - difference],
        false => [sum + re, sum - re, difference + im, difference - im],
    }
}

/// The other way: with the outputs k, n − k, h + k and h − k as inputs, term k of the half spectra of
/// the results e_{4t}, e_{4t+1} and e_{4t+2}, for the table of the same scale. With Y the extension of
/// the inputs, this is w^{−sk} Σ_q i^{sq} Y_{k+qh} for s = 0, 1 and 2, times −i for sines.
#[inline(always)]
pub fn symmetric_first_pass_term<T: Real>(
    sine: bool,
    [near, far, above, below]: [T; 4],
    [c, s, d, t]: [T; 4],
    scale: T,
) -> [C<T>; QUARTERS] {
    let zero = near.constant(0.0);
    let half = near.constant(0.5);
    let [a, b] = match sine {
        true => [near - far, above - below],
        false => [near + far, above + below],
    };
    let [x, y] = match sine {
        true => [(above + below) * half, -(near + far) * half],
        false => [(near - far) * half, (above - below) * half],
    };
    let odd = C { re: x.mul_sub(d, y * t), im: x.mul_add(t, y * d) };
    let (sum, difference) = ((a + b) * scale, a - b);
    match sine {
        true => [C { re: zero, im: -sum }, odd, C { re: difference * s, im: -(difference * c) }],
        false => [C { re: sum, im: zero }, odd, C { re: difference * c, im: difference * s }],
    }
}

/// The last pass of the DCT-I or DST-I `sum`. `len` is the length of one DFT, [`quarter_length`].
pub fn symmetric_last_pass(transform: Transform1d, weights: &EndWeights, scale: f64, len: usize) -> SymmetricLastPass {
    let end_weights = [weights.output_first, weights.output_last];
    SymmetricLastPass { sine: transform == Transform1d::Dst1, len, scale, end_weights }
}

impl SymmetricLastPass {
    /// For 1 ≤ k < h/2, (s cos 2πk/n, s sin 2πk/n, 2s cos πk/n, 2s sin πk/n), where s is the scale.
    pub fn table(&self) -> Vec<[f64; 4]> {
        let roots = Roots::new(4 * self.len as u64);
        let root = |k: u64, by: f64| [by * roots.get(k).re, -by * roots.get(k).im];
        let row = |k| {
            let ([c, s], [d, t]) = (root(2 * k, self.scale), root(k, 2.0 * self.scale));
            [c, s, d, t]
        };
        (1..(self.len as u64).div_ceil(2)).map(row).collect()
    }
}

/// The extension without its residues 3 mod 4. Element 3t + s is e_{4t+s}, as an element of the
/// line of n elements.
pub(crate) fn three_quarters(extension: Reorder, n: usize) -> Permutation {
    let Permutation { index, factor } = extension.permutation(n);
    Permutation { index: without_fourth(index), factor: without_fourth(factor) }
}

fn without_fourth<T>(list: Vec<T>) -> Vec<T> {
    list.into_iter().enumerate().filter(|(j, _)| j % 4 < QUARTERS).map(|(_, x)| x).collect()
}
