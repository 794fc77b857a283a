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
//! A combine is a list of [`Step`]s; every one of them reads each number once, and takes two
//! numbers to two.

use crate::arithmetic::twiddle::Roots;
use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// What kind of data a DFT works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    /// Real numbers to a half spectrum.
    Real,
    /// A half spectrum to real numbers, backwards.
    Hermitian,
    /// Complex numbers.
    Complex,
    /// Complex numbers, backwards.
    ComplexBackward,
}

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

/// The index `start + step · i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// The index for i = 0.
    pub start: isize,
    /// What i = 1 adds.
    pub step: isize,
}

/// Part of a combine, for i = 0, 1, … `count`−1.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Step {
    /// y\[to\] = 0.
    Zero { to: usize },
    /// y\[to\] = by · x\[from\].
    One { count: usize, from: Index, to: Index, by: f64 },
    /// (y\[to₀\], y\[to₁\]) = matrix · (x\[from₀\], x\[from₁\]); one matrix (row by row) for all or
    /// one for each.
    Two { count: usize, from: [Index; 2], to: [Index; 2], matrix: Vec<[f64; 4]> },
}

/// The order in which the real side of a DFT stands in memory: element m is x\[index\[m\]\] ·
/// gain\[m\].
#[derive(Clone, Debug)]
pub struct Order {
    /// Where element m stands.
    pub index: Vec<usize>,
    /// Factors on the elements; empty: all one.
    pub gain: Vec<f64>,
}

/// A sum as combine → DFT → combine; what is absent is the identity.
#[derive(Clone, Debug, Default)]
pub struct Reduction {
    /// The order of the real side of the DFT: of its input for [`Data::Real`], of its output for
    /// [`Data::Hermitian`].
    pub order: Option<Order>,
    /// From the line to the DFT's input.
    pub before: Vec<Step>,
    /// From the DFT's output to the line.
    pub after: Vec<Step>,
}

/// Where sequences of numbers stand: the half spectrum as reals, or (re, im) pairs.
fn at(start: usize, step: isize) -> Index {
    Index { start: start as isize, step }
}

/// (Re, Im) of the half spectrum's term k, and on from there by `step` terms.
fn half_spectrum(k: usize, step: isize) -> [Index; 2] {
    [at(2 * k - 1, 2 * step), at(2 * k, 2 * step)]
}

/// (Re, Im) of term k of a complex array.
fn complex(k: usize) -> [Index; 2] {
    [at(2 * k, 2), at(2 * k + 1, 2)]
}

fn one(from: usize, to: usize, by: f64) -> Step {
    Step::One { count: 1, from: at(from, 0), to: at(to, 0), by }
}

