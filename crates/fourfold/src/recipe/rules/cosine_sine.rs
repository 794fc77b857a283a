//! Real-to-real sums by one DFT between two combines: reorder → DFT → combine (the paper's three
//! stages, section III).
//!
//! Write V for the DFT of the reordered v, θ = πk/(2N).
//!
//! - **DCT-II** (Makhoul, 1980; the paper's N-point algorithm): v_m = x_{2m}, v_{N−1−m} = x_{2m+1};
//!   y_k = 2 Re(V_k e^{−iθ}), y_{N−k} = −2 Im(V_k e^{−iθ}).
//! - **DCT-III**: V_k = (x_k − i x_{N−k}) e^{iθ}, V_0 = x_0, is Hermitian; its backward DFT is v
//!   with y in the order above.
//! - **DST-II**: y_{N−1−k} is the DCT-II of (−1)^n x_n at k. **DST-III**: (−1)^k times the DCT-III
//!   of the reversed input.
//! - **IDXST**: with n = N − n', sin(πn(2k+1)/(2N)) = (−1)^k cos(πn'(2k+1)/(2N)): (−1)^k/2 times
//!   the DCT-III of (0, x_{N−1}, …, x_1). Its adjoint is half a DST-II shifted by one.
//! - **DHT**: y_k = Re V_k − Im V_k, y_{N−k} = Re V_k + Im V_k, v = x.
//! - **DCT-IV, N even**: v_n = (x_{2n} + i x_{N−1−2n}) e^{−iπ(4n+1)/(4N)}, a complex DFT of length
//!   N/2; y_{2k} = 2 Re(V_k e^{−iπk/N}), y_{N−1−2k} = −2 Im(V_k e^{−iπk/N}). (By way of a DCT-III
//!   and a recurrence it would be unstable.)
//! - **DCT-IV, N odd** (Chan and Ho, 1990): the input continued by the symmetries of the cosine and
//!   read at 4i + (N−1)/2 gives b with y_k = 2 Σ b_i cos(2π(2k+1)i/N + φ) = 2 (cos φ Re B_{2k+1} +
//!   sin φ Im B_{2k+1}), φ = π(2k+1)/4: no twiddles.
//! - **DST-IV**: (−1)^k times the DCT-IV of the reversed input.
//! - **DCT-I, DST-I**: the even extension of length 2(N−1), the odd one of length 2(N+1); shorter
//!   ways through length N ∓ 1 and a running sum lose digits with N. Three quarters of that DFT are
//!   enough: see [`extension`](crate::recipe::rules::extension).
//!
//! The combines are [`Step`]s, whose rotations are those by the angles above.

use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use crate::recipe::reduction::{Data, IndexMap, Part, Reduction, Rotation, Step, Terms, Twiddles};
use crate::recipe::reorder::{EvenOdd, Reorder, at};
use std::f64::consts::SQRT_2;

