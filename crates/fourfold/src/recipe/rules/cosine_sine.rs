//! Real transforms by one DFT between two combines: reorder → DFT → combine. These are the three
//! stages of Jiang, Gu and Pan, "A New Acceleration Paradigm for Discrete Cosine Transform and
//! Other Fourier-Related Transforms", section III.
//!
//! V is the DFT of the reordered v, and θ = πk/(2N).
//!
//! - **DCT-II** (Makhoul, 1980): v_m = x_{2m}, v_{N−1−m} = x_{2m+1}; y_k = 2 Re(V_k e^{−iθ}),
//!   y_{N−k} = −2 Im(V_k e^{−iθ}).
//! - **DCT-III**: V_k = (x_k − i x_{N−k}) e^{iθ} with V_0 = x_0 is Hermitian. Its backward DFT is
//!   v, which is y in the order of the DCT-II.
//! - **DST-II**: y_{N−1−k} is the DCT-II of (−1)^n x_n at k. **DST-III**: y_k is (−1)^k times the
//!   DCT-III of the reversed input.
//! - **IDXST**: with n = N − n', sin(πn(2k+1)/(2N)) = (−1)^k cos(πn'(2k+1)/(2N)): y_k is (−1)^k/2
//!   times the DCT-III of (0, x_{N−1}, …, x_1). The adjoint is half a DST-II, shifted by one.
//! - **DHT**: y_k = Re V_k − Im V_k, y_{N−k} = Re V_k + Im V_k, v = x.
//! - **DCT-IV, N even**: v_n = (x_{2n} + i x_{N−1−2n}) e^{−iπ(4n+1)/(4N)}, V is its complex DFT of
//!   length N/2, and y_{2k} = 2 Re(V_k e^{−iπk/N}), y_{N−1−2k} = −2 Im(V_k e^{−iπk/N}). (A DCT-III
//!   and a recurrence would also do, but the recurrence is unstable.)
//! - **DCT-IV, N odd** (Chan and Ho, 1990): b_i is the input, extended by the symmetries of the
//!   cosine, at 4i + (N−1)/2. Then y_k = 2 Σ b_i cos(2π(2k+1)i/N + φ) = 2 (cos φ Re B_{2k+1} + sin
//!   φ Im B_{2k+1}) with φ = π(2k+1)/4. So the combine needs no twiddle factors.
//! - **DST-IV**: y_k is (−1)^k times the DCT-IV of the reversed input.
//! - **DCT-I, DST-I**: the DFT of the even extension of length 2(N−1), or of the odd one of length
//!   2(N+1). Algorithms with a DFT of length N ∓ 1 and a running sum are shorter, but their error
//!   grows with N. [`extension`](crate::recipe::rules::extension) computes only three quarters of
//!   this DFT.
//!
//! The combines are [`Step`]s, which rotate by these angles.

use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use crate::recipe::reduction::{Data, IndexMap, Part, Reduction, Rotation, SpectrumTerms, Step, Twiddles};
use crate::recipe::reorder::{EvenOdd, Reorder, at};
use std::f64::consts::SQRT_2;

/// The kind of data and the length of the DFT to which a transform of length n reduces.
pub fn dft_of(transform: Transform1d, n: usize) -> (Data, usize) {
    match transform {
        Transform1d::Dct1 => (Data::Real, 2 * (n - 1)),
        Transform1d::Dst1 => (Data::Real, 2 * (n + 1)),
        Transform1d::Dct2 | Transform1d::Dst2 | Transform1d::Dht | Transform1d::IdxstAdjoint | Transform1d::R2C => {
            (Data::Real, n)
        }
        Transform1d::Dct3 | Transform1d::Dst3 | Transform1d::Idxst | Transform1d::C2R => (Data::Hermitian, n),
        Transform1d::Dct4 | Transform1d::Dst4 if n % 2 == 1 => (Data::Real, n),
        Transform1d::Dct4 | Transform1d::Dst4 => (Data::Complex, n / 2),
        Transform1d::Forward => (Data::Complex, n),
        Transform1d::Backward => (Data::ComplexBackward, n),
    }
}