/// Builds the combines and the order of `sum` at length n; `scale` multiplies the result.
pub fn reduce(sum: Transform1d, n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    match sum {
        Transform1d::Dct2 => type_two(n, edges.output_first, scale, false),
        Transform1d::Dst2 => type_two(n, edges.output_last, scale, true),
        Transform1d::Dct3 => type_three(n, edges.input_first, scale, false),
        Transform1d::Dst3 => type_three(n, edges.input_last, scale, true),
        Transform1d::Idxst => idxst(n, scale),
        Transform1d::IdxstAdjoint => idxst_adjoint(n, scale),
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

/// Even places ascending, then odd places descending; `alternate`: the sign (−1)^index.
fn even_odd(n: usize, alternate: bool) -> Order {
    let index: Vec<_> = (0..n).map(|m| if 2 * m < n { 2 * m } else { 2 * (n - m) - 1 }).collect();
    let gain = if alternate { index.iter().map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect() } else { vec![] };
    Order { index, gain }
}

/// factor · (cos, sin) of πk/(2N) for k = 1 … ⌊(N−1)/2⌋.
fn quarter_turns(n: usize, factor: f64) -> impl Iterator<Item = (f64, f64)> {
    let roots = Roots::new(4 * n as u64);
    (1..=(n - 1) / 2).map(move |k| {
        let w = roots.get(k as u64);
        (factor * w.re, -factor * w.im)
    })
}

/// DCT-II, or DST-II with signs on the input and the output reversed.
fn type_two(n: usize, first: f64, scale: f64, sine: bool) -> Reduction {
    let place = |k: usize| if sine { n - 1 - k } else { k };
    let way = if sine { -1 } else { 1 };
    let mut after = vec![one(0, place(0), 2.0 * scale * first)];
    let matrix: Vec<_> = quarter_turns(n, 2.0 * scale).map(|(c, s)| [c, s, s, -c]).collect();
    if !matrix.is_empty() {
        let to = [at(place(1), way), at(place(n - 1), -way)];
        after.push(Step::Two { count: matrix.len(), from: half_spectrum(1, 1), to, matrix });
    }
    if n % 2 == 0 {
        after.push(one(n - 1, place(n / 2), SQRT_2 * scale));
    }
    Reduction { order: Some(even_odd(n, sine)), after, ..Reduction::default() }
}

/// DCT-III, or DST-III with the input reversed and signs on the output.
fn type_three(n: usize, first: f64, scale: f64, sine: bool) -> Reduction {
    let place = |k: usize| if sine { n - 1 - k } else { k };
    let way = if sine { -1 } else { 1 };
    let mut before = vec![one(place(0), 0, scale * first)];
    let matrix: Vec<_> = quarter_turns(n, scale).map(|(c, s)| [c, s, s, -c]).collect();
    if !matrix.is_empty() {
        let from = [at(place(1), way), at(place(n - 1), -way)];
        before.push(Step::Two { count: matrix.len(), from, to: half_spectrum(1, 1), matrix });
    }
    if n % 2 == 0 {
        before.push(one(place(n / 2), n - 1, SQRT_2 * scale));
    }
    Reduction { order: Some(even_odd(n, sine)), before, ..Reduction::default() }
}

/// As [`type_three`] with x_k and x_{N−k} exchanged and nothing at 0.
fn idxst(n: usize, scale: f64) -> Reduction {
    let mut before = vec![Step::Zero { to: 0 }];
    let matrix: Vec<_> = quarter_turns(n, 0.5 * scale).map(|(c, s)| [c, s, s, -c]).collect();
    if !matrix.is_empty() {
        let from = [at(n - 1, -1), at(1, 1)];
        before.push(Step::Two { count: matrix.len(), from, to: half_spectrum(1, 1), matrix });
    }
    if n % 2 == 0 {
        before.push(one(n / 2, n - 1, FRAC_1_SQRT_2 * scale));
    }
    Reduction { order: Some(even_odd(n, true)), before, ..Reduction::default() }
}

/// As [`type_two`] with y_k and y_{N−k} exchanged and nothing at 0.
fn idxst_adjoint(n: usize, scale: f64) -> Reduction {
    let mut after = vec![Step::Zero { to: 0 }];
    let matrix: Vec<_> = quarter_turns(n, scale).map(|(c, s)| [c, s, s, -c]).collect();
    if !matrix.is_empty() {
        let to = [at(n - 1, -1), at(1, 1)];
        after.push(Step::Two { count: matrix.len(), from: half_spectrum(1, 1), to, matrix });
    }
    if n % 2 == 0 {
        after.push(one(n - 1, n / 2, FRAC_1_SQRT_2 * scale));
    }
    Reduction { order: Some(even_odd(n, true)), after, ..Reduction::default() }
}

fn dht(n: usize, scale: f64) -> Reduction {
    let mut after = vec![one(0, 0, scale)];
    if n > 2 {
        let matrix = vec![[scale, -scale, scale, scale]];
        let to = [at(1, 1), at(n - 1, -1)];
        after.push(Step::Two { count: (n - 1) / 2, from: half_spectrum(1, 1), to, matrix });
    }
    if n % 2 == 0 {
        after.push(one(n - 1, n / 2, scale));
    }
    Reduction { after, ..Reduction::default() }
}

fn type_four_even(n: usize, scale: f64, sine: bool) -> Reduction {
    let (m, roots) = (n / 2, Roots::new(8 * n as u64));
    let turns = |k: usize| {
        let w = roots.get(k as u64);
        (w.re, -w.im)
    };
    let front = (0..m).map(|i| turns(4 * i + 1)).map(|(c, s)| [c, s, -s, c]).collect();
    let sign = if sine { -1.0 } else { 1.0 };
    let back = (0..m)
        .map(|k| turns(4 * k))
        .map(|(c, s)| [2.0 * scale * c, 2.0 * scale * s, sign * 2.0 * scale * s, -sign * 2.0 * scale * c])
        .collect();
    let mut outer = [at(0, 2), at(n - 1, -2)];
    let after = vec![Step::Two { count: m, from: complex(0), to: outer, matrix: back }];
    if sine {
        outer.reverse();
    }
    let before = vec![Step::Two { count: m, from: outer, to: complex(0), matrix: front }];
    Reduction { before, after, order: None }
}

/// The place below n and the sign that the cosine's symmetries give index m < 4n.
fn fold(m: usize, n: usize) -> (usize, f64) {
    match m / n {
        0 => (m, 1.0),
        1 => (2 * n - 1 - m, -1.0),
        2 => (m - 2 * n, -1.0),
        _ => (4 * n - 1 - m, 1.0),
    }
}

fn type_four_odd(n: usize, scale: f64, sine: bool) -> Reduction {
    let (index, gain) = (0..n).map(|i| fold((4 * i + n / 2) % (4 * n), n)).unzip();
    let mut order = Order { index, gain };
    if sine {
        order.index.iter_mut().for_each(|i| *i = n - 1 - *i);
    }
    // √2 · (±1, ±1): the row of output k, for Re and Im of B_{2k+1}.
    let row = |k: usize, conjugate: bool| {
        let sign = if sine && k % 2 == 1 { -SQRT_2 * scale } else { SQRT_2 * scale };
        let (c, s) = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][k % 4];
        [sign * c, if conjugate { -sign * s } else { sign * s }]
    };
    let mut after = vec![one(0, n / 2, row(n / 2, false)[0])];
    // Term h of the half spectrum serves output k where 2k+1 ≡ h and output k' where 2k'+1 ≡ −h
    // (mod n).
    for h in 1..=2usize.min(n / 2) {
        let count = (n / 2 - h) / 2 + 1;
        let (k, l) = if h == 1 { (0, n - 1) } else { (n / 2 + 1, n / 2 - 1) };
        let matrix = (0..count).map(|i| [row(k + i, false), row(l - i, true)]).map(|[a, b]| [a[0], a[1], b[0], b[1]]);
        let matrix = matrix.collect();
        after.push(Step::Two { count, from: half_spectrum(h, 2), to: [at(k, 1), at(l, -1)], matrix });
    }
    Reduction { order: Some(order), after, ..Reduction::default() }
}

fn dct_one(n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    let (last, length) = (n - 1, 2 * (n - 1));
    let index: Vec<_> = (0..length).map(|i| if i <= last { i } else { length - i }).collect();
    let mut gain = vec![1.0; length];
    gain[0] = edges.input_first;
    gain[last] = edges.input_last;
    let mut after = vec![one(0, 0, scale * edges.output_first)];
    if n > 2 {
        after.push(Step::One { count: n - 2, from: at(1, 2), to: at(1, 1), by: scale });
    }
    after.push(one(length - 1, last, scale * edges.output_last));
    let gain = if gain.iter().all(|g| *g == 1.0) { vec![] } else { gain };
    Reduction { order: Some(Order { index, gain }), after, ..Reduction::default() }
}

fn dst_one(n: usize, scale: f64) -> Reduction {
    let length = 2 * (n + 1);
    let place = |i: usize| match i {
        _ if i == 0 || i == n + 1 => (0, 0.0),
        _ if i <= n => (i - 1, 1.0),
        _ => (length - i - 1, -1.0),
    };
    let (index, gain) = (0..length).map(place).unzip();
    let after = vec![Step::One { count: n, from: at(2, 2), to: at(0, 1), by: -scale }];
    Reduction { order: Some(Order { index, gain }), after, ..Reduction::default() }
}

fn real_to_half(n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    let mut after = vec![one(0, 0, scale * edges.output_first), Step::Zero { to: 1 }];
    if n > 2 {
        let (from, to) = (half_spectrum(1, 1), complex(1));
        after.extend([0, 1].map(|i| Step::One { count: (n - 1) / 2, from: from[i], to: to[i], by: scale }));
    }
    if n % 2 == 0 {
        after.extend([one(n - 1, n, scale * edges.output_last), Step::Zero { to: n + 1 }]);
    }
    Reduction { after, ..Reduction::default() }
}

fn half_to_real(n: usize, edges: &EndWeights, scale: f64) -> Reduction {
    let mut before = vec![one(0, 0, scale * edges.input_first)];
    if n > 2 {
        let (from, to) = (complex(1), half_spectrum(1, 1));
        before.extend([0, 1].map(|i| Step::One { count: (n - 1) / 2, from: from[i], to: to[i], by: scale }));
    }
    if n % 2 == 0 {
        before.push(one(n, n - 1, scale * edges.input_last));
    }
    Reduction { before, ..Reduction::default() }
}