/// The DFT that a sum of length n reduces to.
pub fn dft_of(sum: Transform1d, n: usize) -> (Data, usize) {
    match sum {
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

/// The reduction of `sum` at length n; `scale` multiplies the result.
pub fn reduce(sum: Transform1d, n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    match sum {
        Transform1d::Dct2 => type_two(n, IndexMap::Ascending, edges.output_first, scale),
        Transform1d::Dst2 => type_two(n, IndexMap::Descending, edges.output_last, scale),
        Transform1d::IdxstAdjoint => type_two(n, IndexMap::Shifted, 0.0, 0.5 * scale),
        Transform1d::Dct3 => type_three(n, IndexMap::Ascending, edges.input_first, scale),
        Transform1d::Dst3 => type_three(n, IndexMap::Descending, edges.input_last, scale),
        Transform1d::Idxst => type_three(n, IndexMap::Shifted, 0.0, 0.5 * scale),
        Transform1d::Dht => dht(n, scale),
        Transform1d::Dct4 if n % 2 == 1 => type_four_odd(n, scale, false),
        Transform1d::Dst4 if n % 2 == 1 => type_four_odd(n, scale, true),
        Transform1d::Dct4 => type_four_even(n, scale, false),
        Transform1d::Dst4 => type_four_even(n, scale, true),
        Transform1d::Dct1 => dct_one(n, edges, scale),
        Transform1d::Dst1 => dst_one(n, scale),
        Transform1d::R2C => real_to_half(n, edges, scale),
        Transform1d::C2R => half_to_real(n, edges, scale),
        Transform1d::Forward | Transform1d::Backward => Reduction::default(),
    }
}

/// Steps that have terms, in order.
fn steps<const COUNT: usize>(steps: [Option<Step>; COUNT]) -> Vec<Step> {
    steps.into_iter().flatten().filter(|step| step.count() > 0).collect()
}

/// Terms 1, 2, … of the half spectrum of n reals that are no real ones.
fn inner(n: usize) -> usize {
    (n - 1) / 2
}

fn first(place: usize, by: f64) -> Option<Step> {
    Some(Step::End { last: false, place, by })
}

/// Of an even n.
fn last(n: usize, place: usize, by: f64) -> Option<Step> {
    (n % 2 == 0).then_some(Step::End { last: true, place, by })
}

/// DCT-II, or DST-II with signs on the input and the output reversed.
fn type_two(n: usize, map: IndexMap, edge: f64, scale: f64) -> Reduction {
    let after = rotated(n, map, [2.0 * scale * edge, 2.0 * scale, SQRT_2 * scale]);
    Reduction { reorder: Some(Reorder::EvenOdd(EvenOdd { signs: map.signs() })), after, ..Reduction::default() }
}

/// DCT-III, or DST-III with the input reversed and signs on the output.
fn type_three(n: usize, map: IndexMap, edge: f64, scale: f64) -> Reduction {
    let before = rotated(n, map, [scale * edge, scale, SQRT_2 * scale]);
    Reduction { reorder: Some(Reorder::EvenOdd(EvenOdd { signs: map.signs() })), before, ..Reduction::default() }
}

/// The combine of types II and III, with the factors on term 0, on rotations by πk/(2N), and on
/// term N/2.
fn rotated(n: usize, map: IndexMap, [edge, by, middle]: [f64; 3]) -> Vec<Step> {
    let (start, step) = map.line(n);
    let place = |k: usize| (start + step * k as isize) as usize;
    let zero = map.zero(n);
    let rotation = Rotation {
        count: inner(n),
        terms: Terms::INNER,
        line: [at(place(1), step), at(place(n - 1), -step)],
        twiddles: Twiddles { order: 4 * n as u64, first: 1, step: 1 },
        by,
        conjugate: true,
    };
    let edge = if map == IndexMap::Shifted { Some(Step::Zero { place: zero }) } else { first(zero, edge) };
    steps([edge, Some(Step::Rotate(rotation)), last(n, place(n / 2), middle)])
}

fn dht(n: usize, scale: f64) -> Reduction {
    let inner = Step::Hartley { count: inner(n), line: [at(1, 1), at(n - 1, -1)], by: scale };
    let after = steps([first(0, scale), Some(inner), last(n, n / 2, scale)]);
    Reduction { after, ..Reduction::default() }
}

fn type_four_even(n: usize, scale: f64, sine: bool) -> Reduction {
    let rotate = |line, first, by, conjugate| {
        let twiddles = Twiddles { order: 8 * n as u64, first, step: 4 };
        Step::Rotate(Rotation { count: n / 2, terms: Terms::Complex, line, twiddles, by, conjugate })
    };
    let [even, odd] = [at(0, 2), at(n - 1, -2)];
    let before = vec![rotate(if sine { [odd, even] } else { [even, odd] }, 1, 1.0, false)];
    let after = vec![rotate([even, odd], 0, 2.0 * scale, !sine)];
    Reduction { before, after, reorder: None }
}

/// (√2 cos φ, √2 sin φ) is (±1, ±1). Term h of the half spectrum serves output k where 2k+1 ≡ h and
/// output l where 2l+1 ≡ −h (mod N); their angles add to πN/2, so that one rotation makes both. The
/// sine's sign (−1)^k turns φ to π/4 − πk/2.
fn type_four_odd(n: usize, scale: f64, sine: bool) -> Reduction {
    // φ_k in eighths of the circle.
    let eighths = |k: usize| (1 + if sine { 6 } else { 2 } * k as u64) % 8;
    let middle = if [1, 7].contains(&eighths(n / 2)) { SQRT_2 * scale } else { -SQRT_2 * scale };
    let rotate = |h: usize| {
        let (k, l) = if h == 1 { (0, n - 1) } else { (n / 2 + 1, n / 2 - 1) };
        Step::Rotate(Rotation {
            count: (n / 2 - h) / 2 + 1,
            terms: Terms::Half { first: h, step: 2 },
            line: [at(k, 1), at(l, -1)],
            twiddles: Twiddles { order: 8, first: eighths(k), step: if sine { -2 } else { 2 } },
            by: 2.0 * scale,
            conjugate: n % 4 == 1,
        })
    };
    let after = [first(n / 2, middle)].into_iter().flatten().chain((1..=2.min(n / 2)).map(rotate)).collect();
    Reduction { reorder: Some(Reorder::Fold { reversed: sine }), after, ..Reduction::default() }
}

fn dct_one(n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    let inner = Step::Part { count: n - 2, part: Part::Re, line: at(1, 1), by: scale };
    let last = Step::End { last: true, place: n - 1, by: scale * edges.output_last };
    let after = steps([first(0, scale * edges.output_first), Some(inner), Some(last)]);
    let reorder = Some(Reorder::EvenExtension { ends: [edges.input_first, edges.input_last] });
    Reduction { reorder, after, ..Reduction::default() }
}

fn dst_one(n: usize, scale: f64) -> Reduction {
    let after = vec![Step::Part { count: n, part: Part::Im, line: at(0, 1), by: -scale }];
    Reduction { reorder: Some(Reorder::OddExtension), after, ..Reduction::default() }
}

/// The real terms' imaginary parts are 0.
fn real_to_half(n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    let zero = |place: usize| Some(Step::Zero { place });
    let after = steps([
        first(0, scale * edges.output_first),
        zero(1),
        Some(scaled(n, scale)),
        last(n, n, scale * edges.output_last),
        zero(n + 1).filter(|_| n % 2 == 0),
    ]);
    Reduction { after, ..Reduction::default() }
}

/// The real terms' imaginary parts are ignored.
fn half_to_real(n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    let before =
        steps([first(0, scale * edges.input_first), Some(scaled(n, scale)), last(n, n, scale * edges.input_last)]);
    Reduction { before, ..Reduction::default() }
}

/// Terms of a half spectrum of n reals, which stand on the line in (re, im) pairs.
fn scaled(n: usize, by: f64) -> Step {
    Step::Scale { count: inner(n), line: [at(2, 2), at(3, 2)], by }
}