/// The reduction of the transform `sum` of length n, with the weights `edges`. `scale` multiplies
/// the result.
pub fn reduce(transform: Transform1d, n: usize, weights: &EndWeights, scale: f64) -> Reduction {
    match transform {
        Transform1d::Dct2 => type_two(n, IndexMap::Ascending, weights.output_first, scale),
        Transform1d::Dst2 => type_two(n, IndexMap::Descending, weights.output_last, scale),
        Transform1d::IdxstAdjoint => type_two(n, IndexMap::Shifted, 0.0, 0.5 * scale),
        Transform1d::Dct3 => type_three(n, IndexMap::Ascending, weights.input_first, scale),
        Transform1d::Dst3 => type_three(n, IndexMap::Descending, weights.input_last, scale),
        Transform1d::Idxst => type_three(n, IndexMap::Shifted, 0.0, 0.5 * scale),
        Transform1d::Dht => dht(n, scale),
        Transform1d::Dct4 if n % 2 == 1 => type_four_odd(n, scale, false),
        Transform1d::Dst4 if n % 2 == 1 => type_four_odd(n, scale, true),
        Transform1d::Dct4 => type_four_even(n, scale, false),
        Transform1d::Dst4 => type_four_even(n, scale, true),
        Transform1d::Dct1 => dct_one(n, weights, scale),
        Transform1d::Dst1 => dst_one(n, scale),
        Transform1d::R2C => real_to_half(n, weights, scale),
        Transform1d::C2R => half_to_real(n, weights, scale),
        Transform1d::Forward | Transform1d::Backward => Reduction::default(),
    }
}

/// The steps that are present and have terms.
fn steps<const COUNT: usize>(steps: [Option<Step>; COUNT]) -> Vec<Step> {
    steps.into_iter().flatten().filter(|step| step.count() > 0).collect()
}

/// The number of terms of the half spectrum of n reals that are not real.
fn inner(n: usize) -> usize {
    (n - 1) / 2
}

fn first(place: usize, by: f64) -> Option<Step> {
    Some(Step::End { last: false, place, by })
}

/// The step of term n/2, which exists for even n.
fn last(n: usize, place: usize, by: f64) -> Option<Step> {
    (n % 2 == 0).then_some(Step::End { last: true, place, by })
}

/// DCT-II. The DST-II has signs on the input and a reversed output.
fn type_two(n: usize, map: IndexMap, weight: f64, scale: f64) -> Reduction {
    let after = rotated(n, map, [2.0 * scale * weight, 2.0 * scale, SQRT_2 * scale]);
    Reduction { reorder: Some(Reorder::EvenOdd(EvenOdd { signs: map.signs() })), after, ..Reduction::default() }
}

/// DCT-III. The DST-III has a reversed input and signs on the output.
fn type_three(n: usize, map: IndexMap, weight: f64, scale: f64) -> Reduction {
    let before = rotated(n, map, [scale * weight, scale, SQRT_2 * scale]);
    Reduction { reorder: Some(Reorder::EvenOdd(EvenOdd { signs: map.signs() })), before, ..Reduction::default() }
}

/// The combine of types II and III. The three factors are those on term 0, on the rotations by
/// πk/(2N), and on term N/2.
fn rotated(n: usize, map: IndexMap, [weight, by, middle]: [f64; 3]) -> Vec<Step> {
    let (start, step) = map.line(n);
    let place = |k: usize| (start + step * k as isize) as usize;
    let zero = map.zero(n);
    let rotation = Rotation {
        count: inner(n),
        terms: SpectrumTerms::INNER,
        line: [at(place(1), step), at(place(n - 1), -step)],
        twiddles: Twiddles { order: 4 * n as u64, first: 1, step: 1 },
        by,
        conjugate: true,
    };
    let term_zero = if map == IndexMap::Shifted { Some(Step::Zero { place: zero }) } else { first(zero, weight) };
    steps([term_zero, Some(Step::Rotate(rotation)), last(n, place(n / 2), middle)])
}

fn dht(n: usize, scale: f64) -> Reduction {
    let inner = Step::Hartley { count: inner(n), line: [at(1, 1), at(n - 1, -1)], by: scale };
    let after = steps([first(0, scale), Some(inner), last(n, n / 2, scale)]);
    Reduction { after, ..Reduction::default() }
}

fn type_four_even(n: usize, scale: f64, sine: bool) -> Reduction {
    let rotate = |line, first, by, conjugate| {
        let twiddles = Twiddles { order: 8 * n as u64, first, step: 4 };
        Step::Rotate(Rotation { count: n / 2, terms: SpectrumTerms::Complex, line, twiddles, by, conjugate })
    };
    let [even, odd] = [at(0, 2), at(n - 1, -2)];
    let before = vec![rotate(if sine { [odd, even] } else { [even, odd] }, 1, 1.0, false)];
    let after = vec![rotate([even, odd], 0, 2.0 * scale, !sine)];
    Reduction { before, after, reorder: None }
}

/// The DCT-IV or DST-IV of odd length. (√2 cos φ, √2 sin φ) is (±1, ±1). Term h of the half
/// spectrum contributes to output k with 2k+1 ≡ h and to output l with 2l+1 ≡ −h (mod N). Their
/// angles add to πN/2, so one rotation computes both outputs. The sign (−1)^k of the DST-IV changes
/// φ to π/4 − πk/2.
fn type_four_odd(n: usize, scale: f64, sine: bool) -> Reduction {
    // φ_k in units of 2π/8.
    let eighths = |k: usize| (1 + if sine { 6 } else { 2 } * k as u64) % 8;
    let middle = if [1, 7].contains(&eighths(n / 2)) { SQRT_2 * scale } else { -SQRT_2 * scale };
    let rotate = |h: usize| {
        let (k, l) = if h == 1 { (0, n - 1) } else { (n / 2 + 1, n / 2 - 1) };
        Step::Rotate(Rotation {
            count: (n / 2 - h) / 2 + 1,
            terms: SpectrumTerms::Half { first: h, step: 2 },
            line: [at(k, 1), at(l, -1)],
            twiddles: Twiddles { order: 8, first: eighths(k), step: if sine { -2 } else { 2 } },
            by: 2.0 * scale,
            conjugate: n % 4 == 1,
        })
    };
    let after = [first(n / 2, middle)].into_iter().flatten().chain((1..=2.min(n / 2)).map(rotate)).collect();
    Reduction { reorder: Some(Reorder::Fold { reversed: sine }), after, ..Reduction::default() }
}

fn dct_one(n: usize, weights: &EndWeights, scale: f64) -> Reduction {
    let inner = Step::Part { count: n - 2, part: Part::Re, line: at(1, 1), by: scale };
    let last = Step::End { last: true, place: n - 1, by: scale * weights.output_last };
    let after = steps([first(0, scale * weights.output_first), Some(inner), Some(last)]);
    let weight = |weight: f64| (weight != 1.0).then_some(weight);
    let reorder = Some(Reorder::EvenExtension { ends: [weights.input_first, weights.input_last].map(weight) });
    Reduction { reorder, after, ..Reduction::default() }
}

fn dst_one(n: usize, scale: f64) -> Reduction {
    let after = vec![Step::Part { count: n, part: Part::Im, line: at(0, 1), by: -scale }];
    Reduction { reorder: Some(Reorder::OddExtension), after, ..Reduction::default() }
}

/// Writes the imaginary parts of the real terms as 0.
fn real_to_half(n: usize, weights: &EndWeights, scale: f64) -> Reduction {
    let zero = |place: usize| Some(Step::Zero { place });
    let after = steps([
        first(0, scale * weights.output_first),
        zero(1),
        Some(scaled(n, scale)),
        last(n, n, scale * weights.output_last),
        zero(n + 1).filter(|_| n % 2 == 0),
    ]);
    Reduction { after, ..Reduction::default() }
}

/// Ignores the imaginary parts of the real terms.
fn half_to_real(n: usize, weights: &EndWeights, scale: f64) -> Reduction {
    let before =
        steps([first(0, scale * weights.input_first), Some(scaled(n, scale)), last(n, n, scale * weights.input_last)]);
    Reduction { before, ..Reduction::default() }
}

/// The complex terms of a half spectrum of n reals. On the line, each term is a pair (re, im).
fn scaled(n: usize, by: f64) -> Step {
    Step::Scale { count: inner(n), line: [at(2, 2), at(3, 2)], by }
}
